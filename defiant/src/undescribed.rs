//! Stand-ins for descriptors, which derive output names although this crate is built without the feature `reflect`.
//!
//! The derive and the runtime are built with different features when a build script needs more of the runtime than the program
//! does. Derive output that describes a message has to compile all the same, so every item here has the name and the
//! signature of the one in [`descriptor`](crate::descriptor), and none holds anything.
#![expect(unsafe_code, reason = "has the signatures of functions that are unsafe with the feature `reflect`")]
#![allow(
    missing_docs,
    clippy::missing_safety_doc,
    reason = "as documented in `descriptor`; no caller has to promise anything"
)]

use core::marker::PhantomData;

use crate::codec::{Optional, Required};
use crate::unknown::UnknownFields;

#[derive(Debug)]
pub struct Address<M>(PhantomData<fn() -> M>);

impl<M> Address<M> {
    pub(crate) const NONE: Self = Address(PhantomData);

    #[must_use]
    pub const fn of<N>(_: &'static DescriptorOf<N>) -> Self {
        Self::NONE
    }
}

#[derive(Debug)]
pub struct DescriptorOf<M>(PhantomData<fn() -> M>);

impl<M> DescriptorOf<M> {
    #[must_use]
    pub const unsafe fn new(
        _message: &'static M,
        _unknown: &UnknownFields<'static>,
        _fields: &'static [FieldOf<M>],
        _oneofs: &'static [OneofOf<M>],
        _order: &'static [u16],
    ) -> Self {
        DescriptorOf(PhantomData)
    }

    #[must_use]
    pub const fn message_set(self) -> Self {
        self
    }

    #[must_use]
    pub const fn reserved(self, _names: &'static [&'static str]) -> Self {
        self
    }
}

#[derive(Debug)]
pub struct FieldOf<M>(PhantomData<fn() -> M>);

impl<M> FieldOf<M> {
    #[must_use]
    pub const unsafe fn new<F, T>(_message: &M, _field: &T, _number: u32, _names: Names) -> Self {
        FieldOf(PhantomData)
    }

    #[must_use]
    pub const unsafe fn with_default<F: Defaulted<T>, T>(
        _message: &M,
        _field: &T,
        _number: u32,
        _names: Names,
        _default: &'static F::Value,
    ) -> Self {
        FieldOf(PhantomData)
    }

    #[must_use]
    pub const fn value<F: Defaulted<T, Value: Copy>, T>(value: F::Value) -> F::Value {
        value
    }

    #[must_use]
    pub const unsafe fn member<O>(_message: &M, _field: &Option<O>, _number: u32, _oneof: u16) -> Self {
        FieldOf(PhantomData)
    }

    #[must_use]
    pub const fn required(self) -> Self {
        self
    }

    #[must_use]
    pub const fn redacted(self) -> Self {
        self
    }

    #[must_use]
    pub const fn order<const N: usize>(_fields: &[Self]) -> [u16; N] {
        [0; N]
    }
}

/// A field that may have a declared default.
pub trait Defaulted<T> {
    type Value: 'static;
}

impl<V: 'static, C> Defaulted<Option<V>> for Optional<C> {
    type Value = V;
}

impl<V: 'static, C> Defaulted<V> for Required<C> {
    type Value = V;
}

#[derive(Debug)]
pub struct OneofOf<M>(PhantomData<fn() -> M>);

impl<M> OneofOf<M> {
    #[must_use]
    pub const unsafe fn new<O>(_message: &M, _field: &Option<O>, _name: &'static str, _index: u16) -> Self {
        OneofOf(PhantomData)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Names;

impl Names {
    #[must_use]
    pub const fn new(_text: &'static str, _key: u32, _name: u32, _json: u32) -> Self {
        Names
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Member;

impl Member {
    #[must_use]
    pub const fn new<F, T>(_number: u32, _names: Names) -> Self {
        Member
    }

    #[must_use]
    pub const fn redacted(self) -> Self {
        self
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Raw<'a>(PhantomData<&'a ()>);

impl Raw<'_> {
    pub(crate) const NONE: Self = Raw(PhantomData);

    #[must_use]
    pub fn of<F, V>(_value: &V) -> Self {
        Self::NONE
    }

    #[must_use]
    pub unsafe fn into_value<F, V>(self) -> Option<V> {
        None
    }
}

#[derive(Debug)]
pub struct EnumOf<E>(PhantomData<fn() -> E>);

impl<E> EnumOf<E> {
    #[must_use]
    #[expect(clippy::new_without_default, reason = "as the type with the feature `reflect`")]
    pub const fn new() -> Self {
        EnumOf(PhantomData)
    }
}
