#![allow(missing_docs)]
use defiant::{Arena, Enumeration, Map, Message, Oneof, UnknownFields};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(transparent)]
#[defiant(name = "t.Color", open(
    /// docs
    Red = 0 "COLOR_RED",
    Green = 1 "COLOR_GREEN",
))]
pub struct Color(pub i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enumeration)]
#[repr(i32)]
#[defiant(name = "t.Kind")]
pub enum Kind { A = 1, B = -2 }

#[derive(Clone, Copy, Debug, PartialEq, Oneof)]
pub enum Payload<'arena> {
    #[defiant(string, tag = 10)]
    Text(&'arena str),
    #[defiant(message, tag = 11)]
    Place(&'arena Point<'arena>),
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "t.Point")]
pub struct Point<'arena> {
    #[defiant(sint32, tag = 1)]
    pub x: i32,
    #[defiant(string, optional, tag = 2)]
    pub label: Option<&'arena str>,
    #[defiant(message, optional, tag = 3)]
    pub next: Option<&'arena Point<'arena>>,
    #[defiant(int32, repeated, tag = 4)]
    pub data: &'arena [i32],
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
#[defiant(name = "t.Person")]
pub struct Person<'arena> {
    #[defiant(string, tag = 1)]
    pub name: &'arena str,
    #[defiant(int32, optional, tag = 2, default = 7)]
    pub id: Option<i32>,
    #[defiant(message, repeated, tag = 6)]
    pub route: &'arena [Point<'arena>],
    #[defiant(group, repeated, tag = 7)]
    pub part: &'arena [Point<'arena>],
    #[defiant(map = "string, int32", tag = 8)]
    pub counts: Map<'arena, &'arena str, i32>,
    #[defiant(enumeration, tag = 9)]
    pub color: Color,
    #[defiant(oneof = "Payload", tags = "10, 11")]
    pub payload: Option<Payload<'arena>>,
    #[defiant(enumeration, repeated, tag = 12)]
    pub kinds: &'arena [Kind],
    #[defiant(message, optional, tag = 13)]
    pub home: Option<&'arena Point<'arena>>,
    #[defiant(map = "int32, message", tag = 14)]
    pub places: Map<'arena, i32, Point<'arena>>,
    #[defiant(unknown)]
    pub unknown_fields: UnknownFields<'arena>,
}

#[test]
fn probe() {
    let arena = Arena::new();
    let p = Point { x: -4, label: Some("hällo"), data: &[1, 2, 300, -1], ..Point::default() };
    let person = Person {
        name: "Ada", id: Some(3), route: &[p, p, Point::default()], part: &[p, p, p, p, p, p, p],
        counts: Map::new(&arena, [("b", 2), ("a", 1)]), color: Color::Green, payload: Some(Payload::Place(&p)),
        kinds: &[Kind::A, Kind::B], home: Some(&Point { next: Some(&p), ..p }), places: Map::new(&arena, [(4, p), (1, p)]),
        ..Person::default()
    };
    let wire = person.encode_to_vec();
    assert_eq!(wire.len(), person.encoded_len());
    assert_eq!(person.encode_in(&arena), wire);
    let back = Person::decode(&wire, &arena).unwrap();
    assert_eq!(back, person);
    let back = Person::decode_borrowed(&wire, &arena).unwrap();
    assert_eq!(back, person);
    for end in 0..wire.len() {
        let a = Person::decode(&wire[..end], &arena).map_err(|e| e.to_string());
        let b = Person::decode_borrowed(&wire[..end], &arena).map_err(|e| e.to_string());
        assert_eq!(a, b);
    }
    let empty = Point::decode(&wire, &arena);
    println!("{empty:?}");
    let mut bad = wire.clone();
    let at = bad.windows(2).position(|w| w == "ä".as_bytes()).unwrap();
    bad[at] = 0xff;
    println!("{}", Person::decode(&bad, &arena).unwrap_err());
    println!("{:?}", back);
}
