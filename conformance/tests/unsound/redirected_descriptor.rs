//! `crate = ".."` leads to a module that describes another message. Reflection would read numbers as addresses.

mod other {
    pub use defiant::*;

    pub mod __private {
        use core::marker::PhantomData;

        pub use defiant::__private::*;

        /// Describes whatever it is asked for as the fields of a string.
        pub struct DescriptorOf<M>(PhantomData<fn() -> M>);

        impl<M> DescriptorOf<M> {
            pub const unsafe fn new<F, O>(_: &M, _: &F, _: &[FieldOf<M>], _: &O, _: &[u16]) -> Self {
                DescriptorOf(PhantomData)
            }
        }

        pub struct Address;

        impl Address {
            pub const fn of<M>(_: &DescriptorOf<M>) -> defiant::__private::Address<super::super::Number<'static>> {
                panic!()
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, defiant::Message)] //~ E0107 E0282
#[defiant(crate = "self::other")]
struct Number<'arena> {
    #[defiant(uint64, tag = 1)]
    value: u64,
    #[defiant(unknown)]
    unknown_fields: defiant::UnknownFields<'arena>,
}

fn main() {}
