//! Messages to the client.

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use defiant::extension::MessageFamily;
use defiant::wkt::BytesValue;
use defiant::{Arena, Message, Owned};

use crate::exchange::Shared;
use crate::status::Status;

/// Where a service sends the messages of a stream: `Replies<Hits<'static>>` takes a `Hits<'_>` after the other.
///
/// ```
/// use defiant::wkt::StringValue;
/// use defiant_grpc::{Replies, Status};
///
/// async fn count(to: u32, replies: &Replies<StringValue<'static>>) -> Result<(), Status> {
///     for number in 1..=to {
///         // In memory that is used again for the next one, however many there are.
///         replies
///             .send_with(|arena| StringValue { value: arena.alloc_str(&number.to_string()), ..StringValue::default() })
///             .await?;
///     }
///     replies.send(&StringValue { value: "done", ..StringValue::default() }).await
/// }
/// # drop(count);
/// ```
pub struct Replies<M> {
    shared: Rc<Shared>,
    family: PhantomData<fn(M)>,
}

impl<M: MessageFamily> Replies<M> {
    pub(crate) fn new(shared: Rc<Shared>) -> Self {
        Replies { shared, family: PhantomData }
    }

    /// Sends a message, which is encoded at once; waits while the client reads more slowly than it is sent to.
    ///
    /// # Errors
    /// When the client is gone, or the message passes a [limit of encoding](Message#limits-of-encoding).
    pub async fn send(&self, message: &M::In<'_>) -> Result<(), Status> {
        let body = Owned::try_build(self.shared.pool.take(), |arena| encoded(message, arena))?;
        self.shared.send(self.shared.frame(body)?).await
    }

    /// Sends a message that a function makes in an arena of its own, which is used again when the message is sent.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub async fn send_with(&self, build: impl for<'a> FnOnce(&'a Arena) -> M::In<'a>) -> Result<(), Status> {
        let body = Owned::try_build(self.shared.pool.take(), |arena| encoded(&build(arena), arena))?;
        self.shared.send(self.shared.frame(body)?).await
    }
}

/// The bytes of a message, in an arena, as an [`Owned`] holds them.
fn encoded<'a, 'm>(message: &impl Message<'m>, arena: &'a Arena) -> Result<BytesValue<'a>, Status> {
    match message.try_encode_in(arena) {
        Ok(value) => Ok(BytesValue { value, ..BytesValue::default() }),
        Err(error) => Err(Status::internal(error.to_string())),
    }
}

impl<M> fmt::Debug for Replies<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replies").finish_non_exhaustive()
    }
}
