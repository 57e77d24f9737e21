//! A long chain of messages, each of which refers to the next.

use defiant::Message;

/// Links, each with a field and a oneof that hold the next one. A compiler that looks through them one after the other
/// for what is `Send` gives up before the end.
macro_rules! chain {
    ($last:ident) => {
        mod $last {
            use defiant::{Message, UnknownFields};

            #[derive(Clone, Copy, Debug, PartialEq, Message)]
            pub(super) struct Link<'arena> {
                #[defiant(unknown)]
                pub(super) unknown_fields: UnknownFields<'arena>,
            }
        }
    };
    ($link:ident $next:ident $($rest:ident)*) => {
        mod $link {
            use defiant::{Message, Oneof, UnknownFields};

            use super::$next::Link as Next;

            #[derive(Clone, Copy, Debug, PartialEq, Message)]
            pub(super) struct Link<'arena> {
                #[defiant(message, optional, tag = 1)]
                pub(super) next: Option<&'arena Next<'arena>>,
                #[defiant(oneof = "Choice", tags = "2")]
                pub(super) choice: Option<Choice<'arena>>,
                #[defiant(unknown)]
                pub(super) unknown_fields: UnknownFields<'arena>,
            }

            #[derive(Clone, Copy, Debug, PartialEq, Oneof)]
            pub(super) enum Choice<'arena> {
                #[defiant(message, tag = 2)]
                Next(&'arena Next<'arena>),
            }
        }

        chain!($next $($rest)*);
    };
}

chain! {
    m0 m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11 m12 m13 m14 m15 m16 m17 m18 m19 m20 m21 m22 m23 m24 m25 m26 m27 m28
    m29 m30 m31 m32 m33 m34 m35 m36 m37 m38 m39 m40 m41 m42 m43 m44 m45 m46 m47 m48 m49
}

#[test]
fn all_of_it_may_go_to_another_thread() {
    fn elsewhere<'arena, T: Message<'arena>>(message: T) -> Vec<u8> {
        std::thread::scope(|scope| scope.spawn(move || message.encode_to_vec()).join()).expect("no panic")
    }
    let (next, end) = (m1::Link::default(), m49::Link::default());
    let first = m0::Link { next: Some(&next), choice: Some(m0::Choice::Next(&next)), ..m0::Link::default() };
    assert_eq!((elsewhere(first), elsewhere(end)), (vec![0x0a, 0, 0x12, 0], vec![]));
}
