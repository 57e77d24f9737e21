//! Messages on their way out.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use defiant::extension::MessageFamily;
use defiant::pool::PooledArena;
use defiant::wkt::BytesValue;
use defiant::{Arena, Message, Owned};
use tonic::{IntoRequest, Request};

use crate::settings::pool;

/// A message to be sent: `Outgoing<Hits<'static>>` stands for a `Hits<'_>`.
///
/// | what there is | how to send it |
/// |---|---|
/// | an [`Incoming`](crate::Incoming) or another [`Owned`] message | `owned.into()`; it is encoded in its own arena |
/// | nothing yet | [`Encoded::build`], in an arena of the pool |
/// | a message that borrows from something | [`Encoded::of`], at once, into an arena of the pool |
/// | bytes, from a cache or another server | [`Encoded::from_bytes`] |
///
/// ```
/// use defiant::{Arena, Message, UnknownFields};
/// use defiant_tonic::{Encoded, Outgoing};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Hit<'arena> {
///     #[defiant(string, tag = 1)]
///     url: &'arena str,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let url = String::from("https://example.com");
/// let hit = Hit { url: &url, ..Hit::default() };
/// let reply: Outgoing<Hit<'static>> = Encoded::of(&hit); // nothing is borrowed any more
/// drop(url);
/// # drop(reply);
/// ```
pub type Outgoing<M> = Encoded<<M as MessageFamily>::Family>;

/// An encoded message of a family: what [`Outgoing`] is. Values are made with this name, types are written with the other.
///
/// One that is made of an [`Owned`] is encoded into the same arena, which panics when memory or that arena's limit is
/// exhausted.
pub struct Encoded<F> {
    form: Form,
    family: PhantomData<fn() -> F>,
}

/// An encoded message: in the arena that it was encoded in, or anywhere.
enum Form {
    Owned(Owned<BytesValue<'static>>),
    Pooled(Owned<BytesValue<'static>, PooledArena>),
    Bytes(Bytes),
}

impl<F: MessageFamily> Encoded<F> {
    /// A message that a function makes in an arena of the [pool].
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn build(build: impl for<'a> FnOnce(&'a Arena) -> F::In<'a>) -> Self {
        Form::Pooled(Owned::build(pool().take(), |arena| encoded(&build(arena), arena))).into()
    }
}

impl<F> Encoded<F> {
    /// A message that borrows from anything, encoded now, into an arena of the [pool].
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    #[must_use]
    pub fn of<'m>(message: &(impl Message<'m> + MessageFamily<Family = F>)) -> Self {
        Self::in_arena(message, pool().take())
    }

    /// The same in a given arena.
    ///
    /// # Panics
    /// As [`of`](Self::of).
    #[must_use]
    pub fn in_arena<'m>(message: &(impl Message<'m> + MessageFamily<Family = F>), arena: PooledArena) -> Self {
        Form::Pooled(Owned::build(arena, |arena| encoded(message, arena))).into()
    }

    /// The bytes of a message, which are sent as they are.
    #[must_use]
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Self {
        Form::Bytes(bytes.into()).into()
    }

    /// The message, encoded.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.form {
            Form::Owned(bytes) => bytes.get().value,
            Form::Pooled(bytes) => bytes.get().value,
            Form::Bytes(bytes) => bytes,
        }
    }
}

/// The bytes of a message, in an arena, as what an [`Owned`] can hold.
fn encoded<'a, 'm>(message: &impl Message<'m>, arena: &'a Arena) -> BytesValue<'a> {
    BytesValue { value: message.encode_in(arena), ..BytesValue::default() }
}

impl<F> From<Form> for Encoded<F> {
    fn from(form: Form) -> Self {
        Encoded { form, family: PhantomData }
    }
}

impl<F, M: MessageFamily<Family = F>> From<Owned<M>> for Encoded<F> {
    fn from(message: Owned<M>) -> Self {
        Form::Owned(message.map(|message, arena| encoded(&message, arena))).into()
    }
}

impl<F, M: MessageFamily<Family = F>> From<Owned<M, PooledArena>> for Encoded<F> {
    fn from(message: Owned<M, PooledArena>) -> Self {
        Form::Pooled(message.map(|message, arena| encoded(&message, arena))).into()
    }
}

/// So that a generated client takes the message itself.
impl<F, M: MessageFamily<Family = F>> IntoRequest<Encoded<F>> for Owned<M> {
    fn into_request(self) -> Request<Encoded<F>> {
        Request::new(self.into())
    }
}

/// So that a generated client takes the message itself.
impl<F, M: MessageFamily<Family = F>> IntoRequest<Encoded<F>> for Owned<M, PooledArena> {
    fn into_request(self) -> Request<Encoded<F>> {
        Request::new(self.into())
    }
}

impl<F> fmt::Debug for Encoded<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Encoded").field(&self.as_bytes()).finish()
    }
}
