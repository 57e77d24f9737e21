//! `crate = ".."` leads to a module whose reader keeps what it reads, which the decode may still move or free.

mod other {
    pub use defiant::*;

    pub mod __private {
        pub use defiant::__private::*;

        pub struct Reader<'r, 'arena>(&'r mut defiant::__private::Reader<'r, 'arena>);

        impl<'arena> Reader<'_, 'arena> {
            pub fn read_implicit_string(&mut self, _: &mut &'arena str) -> Result<(), Fault> {
                unreachable!("it would keep what it reads")
            }

            pub fn other_long(&mut self, _: &mut UnknownFields<'arena>, _: &mut u64) -> Result<(), Fault> {
                unreachable!()
            }

            pub fn other_short(&mut self, _: &mut UnknownFields<'arena>, _: u64) -> Result<(), Fault> {
                unreachable!()
            }
        }

        use defiant::UnknownFields;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, defiant::Message)] //~ E0053
#[defiant(crate = "self::other")]
struct Text<'arena> {
    #[defiant(string, tag = 1)]
    value: &'arena str,
    #[defiant(unknown)]
    unknown_fields: defiant::UnknownFields<'arena>,
}

fn main() {}
