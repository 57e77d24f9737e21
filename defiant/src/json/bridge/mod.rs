//! ProtoJSON through serde.

mod capture;
mod message;
mod read;
mod value;
mod write;

pub use read::{MessageSeed, Seed};
pub use write::Json;

use alloc::string::ToString;

use super::error::{EncodeError, Fail};
use crate::descriptor::{FieldDescriptor, MessageDescriptor};

/// Where in a message something is, from the innermost to the outermost.
#[derive(Clone, Copy)]
struct Place<'p> {
    around: Option<&'p Place<'p>>,
    message: &'p MessageDescriptor,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Field(&'p FieldDescriptor),
    /// By its full name.
    Extension(&'p str),
}

/// What is wrong at a place, in words: serde knows the errors of formats only.
#[cold]
fn describe(mut fail: Fail, mut place: Option<&Place<'_>>) -> alloc::string::String {
    while let Some(at) = place {
        fail = match at.step {
            Step::Field(field) => fail.within(at.message, field),
            Step::Extension(name) => fail.inside_extension(at.message, name),
        };
        place = at.around;
    }
    EncodeError::new(fail).to_string()
}
