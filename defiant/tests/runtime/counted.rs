//! Fields that are counted together, in groups of every size, against the bytes that are written.

use defiant::Message;
use proptest::prelude::*;

/// A message of `bool`s, and of fields of fixed width, with these numbers.
macro_rules! message {
    ($name:ident: $($bool:ident $number:literal $optional:ident $further:literal $far:ident $distant:literal)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Message)]
        #[defiant(name = "t.Counted")]
        struct $name<'arena> {
            #[defiant(string, tag = 1)]
            name: &'arena str,
            $(
                #[defiant(bool, tag = $number)]
                $bool: bool,
                #[defiant(bool, optional, tag = $further)]
                $optional: Option<bool>,
                #[defiant(double, tag = $distant)]
                $far: f64,
            )*
            #[defiant(fixed32, optional, tag = 500)]
            one: Option<u32>,
            #[defiant(fixed32, optional, tag = 501)]
            two: Option<u32>,
            #[defiant(fixed32, optional, tag = 9)]
            near: Option<u32>,
            #[defiant(sfixed64, tag = 502)]
            three: i64,
            #[defiant(sfixed64, tag = 503)]
            four: i64,
            #[defiant(unknown)]
            unknown_fields: defiant::UnknownFields<'arena>,
        }

        impl $name<'_> {
            /// With fields set as the bits say.
            fn random(bits: u64) -> Self {
                let mut left = bits;
                let mut bit = || {
                    left = left.rotate_right(1);
                    left >> 63 == 1
                };
                let mut message = Self::default();
                $(
                    message.$bool = bit();
                    message.$optional = bit().then(&mut bit);
                    message.$far = if bit() { -0.0 } else { 0.0 };
                )*
                message.one = bit().then_some(0);
                message.two = bit().then_some(7);
                message.near = bit().then_some(1);
                message.three = i64::from(bit());
                message.four = -i64::from(bit());
                message
            }
        }
    };
}

message!(Three: a 2 oa 16 fa 1000 b 3 ob 17 fb 1001 c 4 oc 18 fc 1002);
message!(Four: a 2 oa 6 fa 1000 b 3 ob 17 fb 1001 c 4 oc 18 fc 1002 d 5 od 3000 fd 1003);
message!(Six: a 2 oa 6 fa 7 b 3 ob 17 fb 1001 c 4 oc 18 fc 1002 d 15 od 3000 fd 1003 e 16 oe 3001 fe 2047 f 20 of 3002 ff 2048);
message!(Seven: a 2 oa 6 fa 7 b 3 ob 17 fb 1001 c 4 oc 18 fc 1002 d 15 od 3000 fd 1003 e 16 oe 3001 fe 2047 f 20 of 3002
    ff 2048 g 21 og 3003 fg 2049);
message!(Eight: a 2 oa 6 fa 7 b 3 ob 17 fb 1001 c 4 oc 18 fc 1002 d 15 od 3000 fd 1003 e 16 oe 3001 fe 2047 f 20 of 3002
    ff 2048 g 21 og 3003 fg 2049 h 536870911 oh 536870910 fh 536870909);
message!(Ten: a 2 oa 6 fa 7 b 3 ob 17 fb 1001 c 4 oc 18 fc 1002 d 15 od 3000 fd 1003 e 16 oe 3001 fe 2047 f 20 of 3002
    ff 2048 g 21 og 3003 fg 2049 h 536870911 oh 536870910 fh 536870909 i 2097151 oi 2097152 fi 2097153
    j 262144 oj 262145 fj 262143);
message!(Eleven: a 2 oa 6 fa 7 b 3 ob 17 fb 1001 c 4 oc 18 fc 1002 d 15 od 3000 fd 1003 e 16 oe 3001 fe 2047 f 20 of 3002
    ff 2048 g 21 og 3003 fg 2049 h 536870911 oh 536870910 fh 536870909 i 2097151 oi 2097152 fi 2097153
    j 262144 oj 262145 fj 262143 k 100 ok 101 fk 102);

#[track_caller]
fn check<'a>(message: &impl Message<'a>) {
    assert_eq!(message.encoded_len(), message.encode_to_vec().len());
}

/// With `bits`, and with nothing and everything.
macro_rules! check {
    ($bits:expr; $($name:ident)*) => {
        for bits in [$bits, 0, u64::MAX] {
            $(check(&$name::random(bits));)*
        }
    };
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn as_many_as_are_written(bits: u64) {
        check!(bits; Three Four Six Seven Eight Ten Eleven);
    }
}

#[test]
fn each_alone() {
    for bit in 0..64 {
        check!(1 << bit; Three Four Six Seven Eight Ten Eleven);
    }
}
