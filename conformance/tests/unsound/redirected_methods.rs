//! A trait in scope does not replace the methods of the runtime's reader: this one compiles, and its methods are not called.

mod other {
    pub use defiant::*;

    pub mod __private {
        pub use defiant::__private::*;
    }
}

trait Keeps<'arena> {
    fn read_implicit_string(&mut self, _: &mut &'arena str) -> Result<(), defiant::__private::Fault> {
        unreachable!("an inherent method comes first")
    }
}

impl<'arena> Keeps<'arena> for defiant::__private::Reader<'_, 'arena> {}

#[derive(Clone, Copy, Debug, PartialEq, defiant::Message)]
#[defiant(crate = "self::other")]
struct Text<'arena> {
    #[defiant(string, tag = 1)]
    value: &'arena str,
    #[defiant(unknown)]
    unknown_fields: defiant::UnknownFields<'arena>,
}

fn main() {
    let arena = defiant::Arena::new();
    let text = <Text<'_> as defiant::Message<'_>>::decode(b"\x0a\x02hi", &arena).expect("valid");
    assert_eq!(text.value, "hi");
}
