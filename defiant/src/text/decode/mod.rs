//! Reading text.
#![expect(unsafe_code, reason = "takes a message of a known type from one of any, and gives memory back")]

mod entries;
mod extension;
mod fields;
mod lexer;
mod scalar;
mod skip;

use core::ptr::NonNull;

use alloc::vec::Vec;

use self::lexer::Lexer;
use super::DecodeOptions;
use super::error::{DecodeError, Failure, Kind, Result, TOO_DEEP};
use crate::arena::Arena;
use crate::descriptor::{FieldDescriptor, MessageDescriptor};
use crate::message::Message;
use crate::reflect::{MessageMut, MessageRef, Parts, Store};

pub(super) use lexer::is_type_url;

/// Reads a message of a Rust type.
pub(super) fn typed<'arena, M: Message<'arena>>(
    text: &str,
    options: &DecodeOptions<'_>,
    arena: &'arena Arena,
) -> core::result::Result<M, DecodeError> {
    let store = options.store(arena);
    let mut message = M::DEFAULT;
    // SAFETY: a message of the type that the descriptor is of; it is used through this only until it is read below.
    let mut target = unsafe { MessageMut::new(M::__DESCRIPTOR.descriptor(), NonNull::from(&mut message).cast()) };
    match fill(text, options, &mut target, &store) {
        Ok(()) => Ok(message),
        Err(error) => {
            // SAFETY: what was made is in `message` only, which goes away here, and an error holds nothing of the arena.
            unsafe { store.roll_back() };
            Err(error)
        }
    }
}

/// Reads a message of a descriptor's type.
pub(super) fn of_descriptor<'a>(
    descriptor: &'a MessageDescriptor,
    text: &str,
    options: &DecodeOptions<'_>,
    arena: &'a Arena,
) -> core::result::Result<MessageRef<'a>, DecodeError> {
    let store = options.store(arena);
    let mut target = MessageMut::alloc(descriptor, &store).map_err(|error| Failure::from(error).at(0).in_text(text))?;
    match fill(text, options, &mut target, &store) {
        Ok(()) => Ok(target.into_ref()),
        Err(error) => {
            // SAFETY: as above, of `target`.
            unsafe { store.roll_back() };
            Err(error)
        }
    }
}

/// Reads a text into a message.
///
/// A plain function of lifetimes: nothing that it makes is left anywhere but in the message.
fn fill<'arena>(
    text: &str,
    options: &DecodeOptions<'_>,
    target: &mut MessageMut<'_, 'arena>,
    store: &Store<'arena>,
) -> core::result::Result<(), DecodeError> {
    if text.len() > options.size_limit {
        // The text is not looked at for the line.
        return Err(Failure::new(Kind::Size, "longer than the size limit", 0).in_text(""));
    }
    let mut parser = Parser {
        lexer: Lexer::new(text),
        options,
        depth: options.recursion_limit,
        scratch: Vec::new(),
        parts: Parts::default(),
        inside: 0,
    };
    match parser.fields(target, store, None) {
        Ok(()) => {
            store.keep();
            Ok(())
        }
        Err(failure) => Err(failure.at(parser.lexer.offset()).in_text(text)),
    }
}

/// What reads a text.
struct Parser<'t, 'a> {
    lexer: Lexer<'t>,
    options: &'t DecodeOptions<'t>,
    /// Levels that may still be entered.
    depth: u32,
    /// Strings that are put together, one at a time.
    scratch: Vec<u8>,
    /// Messages in the content of an `Any` or an extension around the place, which are encoded with it.
    parts: Parts<'t, 'a>,
    /// How many of those are around the place.
    inside: u32,
}

impl<'t, 'a> Parser<'t, 'a> {
    /// Reads a message in its brackets into one with nothing set.
    fn nested(&mut self, into: &mut MessageMut<'_, 'a>, store: &Store<'a>) -> Result<()> {
        let close = self.open()?;
        self.fields(into, store, Some(close))?;
        self.close(close)
    }

    /// Takes the bracket that opens a message, and gives the one that closes it.
    fn open(&mut self) -> Result<u8> {
        let offset = self.lexer.offset();
        let close = if self.lexer.eat(b'{') {
            b'}'
        } else if self.lexer.eat(b'<') {
            b'>'
        } else {
            return Err(self.lexer.expected("a message in `{ }`"));
        };
        self.depth = self.depth.checked_sub(1).ok_or_else(|| Failure::new(Kind::Recursion, TOO_DEEP, offset))?;
        Ok(close)
    }

    fn close(&mut self, close: u8) -> Result<()> {
        self.depth += 1;
        match self.lexer.eat(close) {
            true => Ok(()),
            false => {
                Err(self.lexer.expected(if close == b'}' { "a field name or `}`" } else { "a field name or `>`" }))
            }
        }
    }

    /// Takes what may stand between two fields.
    fn separator(&mut self) {
        let _ = self.lexer.eat(b',') || self.lexer.eat(b';');
    }

    /// Calls a function for each value of a list, behind its first bracket.
    fn list(&mut self, mut value: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        if self.lexer.eat(b']') {
            return Ok(());
        }
        loop {
            value(self)?;
            if self.lexer.eat(b']') {
                return Ok(());
            }
            if !self.lexer.eat(b',') {
                return Err(self.lexer.expected("`,` or `]`"));
            }
        }
    }

    /// Takes the colon before a value that is no message.
    fn colon(&mut self) -> Result<()> {
        match self.lexer.eat(b':') {
            true => Ok(()),
            false => Err(self.lexer.expected("`:`")),
        }
    }
}

/// The messages of a field that holds some.
fn messages_of(field: &FieldDescriptor, offset: usize) -> Result<&MessageDescriptor> {
    // A field of that type always has some.
    field.message().ok_or_else(|| Failure::new(Kind::Range, "no message type", offset))
}
