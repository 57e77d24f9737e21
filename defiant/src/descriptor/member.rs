//! The members of oneofs.
#![expect(unsafe_code, reason = "takes messages from pointers without a type")]

use core::ptr::NonNull;

use super::{Described, FieldShape, Names, Plain, Raw, Reflected};
use crate::codec::{InlineGroup, InlineMessage, Optional, OptionalGroup, OptionalMessage};
use crate::message::Message;

/// A member of a oneof.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub(crate) number: u32,
    pub(crate) names: Names,
    pub(crate) shape: FieldShape,
    pub(crate) redacted: bool,
}

impl Member {
    /// What the derive calls for a member that is read and written as `F` in a field of type `T`.
    #[must_use]
    pub const fn new<'arena, F: Reflected<'arena, T>, T>(number: u32, names: Names) -> Self {
        Member { number, names, shape: F::SHAPE, redacted: false }
    }

    /// The same with the option `debug_redact`.
    #[must_use]
    pub const fn redacted(mut self) -> Self {
        self.redacted = true;
        self
    }
}

/// The marker of a member and the Rust type in its variant.
pub trait Membered<'arena, V> {
    /// The value without its type.
    fn raw(value: &V) -> Raw<'arena>;

    /// The value of a type; `None` when it is of another, or a number that a closed enum does not have. A message is of
    /// the type `V` says: that is what whoever calls answers for. Safe code finds this trait in `__private` only; the
    /// derive's call is in `Oneof::__set`, which takes a [`Raw`], and only the runtime makes one of a message.
    fn from_raw(raw: Raw<'arena>) -> Option<V>;
}

impl<'arena, V: Copy, C: Described<'arena, V>> Membered<'arena, V> for Optional<C> {
    fn raw(value: &V) -> Raw<'arena> {
        // SAFETY: a value of the type that the codec's marker says.
        unsafe { C::VALUE.plain.read(core::ptr::from_ref(value).cast()) }
    }

    fn from_raw(raw: Raw<'arena>) -> Option<V> {
        // No message and nothing lazy: those are no codecs of members.
        if matches!(C::VALUE.plain, Plain::Message(_) | Plain::Lazy(_)) {
            return None;
        }
        let mut value = core::mem::MaybeUninit::<V>::uninit();
        // SAFETY: memory for a value of the type that the codec's marker says; what it refers to lives for 'arena.
        let written = unsafe { C::VALUE.plain.write(value.as_mut_ptr().cast(), raw) };
        // SAFETY: written just now.
        written.then(|| unsafe { value.assume_init() })
    }
}

macro_rules! messages {
    ($($reference:ident, $inline:ident;)*) => {$(
        impl<'arena, M: Message<'arena>> Membered<'arena, &'arena M> for $reference {
            fn raw(value: &&'arena M) -> Raw<'arena> {
                Raw::Message(NonNull::from(*value).cast())
            }

            fn from_raw(raw: Raw<'arena>) -> Option<&'arena M> {
                let Raw::Message(message) = raw else { return None };
                // SAFETY: a message of the type, which lives for 'arena, as whoever calls answers for.
                Some(unsafe { message.cast().as_ref() })
            }
        }

        impl<'arena, M: Message<'arena>> Membered<'arena, M> for $inline {
            fn raw(value: &M) -> Raw<'arena> {
                Raw::Message(NonNull::from(value).cast())
            }

            fn from_raw(raw: Raw<'arena>) -> Option<M> {
                let Raw::Message(message) = raw else { return None };
                // SAFETY: as above.
                Some(unsafe { *message.cast().as_ptr() })
            }
        }
    )*};
}

messages! {
    OptionalMessage, InlineMessage;
    OptionalGroup, InlineGroup;
}
