//! Message types apart from the lifetime of their arena.

use crate::message::Message;
use crate::unknown::UnknownFields;

/// A message type apart from the lifetime of its arena: `Task<'static>` stands for `Task<'_>`.
///
/// `#[derive(Message)]` implements it.
// TRUST: `In` is a `Message`, which is unsafe to implement, and `__shorten` is safe code for every lifetime, so its result
// is as good as its argument.
pub trait MessageFamily {
    /// The message in an arena.
    type In<'arena>: Message<'arena>;

    /// The same as a type that has no lifetime in it, and no name either.
    ///
    /// Where the compiler looks at what a future holds across an `.await`, it forgets that `'static` is `'static`
    /// ([rust#110338](https://github.com/rust-lang/rust/issues/110338)), and does not find an implementation that is there
    /// for that lifetime only. What is generic over messages, has such implementations and is held by futures that move from
    /// thread to thread does better with this type.
    type Family: MessageFamily + 'static;

    /// Whether extensions travel in the item form of `message_set_wire_format`.
    #[doc(hidden)]
    const MESSAGE_SET: bool = false;

    /// The message with a shorter lifetime.
    ///
    /// [`Owned`](crate::Owned) borrows a message whose lifetime it does not know, so the message has to be covariant. The derive
    /// writes `message` as the body, which compiles for no other message:
    ///
    /// ```compile_fail
    /// # use std::sync::Mutex;
    /// struct Shared<'arena>(&'arena Mutex<&'arena str>);
    ///
    /// fn shorten<'short, 'long: 'short>(message: &'short Shared<'long>) -> &'short Shared<'short> {
    ///     message
    /// }
    /// ```
    #[doc(hidden)]
    fn __shorten<'short, 'long: 'short>(message: &'short Self::In<'long>) -> &'short Self::In<'short>;

    #[doc(hidden)]
    fn __unknown<'m, 'arena>(message: &'m Self::In<'arena>) -> &'m UnknownFields<'arena>;

    #[doc(hidden)]
    fn __unknown_mut<'m, 'arena>(message: &'m mut Self::In<'arena>) -> &'m mut UnknownFields<'arena>;
}

/// A message, whatever the lifetime of its arena: what leads to its family.
///
/// `#[derive(Message)]` implements it. Use [`MessageFamily`], which every message has by it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no message",
    note = "messages have `#[derive(defiant::Message)]`"
)]
// TRUST: it leads to a `MessageFamily`.
pub trait OfFamily {
    /// The family.
    type Family: MessageFamily<Family = Self::Family> + 'static;
}

impl<M: OfFamily> MessageFamily for M {
    type In<'arena> = <M::Family as MessageFamily>::In<'arena>;
    type Family = M::Family;

    const MESSAGE_SET: bool = <M::Family as MessageFamily>::MESSAGE_SET;

    #[inline]
    fn __shorten<'short, 'long: 'short>(message: &'short Self::In<'long>) -> &'short Self::In<'short> {
        <M::Family as MessageFamily>::__shorten(message)
    }

    #[inline]
    fn __unknown<'m, 'arena>(message: &'m Self::In<'arena>) -> &'m UnknownFields<'arena> {
        <M::Family as MessageFamily>::__unknown(message)
    }

    #[inline]
    fn __unknown_mut<'m, 'arena>(message: &'m mut Self::In<'arena>) -> &'m mut UnknownFields<'arena> {
        <M::Family as MessageFamily>::__unknown_mut(message)
    }
}
