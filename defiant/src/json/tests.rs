//! Extensions, for which no registry of types is needed here.

use std::string::ToString;

use super::*;
use crate::UnknownFields;
use crate::reflect::{ExtensionType, MessageType, Resolver};

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.Host")]
struct Host<'arena> {
    #[defiant(int32, tag = 1)]
    own: i32,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.NumberHolder")]
struct NumberHolder<'arena> {
    #[defiant(int64, optional, tag = 100)]
    number: Option<i64>,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

#[derive(Clone, Copy, Debug, PartialEq, defiant_derive::Message)]
#[defiant(crate = "crate", name = "test.HostHolder")]
struct HostHolder<'arena> {
    #[defiant(message, repeated, tag = 90)]
    hosts: &'arena [Host<'arena>],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// Knows two extensions.
struct Two;

impl Two {
    fn find(host: &str, is: impl Fn(&ExtensionType<'_>) -> bool) -> Option<ExtensionType<'static>> {
        let two = [
            ("test.number", MessageType::of::<NumberHolder<'static>>()),
            ("test.hosts", MessageType::of::<HostHolder<'static>>()),
        ];
        let two = two.map(|(name, holder)| ExtensionType { name, host: "test.Host", holder });
        two.into_iter().find(|extension| extension.extendee() == host && is(extension))
    }
}

impl Resolver for Two {
    fn message(&self, _: &str) -> Option<MessageType<'_>> {
        None
    }

    fn extension(&self, host: &str, full_name: &str) -> Option<ExtensionType<'_>> {
        Self::find(host, |extension| extension.full_name() == full_name)
    }

    fn extension_by_number(&self, host: &str, number: u32) -> Option<ExtensionType<'_>> {
        Self::find(host, |extension| extension.field().number() == number)
    }
}

#[test]
fn extensions_are_read_and_written() {
    let arena = Arena::new();
    let (read, write) = (DecodeOptions::new().resolver(&Two), EncodeOptions::new().resolver(&Two));
    let text = r#"{"own":1,"[test.hosts]":[{"own":2,"[test.number]":"3"},{}],"[test.number]":"-4"}"#;
    let host: Host<'_> = read.decode(text, &arena).expect("valid");
    assert_eq!(write.encode(&host).expect("valid"), text);
    let pretty = write.pretty(true).encode_in(&host, &arena).expect("valid");
    assert!(pretty.contains("\n  \"[test.hosts]\": [\n    {\n      \"own\": 2,"), "{pretty}");
    assert_eq!(write.encode(&read.decode::<Host<'_>>(pretty, &arena).expect("valid")).expect("valid"), text);
    // Others are not found, and so not written.
    assert_eq!(encode(&host).expect("valid"), r#"{"own":1}"#);
    // Records that are apart are one value.
    let apart = Host::decode(&[0xa0, 6, 1, 0xd2, 5, 0, 0xa0, 6, 2, 0xd2, 5, 2, 8, 7], &arena).expect("valid");
    let expected = r#"{"[test.hosts]":[{},{"own":7}],"[test.number]":"2"}"#;
    assert_eq!(write.encode(&apart).expect("valid"), expected);
    let null: Host<'_> = read.decode(r#"{"[test.number]":null,"[test.hosts]":[]}"#, &arena).expect("valid");
    assert_eq!(null, Host::default());
}

#[test]
fn extensions_that_are_no_good() {
    let arena = Arena::new();
    let read = DecodeOptions::new().resolver(&Two);
    for (text, reason) in [
        (
            r#"{"[test.number]":1,"[test.number]":1}"#,
            "Host.[test.number]: the extension is there twice at line 1, column 20",
        ),
        (r#"{"[test.number]":true}"#, "Host.[test.number]: expected an integer of 64 bits at line 1, column 18"),
        (
            r#"{"[test.hosts]":[{"own":""}]}"#,
            "Host.[test.hosts]: Host.own: expected an integer of 32 bits at line 1, column 25",
        ),
        (r#"{"[test.none]":1}"#, "unknown field \"Host.[test.none]\" at line 1, column 2"),
    ] {
        assert_eq!(read.decode::<Host<'_>>(text, &arena).expect_err("invalid").to_string(), reason);
    }
    assert!(decode::<Host<'_>>(r#"{"[test.number]":1}"#, &arena).expect_err("no resolver").is_unknown_field());
    let broken = Host::decode(&[0xd2, 5, 1, 8], &arena).expect("unknown fields are not looked into");
    let error = EncodeOptions::new().resolver(&Two).encode(&broken).expect_err("truncated");
    assert!(error.is_invalid_value() && error.path() == "Host.[test.hosts]", "{error}");
}
