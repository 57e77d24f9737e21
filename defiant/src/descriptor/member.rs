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
    // TRUST: the shape is that of the marker. An implementation of `Oneof` promises that the variant has this shape.
    pub const fn new<'arena, F: Reflected<'arena, T>, T>(number: u32, names: Names) -> Self {
        Member { number, names, shape: F::SHAPE, redacted: false }
    }

    /// The same with the option `debug_redact`.
    #[must_use]
    // TRUST: unsafe code does not rely on it: it changes what is printed.
    pub const fn redacted(mut self) -> Self {
        self.redacted = true;
        self
    }
}

/// The marker of a member and the Rust type in its variant.
///
/// # Safety
/// Both functions convert between `V` and the form that the member's descriptor states.
pub unsafe trait Membered<'arena, V> {
    /// The value without its type.
    fn raw(value: &V) -> Raw<'arena>;

    /// The value of a type. `None` when it has another type, or is a number that a closed enum does not have.
    ///
    /// # Safety
    /// If the value is a message, it is a `V`, or the one that a `V` refers to.
    unsafe fn from_raw(raw: Raw<'arena>) -> Option<V>;
}

impl<'arena> Raw<'arena> {
    /// The value of a member that is read and written as `F`, without its type.
    #[must_use]
    // TRUST: `Membered` is unsafe to implement, and what comes back is taken as a message by unsafe functions only.
    pub fn of<F: Membered<'arena, V>, V>(value: &V) -> Self {
        F::raw(value)
    }

    /// The value of a member that is read and written as `F`. `None` when it has another type, or is a number that a closed
    /// enum does not have.
    ///
    /// # Safety
    /// As of [`Membered::from_raw`].
    #[must_use]
    pub unsafe fn into_value<F: Membered<'arena, V>, V>(self) -> Option<V> {
        // SAFETY: the same contract.
        unsafe { F::from_raw(self) }
    }
}

// SAFETY: both functions convert between the Rust type and the form that the member's descriptor states.
unsafe impl<'arena, V: Copy, C: Described<'arena, V>> Membered<'arena, V> for Optional<C> {
    fn raw(value: &V) -> Raw<'arena> {
        // SAFETY: a value of the type that the codec's marker says.
        unsafe { C::VALUE.plain.read(core::ptr::from_ref(value).cast()) }
    }

    unsafe fn from_raw(raw: Raw<'arena>) -> Option<V> {
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
        // SAFETY: both functions convert between the Rust type and the form that the member's descriptor states.
        unsafe impl<'arena, M: Message<'arena>> Membered<'arena, &'arena M> for $reference {
            fn raw(value: &&'arena M) -> Raw<'arena> {
                Raw::Message(NonNull::from(*value).cast())
            }

            unsafe fn from_raw(raw: Raw<'arena>) -> Option<&'arena M> {
                let Raw::Message(message) = raw else { return None };
                // SAFETY: the caller promises that the value is an `M`, and `Raw` that it lives for `'arena`.
                Some(unsafe { message.cast().as_ref() })
            }
        }

        // SAFETY: both functions convert between the Rust type and the form that the member's descriptor states.
        unsafe impl<'arena, M: Message<'arena>> Membered<'arena, M> for $inline {
            fn raw(value: &M) -> Raw<'arena> {
                Raw::Message(NonNull::from(value).cast())
            }

            unsafe fn from_raw(raw: Raw<'arena>) -> Option<M> {
                let Raw::Message(message) = raw else { return None };
                // SAFETY: the caller promises that the value is an `M`.
                Some(unsafe { *message.cast().as_ptr() })
            }
        }
    )*};
}

messages! {
    OptionalMessage, InlineMessage;
    OptionalGroup, InlineGroup;
}
