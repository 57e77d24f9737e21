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
/// | an [`Incoming`](crate::Incoming) or another [`Owned`] message | `owned.into()`; encoded in its own arena when tonic asks |
/// | nothing yet | [`Outgoing::build`], in an arena of the pool |
/// | a message that borrows from something | [`Outgoing::encode`], at once, into an arena of the pool |
/// | bytes, from a cache or another server | [`Outgoing::from_encoded`] |
///
/// ```
/// use defiant::{Arena, Message, UnknownFields};
/// use defiant_tonic::Outgoing;
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
/// let reply: Outgoing<Hit<'static>> = Outgoing::encode(&hit); // nothing is borrowed any more
/// drop(url);
/// # drop(reply);
/// ```
pub struct Outgoing<M: MessageFamily> {
    form: Form<M>,
    family: PhantomData<fn() -> M>,
}

enum Form<M: MessageFamily> {
    Owned(Owned<M>),
    Pooled(Owned<M, PooledArena>),
    /// Encoded, in an arena.
    Written(Owned<BytesValue<'static>, PooledArena>),
    Bytes(Bytes),
}

impl<M: MessageFamily> Outgoing<M> {
    /// A message that a function makes in an arena of the [pool].
    #[must_use]
    pub fn build(build: impl for<'a> FnOnce(&'a Arena) -> M::In<'a>) -> Self {
        Owned::<M, _>::build(pool().take(), build).into()
    }

    /// A message that borrows from anything, encoded now, into an arena of the [pool].
    #[must_use]
    pub fn encode(message: &M::In<'_>) -> Self {
        Self::encode_in(message, pool().take())
    }

    /// The same in a given arena.
    #[must_use]
    pub fn encode_in(message: &M::In<'_>, arena: PooledArena) -> Self {
        let written =
            Owned::build(arena, |arena| BytesValue { value: message.encode_in(arena), ..BytesValue::default() });
        Form::Written(written).into()
    }

    /// A message that is encoded already. The bytes are sent as they are.
    #[must_use]
    pub fn from_encoded(bytes: impl Into<Bytes>) -> Self {
        Form::Bytes(bytes.into()).into()
    }

    /// Gives the bytes of the message to a function.
    pub(crate) fn written<T>(self, write: impl FnOnce(&[u8]) -> T) -> T {
        match self.form {
            // In the message's own arena, which is free memory after it.
            Form::Owned(message) => write(message.map::<BytesValue<'static>>(encoded::<M>).get().value),
            Form::Pooled(message) => write(message.map::<BytesValue<'static>>(encoded::<M>).get().value),
            Form::Written(bytes) => write(bytes.get().value),
            Form::Bytes(bytes) => write(&bytes),
        }
    }
}

/// The bytes of a message, beside it.
fn encoded<'a, M: MessageFamily>(message: M::In<'a>, arena: &'a Arena) -> BytesValue<'a> {
    BytesValue { value: message.encode_in(arena), ..BytesValue::default() }
}

impl<M: MessageFamily> From<Form<M>> for Outgoing<M> {
    fn from(form: Form<M>) -> Self {
        Outgoing { form, family: PhantomData }
    }
}

impl<M: MessageFamily> From<Owned<M>> for Outgoing<M> {
    fn from(message: Owned<M>) -> Self {
        Form::Owned(message).into()
    }
}

impl<M: MessageFamily> From<Owned<M, PooledArena>> for Outgoing<M> {
    fn from(message: Owned<M, PooledArena>) -> Self {
        Form::Pooled(message).into()
    }
}

/// So that a generated client takes the message itself.
impl<M: MessageFamily> IntoRequest<Outgoing<M>> for Owned<M> {
    fn into_request(self) -> Request<Outgoing<M>> {
        Request::new(self.into())
    }
}

/// So that a generated client takes the message itself.
impl<M: MessageFamily> IntoRequest<Outgoing<M>> for Owned<M, PooledArena> {
    fn into_request(self) -> Request<Outgoing<M>> {
        Request::new(self.into())
    }
}

impl<M: MessageFamily> fmt::Debug for Outgoing<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Owned(message) => f.debug_tuple("Outgoing").field(message).finish(),
            Form::Pooled(message) => f.debug_tuple("Outgoing").field(message).finish(),
            Form::Written(bytes) => f.debug_tuple("Outgoing").field(&bytes.get().value).finish(),
            Form::Bytes(bytes) => f.debug_tuple("Outgoing").field(bytes).finish(),
        }
    }
}
