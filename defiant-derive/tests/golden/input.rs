//! What the golden file `expansion.rs` is the output of.

#[derive(Clone, Copy, Debug, PartialEq, ::defiant::Message)]
#[defiant(name = "tutorial.Person")]
pub struct Person<'arena> {
    #[defiant(string, tag = 1)]
    pub name: &'arena str,
    #[defiant(int32, optional, tag = 2, default = 7)]
    pub id: ::core::option::Option<i32>,
    #[defiant(string, required, tag = 3)]
    pub email: &'arena str,
    #[defiant(int32, repeated, tag = "4")]
    pub scores: &'arena [i32],
    #[defiant(message, optional, tag = 5)]
    pub home: ::core::option::Option<&'arena Point<'arena>>,
    #[defiant(message, repeated, tag = 6)]
    pub route: &'arena [Point<'arena>],
    #[defiant(group, repeated, tag = 7)]
    pub part: &'arena [person::Part<'arena>],
    #[defiant(map = "string, int32", tag = 8)]
    pub counts: ::defiant::Map<'arena, &'arena str, i32>,
    #[defiant(enumeration, tag = 9)]
    pub color: Color,
    #[defiant(oneof = "person::Payload", tags = "10, 11")]
    pub payload: ::core::option::Option<person::Payload<'arena>>,
    #[defiant(bytes, optional, tag = 12, name = "type", default = b"\x00a")]
    pub r#type: ::core::option::Option<&'arena [u8]>,
    #[defiant(enumeration, required, tag = 13, default = Kind::B)]
    pub kind: Kind,
    #[defiant(message, inline, tag = 15)]
    pub pos: ::core::option::Option<Point<'arena>>,
    #[defiant(message, lazy, tag = 16)]
    pub body: ::core::option::Option<::defiant::Lazy<'arena, Point<'arena>>>,
    #[defiant(message, repeated, lazy, tag = 17)]
    pub rows: &'arena [::defiant::Lazy<'arena, Point<'arena>>],
    #[defiant(unknown)]
    pub unknown_fields: ::defiant::UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, ::defiant::Message)]
pub struct Point<'arena> {
    #[defiant(unknown)]
    pub unknown_fields: ::defiant::UnknownFields<'arena>,
}

pub mod person {
    #[derive(Clone, Copy, Debug, PartialEq, ::defiant::Oneof)]
    pub enum Payload<'arena> {
        #[defiant(string, tag = 10)]
        Text(&'arena str),
        #[defiant(message, tag = 11)]
        Place(&'arena super::Point<'arena>),
    }

    #[derive(Clone, Copy, Debug, PartialEq, ::defiant::Message)]
    #[defiant(name = "tutorial.Person.Part")]
    pub struct Part<'arena> {
        #[defiant(oneof = "Answer", tags = "7")]
        pub answer: ::core::option::Option<Answer>,
        #[defiant(unknown)]
        pub unknown_fields: ::defiant::UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, ::defiant::Oneof)]
    pub enum Answer {
        #[defiant(bool, tag = 7)]
        Yes(bool),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ::defiant::Enumeration)]
#[repr(transparent)]
#[defiant(name = "tutorial.Color", open(
    /// As in roses.
    Red = 0 "COLOR_RED",
    Green = 1 "COLOR_GREEN",
    Rouge = 0 "COLOR_ROUGE",
))]
pub struct Color(pub i32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ::defiant::Enumeration)]
#[repr(i32)]
#[defiant(name = "tutorial.Kind", alias(Alpha = 1 "KIND_ALPHA"))]
pub enum Kind {
    #[defiant(name = "KIND_A")]
    A = 1,
    B = -2,
}

#[derive(Clone, Copy, Debug, PartialEq, ::defiant::Message)]
#[defiant(name = "tutorial.Options", message_set, reserved = "old_name, older_name")]
pub struct Options<'arena> {
    #[defiant(unknown)]
    pub unknown_fields: ::defiant::UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, ::defiant::Message)]
#[defiant(name = "tutorial.Small", optimize_for = "code_size")]
pub struct Small<'arena> {
    #[defiant(string, tag = 1)]
    pub name: &'arena str,
    #[defiant(enumeration, required, tag = 3)]
    pub kind: Kind,
    #[defiant(sint32, required, tag = 9)]
    pub level: i32,
    #[defiant(int32, repeated, packed = false, tag = 4)]
    pub scores: &'arena [i32],
    #[defiant(group, repeated, tag = 5)]
    pub small: &'arena [Small<'arena>],
    #[defiant(map = "string, message", tag = 7)]
    pub points: ::defiant::Map<'arena, &'arena str, Point<'arena>>,
    #[defiant(oneof = "small::Choice", tags = "8, 6")]
    pub choice: ::core::option::Option<small::Choice<'arena>>,
    #[defiant(unknown)]
    pub unknown_fields: ::defiant::UnknownFields<'arena>,
}

pub mod small {
    #[derive(Clone, Copy, Debug, PartialEq, ::defiant::Oneof)]
    #[defiant(optimize_for = "code_size")]
    pub enum Choice<'arena> {
        #[defiant(lenient_string, tag = 6)]
        Text(&'arena str),
        #[defiant(message, tag = 8)]
        Place(&'arena super::Point<'arena>),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, ::defiant::Message)]
#[defiant(name = "tutorial.SmallOptions", message_set, optimize_for = "code_size")]
pub struct SmallOptions<'arena> {
    #[defiant(unknown)]
    pub unknown_fields: ::defiant::UnknownFields<'arena>,
}
