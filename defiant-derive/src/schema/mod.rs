//! Reads the attributed items and checks them.
//!
//! Every reader here returns a checked schema or a [`syn::Error`] that carries *all* the mistakes it found, each at
//! its own span. The [`expand`](crate::expand) room never sees anything that was not checked.

mod attribute;
mod codec;
mod enumeration;
mod errors;
mod field;
mod item;
mod message;
mod name;
mod number;
mod oneof;
mod optimize;

#[cfg(test)]
mod tests;

pub(crate) use codec::{Cardinality, Codec, MapValue, Shape, wire_type};
pub(crate) use enumeration::{ClosedVariant, Enumeration, EnumerationForm, EnumerationValue};
pub(crate) use field::{Field, OneofField};
pub(crate) use item::Item;
pub(crate) use message::Message;
pub(crate) use oneof::{Oneof, OneofVariant};
