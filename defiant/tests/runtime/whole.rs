//! Messages of a few fields of fixed width, which are read at once where they are complete, in every place a message has.

use defiant::{Arena, Map, Message, Oneof, UnknownFields};
use proptest::collection::vec;
use proptest::prelude::*;

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Point")]
    pub(crate) struct Point<'arena> {
        #[defiant(float, tag = 1)]
        pub x: f32,
        #[defiant(fixed32, tag = 2)]
        pub y: u32,
        #[defiant(sfixed32, optional, tag = 3)]
        pub z: Option<i32>,
        #[defiant(unknown)]
        pub unknown_fields: UnknownFields<'arena>,
    }

    /// Not declared in the order of the numbers.
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Span")]
    pub(crate) struct Span<'arena> {
        #[defiant(double, tag = 300)]
        pub end: f64,
        #[defiant(sfixed64, optional, tag = 16)]
        pub begin: Option<i64>,
        #[defiant(fixed64, tag = 536870911)]
        pub far: u64,
        #[defiant(unknown)]
        pub unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    #[defiant(name = "t.Shape")]
    pub(crate) struct Shape<'arena> {
        #[defiant(message, tag = 1)]
        pub point: Option<&'arena Point<'arena>>,
        #[defiant(message, inline, tag = 2)]
        pub inline: Option<Point<'arena>>,
        #[defiant(message, repeated, tag = 3)]
        pub points: &'arena [Point<'arena>],
        #[defiant(group, tag = 4)]
        pub group: Option<&'arena Point<'arena>>,
        #[defiant(group, repeated, tag = 5)]
        pub groups: &'arena [Point<'arena>],
        #[defiant(map = "int32, message", tag = 6)]
        pub map: Map<'arena, i32, Point<'arena>>,
        #[defiant(oneof = "Choice", tags = "7, 8")]
        pub choice: Option<Choice<'arena>>,
        #[defiant(message, tag = 9)]
        pub span: Option<&'arena Span<'arena>>,
        #[defiant(message, repeated, tag = 10)]
        pub spans: &'arena [Span<'arena>],
        #[defiant(unknown)]
        pub unknown_fields: UnknownFields<'arena>,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Oneof)]
pub(crate) enum Choice<'arena> {
    #[defiant(message, tag = 7)]
    Point(&'arena Point<'arena>),
    #[defiant(message, tag = 8)]
    Span(&'arena Span<'arena>),
}

/// The bytes of a point, and of a span.
const POINT: [u8; 15] = [0x0d, 0, 0, 0x80, 0xbf, 0x15, 7, 0, 0, 0, 0x1d, 0xfe, 0xff, 0xff, 0xff];
const SPAN: [u8; 31] = [
    0x81, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xe1, 0x12, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0xf9, 0xff,
    0xff, 0xff, 0x0f, 5, 0, 0, 0, 0, 0,
];

/// A field behind its length.
fn delimited(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, content.len() as u8], content].concat()
}

/// Points, or spans, complete or not, in any fields.
pub(crate) fn wire() -> impl Strategy<Value = Vec<u8>> {
    let point = prop_oneof![
        4 => any::<[u8; 4]>().prop_map(|x| [&POINT[..1], &x, &POINT[5..]].concat()),
        1 => Just(POINT[5..].to_vec()),
        1 => Just([&POINT[5..], &POINT[..5]].concat()),
        1 => Just([&POINT[..5], &POINT[..10]].concat()),
        1 => Just([&POINT[..], &[0x20, 1]].concat()),
        1 => Just(vec![0x0d; 15]),
        1 => Just(vec![]),
    ];
    let span = [&SPAN[..], &[0, 0]].concat();
    let span = prop_oneof![
        4 => Just(span.clone()),
        1 => Just(span[10..].to_vec()),
        1 => Just([&span[10..20], &span[..10], &span[20..]].concat()),
    ];
    let field = prop_oneof![
        4 => (prop_oneof![Just(1u8), Just(2), Just(3), Just(7)], point.clone()).prop_map(|(number, point)| delimited(number, &point)),
        1 => point.clone().prop_map(|point| [&[0x23], &point[..], &[0x24]].concat()),
        1 => point.clone().prop_map(|point| [&[0x2b], &point[..], &[0x2c]].concat()),
        1 => (0u8..4, point).prop_map(|(key, point)| delimited(6, &[&[8, key], &delimited(2, &point)[..]].concat())),
        2 => (8u8..11, span).prop_map(|(number, span)| delimited(number, &span)),
    ];
    vec(field, 0..12).prop_map(|fields| fields.concat())
}

#[test]
fn values() {
    let arena = Arena::new();
    let point = Point { x: -1.0, y: 7, z: Some(-2), ..Point::default() };
    assert_eq!(Point::decode(&POINT, &arena).unwrap(), point);
    let span = [&SPAN[..], &[0, 0]].concat();
    let expected = Span { begin: Some(-1), end: 1.0, far: 5, ..Span::default() };
    assert_eq!(Span::decode(&span, &arena).unwrap(), expected);
    let wire =
        [delimited(2, &POINT), delimited(3, &POINT), delimited(3, &[]), delimited(8, &span), delimited(9, &span)];
    let wire = wire.concat();
    let shape = Shape::decode(&wire, &arena).unwrap();
    assert_eq!((shape.inline, shape.points), (Some(point), &[point, Point::default()][..]));
    assert_eq!((shape.choice, shape.span), (Some(Choice::Span(&expected)), Some(&expected)));
    assert_eq!(shape.encode_to_vec(), wire);
}

#[test]
fn a_second_occurrence_replaces_what_it_has() {
    let arena = Arena::new();
    let wire = [delimited(1, &[POINT.as_slice(), &[0x20, 1]].concat()), delimited(1, &POINT[5..10])];
    let again = [wire.concat(), delimited(1, &[&[0x0d, 0, 0, 0, 0][..], &POINT[5..]].concat())].concat();
    let shape = Shape::decode(&again, &arena).unwrap();
    let point = shape.point.unwrap();
    assert_eq!((point.x, point.y, point.z), (0.0, 7, Some(-2)));
    assert_eq!(point.unknown_fields.iter().count(), 1);
}
