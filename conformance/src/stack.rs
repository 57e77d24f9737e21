//! The stack that a decode takes at the default recursion limit, for messages of `proto/deep.proto`.
//!
//! A [`Case`] is a format, the way a message is decoded, a message type, and the shape of the field through which the
//! message contains itself. The program `stack` measures each case and writes `STACK.md`; a test decodes each case in a
//! thread of 2 MiB, the default of Rust's standard library.

use std::fmt;

use defiant::reflect::{DescriptorPool, DynamicMessage};
use defiant::{Arena, Message, json, text};

use crate::{deep, deep_small};

/// The stack of a thread of Rust's standard library, in bytes.
pub const THREAD: usize = 2 << 20;

/// A field through which a message contains itself.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say what they are")]
pub enum Shape {
    Reference,
    Repeated,
    Map,
    Inline,
    Oneof,
    InlineOneof,
    Group,
    Groups,
}

/// How an input is decoded.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say what they are")]
pub enum Format {
    Binary,
    Json,
    Text,
}

/// What an input is decoded to.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say what they are")]
pub enum Form {
    Speed,
    CodeSize,
    Dynamic,
}

/// One decode to measure.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say what they are")]
pub struct Case {
    pub format: Format,
    pub form: Form,
    /// Whether the struct takes some 50 KB, or a few words.
    pub large: bool,
    pub shape: Shape,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { format, form, large, shape } = self;
        write!(f, "{format:?} {form:?} {} {shape:?}", if *large { "Large" } else { "Small" })
    }
}

/// All shapes.
pub const SHAPES: [Shape; 8] = [
    Shape::Reference,
    Shape::Repeated,
    Shape::Map,
    Shape::Inline,
    Shape::Oneof,
    Shape::InlineOneof,
    Shape::Group,
    Shape::Groups,
];

/// Formats and forms. A dynamic message holds all messages by reference, so its struct is never large.
pub const COLUMNS: [(Format, Form, bool); 12] = [
    (Format::Binary, Form::Speed, false),
    (Format::Binary, Form::Speed, true),
    (Format::Binary, Form::CodeSize, false),
    (Format::Binary, Form::CodeSize, true),
    (Format::Binary, Form::Dynamic, false),
    (Format::Json, Form::Speed, false),
    (Format::Json, Form::Speed, true),
    (Format::Json, Form::CodeSize, true),
    (Format::Json, Form::Dynamic, false),
    (Format::Text, Form::Speed, false),
    (Format::Text, Form::Speed, true),
    (Format::Text, Form::Dynamic, false),
];

/// All cases, by shape and then by column.
pub fn cases() -> impl Iterator<Item = Case> {
    SHAPES
        .into_iter()
        .flat_map(|shape| COLUMNS.into_iter().map(move |(format, form, large)| Case { format, form, large, shape }))
}

fn varint(mut value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

fn field(number: usize, content: &[u8]) -> Vec<u8> {
    [&varint(number << 3 | 2), &varint(content.len())[..], content].concat()
}

fn group(number: usize, content: &[u8]) -> Vec<u8> {
    [&varint(number << 3 | 3), content, &varint(number << 3 | 4)].concat()
}

/// A message in as many others.
fn wire(shape: Shape, levels: usize) -> Vec<u8> {
    (0..levels).fold(Vec::new(), |inner, _| match shape {
        Shape::Reference => field(20, &inner),
        Shape::Repeated => field(21, &inner),
        Shape::Map => field(22, &[&[8, 1], &field(2, &inner)[..]].concat()),
        Shape::Inline => field(23, &field(1, &inner)),
        Shape::Oneof => field(24, &inner),
        Shape::InlineOneof => field(25, &field(1, &inner)),
        Shape::Group => group(26, &inner),
        Shape::Groups => group(27, &inner),
    })
}

fn nested(begin: &str, middle: &str, end: &str, levels: usize) -> String {
    [&begin.repeat(levels), middle, &end.repeat(levels)].concat()
}

fn json(shape: Shape, levels: usize) -> String {
    let (begin, end) = match shape {
        Shape::Reference => ("{\"reference\":", "}"),
        Shape::Repeated => ("{\"repeated\":[", "]}"),
        Shape::Map => ("{\"map\":{\"1\":", "}}"),
        Shape::Inline => ("{\"inline\":{\"next\":", "}}"),
        Shape::Oneof => ("{\"chosen\":", "}"),
        Shape::InlineOneof => ("{\"held\":{\"next\":", "}}"),
        Shape::Group => ("{\"group\":", "}"),
        Shape::Groups => ("{\"groups\":[", "]}"),
    };
    nested(begin, "{}", end, levels)
}

fn text(shape: Shape, levels: usize) -> String {
    let (begin, end) = match shape {
        Shape::Reference => ("reference{", "}"),
        Shape::Repeated => ("repeated{", "}"),
        Shape::Map => ("map{key:1 value{", "}}"),
        Shape::Inline => ("inline{next{", "}}"),
        Shape::Oneof => ("chosen{", "}"),
        Shape::InlineOneof => ("held{next{", "}}"),
        Shape::Group => ("group{", "}"),
        Shape::Groups => ("groups{", "}"),
    };
    nested(begin, "", end, levels)
}

/// Whether a type decodes a shape of so many levels.
fn accepts<'a, M: Message<'a>>(format: Format, shape: Shape, levels: usize, arena: &'a Arena) -> bool {
    match format {
        Format::Binary => M::decode(&wire(shape, levels), arena).is_ok(),
        Format::Json => json::decode::<M>(&json(shape, levels), arena).is_ok(),
        Format::Text => text::decode::<M>(&text(shape, levels), arena).is_ok(),
    }
}

fn accepts_dynamic(format: Format, shape: Shape, levels: usize, arena: &Arena) -> bool {
    let mut pool = DescriptorPool::new();
    if pool.add_encoded(include_bytes!(concat!(env!("OUT_DIR"), "/deep.bin"))).is_err() {
        return false;
    }
    let Some(ty) = pool.message("deep.Small") else { return false };
    match format {
        Format::Binary => DynamicMessage::decode(ty, &wire(shape, levels), arena).is_ok(),
        Format::Json => json::decode_message(ty.descriptor(), &json(shape, levels), arena).is_ok(),
        Format::Text => text::decode_message(ty.descriptor(), &text(shape, levels), arena).is_ok(),
    }
}

macro_rules! held {
    ($module:ident, $pads:ident, $optimize_for:literal) => {
        /// A message that holds large messages inline in a oneof, which the generator does not write.
        #[allow(missing_docs, reason = "the fields say what they are")]
        pub mod $module {
            use defiant::{Message, Oneof, UnknownFields};

            use crate::$pads::Pads;

            #[derive(Clone, Copy, Debug, PartialEq, Message)]
            #[defiant(name = "deep.Held", optimize_for = $optimize_for)]
            pub struct Held<'arena> {
                #[defiant(oneof, tags = "24, 25")]
                pub choice: Option<Choice<'arena>>,
                #[defiant(unknown)]
                pub unknown_fields: UnknownFields<'arena>,
            }

            #[derive(Clone, Copy, Debug, PartialEq, Oneof)]
            #[defiant(optimize_for = $optimize_for)]
            #[allow(clippy::large_enum_variant, reason = "it is to be large")]
            pub enum Choice<'arena> {
                #[defiant(message, tag = 24)]
                Chosen(&'arena Held<'arena>),
                #[defiant(message, inline, tag = 25)]
                Held(Holder<'arena>),
            }

            #[derive(Clone, Copy, Debug, PartialEq, Message)]
            #[defiant(name = "deep.Holder", optimize_for = $optimize_for)]
            pub struct Holder<'arena> {
                #[defiant(message, tag = 1)]
                pub next: Option<&'arena Held<'arena>>,
                #[defiant(message, repeated, tag = 2)]
                pub repeated: &'arena [Held<'arena>],
                #[defiant(message, inline, tag = 3)]
                pub pads_a: Option<Pads<'arena>>,
                #[defiant(message, inline, tag = 4)]
                pub pads_b: Option<Pads<'arena>>,
                #[defiant(message, inline, tag = 5)]
                pub pads_c: Option<Pads<'arena>>,
                #[defiant(unknown)]
                pub unknown_fields: UnknownFields<'arena>,
            }
        }
    };
}

held!(held, deep, "speed");
held!(held_small, deep_small, "code_size");

impl Case {
    /// Whether the type decodes so many levels.
    #[must_use]
    pub fn accepts(self, levels: usize) -> bool {
        let (arena, Case { format, shape, .. }) = (Arena::new(), self);
        match (self.form, self.large) {
            (Form::Speed, true) if matches!(shape, Shape::InlineOneof) => {
                accepts::<held::Held<'_>>(format, shape, levels, &arena)
            }
            (Form::CodeSize, true) if matches!(shape, Shape::InlineOneof) => {
                accepts::<held_small::Held<'_>>(format, shape, levels, &arena)
            }
            (Form::Speed, false) => accepts::<deep::Small<'_>>(format, shape, levels, &arena),
            (Form::Speed, true) => accepts::<deep::Large<'_>>(format, shape, levels, &arena),
            (Form::CodeSize, false) => accepts::<deep_small::Small<'_>>(format, shape, levels, &arena),
            (Form::CodeSize, true) => accepts::<deep_small::Large<'_>>(format, shape, levels, &arena),
            (Form::Dynamic, _) => accepts_dynamic(format, shape, levels, &arena),
        }
    }

    /// The most levels that the default recursion limit allows: 100, or 50 where a level is two messages on the wire.
    #[must_use]
    pub fn levels(self) -> usize {
        (0..=100).rev().find(|levels| self.accepts(*levels)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use defiant::{DecodeOptions, Encoder};

    use super::*;

    /// The levels of messages that can be encoded.
    const LEVELS: usize = 1_000;

    /// Runs a function in a thread with a stack of so many bytes.
    fn with_stack(stack: usize, name: &str, run: impl FnOnce() + Send) {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(stack);
            thread.spawn_scoped(scope, run).expect("a thread").join().expect("no panic");
        });
    }

    /// Levels of a shape, of which some are two messages.
    fn deepest(shape: Shape) -> usize {
        if matches!(shape, Shape::Inline | Shape::InlineOneof) { LEVELS / 2 } else { LEVELS }
    }

    /// Encodes the deepest message of a type that can be encoded, and does what derived traits do.
    fn encode<'a, M: Message<'a>>(shape: Shape, arena: &'a Arena) {
        let wire = wire(shape, deepest(shape));
        let options = DecodeOptions::new().recursion_limit(3 * LEVELS as u32);
        let message = &options.decode::<M>(&wire, arena).expect("valid");
        with_stack(THREAD, &format!("{shape:?} {}", std::any::type_name::<M>()), || {
            assert_eq!(message.encoded_len(), wire.len());
            assert_eq!(message.encode_to_vec(), wire);
            assert_eq!(Encoder::new().encode(message), wire);
            assert_eq!(Encoder::new().encode_vectored(message).len(), wire.len());
            assert!(message == std::hint::black_box(message));
            if size_of::<M>() < 1_000 {
                assert!(format!("{message:?}").len() > wire.len());
            }
        });
    }

    #[test]
    fn encode_fits_in_the_stack_of_a_thread() {
        // Where the messages are decoded, a level takes more.
        with_stack(256 << 20, "decode", || {
            for shape in SHAPES {
                encode::<deep::Small<'_>>(shape, &Arena::new());
                encode::<deep_small::Small<'_>>(shape, &Arena::new());
                if matches!(shape, Shape::InlineOneof) {
                    encode::<held::Held<'_>>(shape, &Arena::new());
                    encode::<held_small::Held<'_>>(shape, &Arena::new());
                } else {
                    encode::<deep::Large<'_>>(shape, &Arena::new());
                    encode::<deep_small::Large<'_>>(shape, &Arena::new());
                }
            }
        });
    }

    #[test]
    fn encode_of_dynamic_messages_fits_in_the_stack_of_a_thread() {
        with_stack(256 << 20, "decode", || {
            let mut pool = DescriptorPool::new();
            pool.add_encoded(include_bytes!(concat!(env!("OUT_DIR"), "/deep.bin"))).expect("valid");
            let ty = pool.message("deep.Small").expect("it is there");
            for shape in SHAPES {
                let (arena, wire) = (Arena::new(), wire(shape, deepest(shape)));
                let options = DecodeOptions::new().recursion_limit(3 * LEVELS as u32);
                let message = DynamicMessage::decode_with(ty, &wire, &options, &arena).expect("valid");
                with_stack(THREAD, &format!("{shape:?}"), || {
                    assert_eq!(message.encoded_len(), wire.len());
                    assert_eq!(message.encode_to_vec(), wire);
                });
            }
        });
    }

    #[test]
    fn structs_are_large() {
        for size in [size_of::<deep::Large<'_>>(), size_of::<deep_small::Large<'_>>()] {
            assert!((50_000..60_000).contains(&size), "{size}");
        }
    }

    #[test]
    fn decode_fits_in_the_stack_of_a_thread() {
        for case in cases() {
            let thread = std::thread::Builder::new().name(case.to_string()).stack_size(THREAD);
            let levels = thread.spawn(move || case.levels()).expect("a thread").join().expect("no panic");
            assert!((49..=100).contains(&levels), "{case}: {levels}");
        }
    }
}
