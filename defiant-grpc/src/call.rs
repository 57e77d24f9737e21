//! What is known of a call, and its arena.

use std::cell::{Ref, RefMut};
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;
use std::time::Instant;

use defiant::Arena;
use defiant::pool::{LocalArenaPool, LocalPooledArena};
use http::HeaderMap;

use crate::exchange::Shared;

/// Headers and trailers.
pub type Metadata = HeaderMap;

/// A call: the arena that the request lies in and the answer is made in, and what else is known of the call.
///
/// It is used as the [`Arena`] that it has. Everything in the arena is freed when the call is over, and the arena is used
/// again by the next call.
///
/// ```
/// use defiant::wkt::StringValue;
/// use defiant_grpc::{Call, Status};
///
/// async fn greet<'a>(name: StringValue<'a>, call: &'a Call) -> Result<StringValue<'a>, Status> {
///     if !call.metadata().contains_key("authorization") {
///         return Err(Status::unauthenticated("who are you?"));
///     }
///     Ok(StringValue { value: call.alloc_str(&format!("Hello {}", name.value)), ..StringValue::default() })
/// }
/// # drop(greet);
/// ```
pub struct Call {
    arena: LocalPooledArena,
    shared: Rc<Shared>,
}

impl Call {
    pub(crate) fn new(arena: LocalPooledArena, shared: Rc<Shared>) -> Self {
        Call { arena, shared }
    }

    /// A call that nobody made: to test what takes a call, or to have it answer something else than gRPC. There is no
    /// deadline.
    ///
    /// ```
    /// use defiant_grpc::{Call, Metadata};
    ///
    /// let mut metadata = Metadata::new();
    /// metadata.insert("authorization", "Bearer jane".parse()?);
    /// let call = Call::detached(metadata);
    /// call.headers_mut().insert("x-seen", "yes".parse()?);
    /// assert_eq!((call.alloc_str("in its arena"), call.headers_mut().len()), ("in its arena", 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn detached(metadata: Metadata) -> Self {
        let pool = LocalArenaPool::default();
        Call { arena: pool.take(), shared: Rc::new(Shared::detached(pool, metadata)) }
    }

    /// The arena of the call.
    #[must_use]
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The headers of the request.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.shared.request
    }

    /// When the call ends with [`Code::DeadlineExceeded`](crate::Code::DeadlineExceeded) unless it has ended before; `None`
    /// if the client waits for ever, and the server lets it.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.shared.deadline
    }

    /// The headers of the answer, to be added to. They are sent before the first message; later changes are in vain.
    ///
    /// Do not hold it across an `.await`.
    #[must_use]
    pub fn headers_mut(&self) -> RefMut<'_, Metadata> {
        self.shared.headers.borrow_mut()
    }

    /// The trailers of the answer, to be added to. They are sent at the end, with the status.
    ///
    /// Do not hold it across an `.await`.
    #[must_use]
    pub fn trailers_mut(&self) -> RefMut<'_, Metadata> {
        self.shared.trailers.borrow_mut()
    }

    /// The trailers of the answer.
    #[must_use]
    pub fn trailers(&self) -> Ref<'_, Metadata> {
        self.shared.trailers.borrow()
    }
}

impl Deref for Call {
    type Target = Arena;

    fn deref(&self) -> &Arena {
        &self.arena
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("arena", &self.arena)
            .field("metadata", self.metadata())
            .field("deadline", &self.deadline())
            .finish_non_exhaustive()
    }
}
