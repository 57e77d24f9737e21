//! The golden cases: what is compiled, with which options.

use std::fmt::Write as _;

use defiant_build::{Config, Method, OptimizeFor, Service, ServiceGenerator, ServiceTraits};

/// One call of the generator; what it writes is kept in `tests/golden/<name>/`.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Files in `tests/golden/`, without `.proto`.
    pub(crate) protos: &'static [&'static str],
    pub(crate) configure: fn(&mut Config),
    /// What the strict crate needs beside the generated code.
    pub(crate) by_hand: &'static str,
}

const PLAIN: Case = Case { name: "", protos: &[], configure: |_| {}, by_hand: "" };

pub(crate) const CASES: &[Case] = &[
    Case { name: "proto2", protos: &["proto2"], ..PLAIN },
    Case { name: "proto3", protos: &["proto3"], ..PLAIN },
    Case { name: "edition2023", protos: &["edition2023"], ..PLAIN },
    Case { name: "edition2024", protos: &["edition2024"], ..PLAIN },
    Case { name: "extensions", protos: &["extensions"], ..PLAIN },
    Case { name: "comments", protos: &["comments", "comments_nasty"], ..PLAIN },
    Case { name: "two", protos: &["two_a"], ..PLAIN },
    Case { name: "keywords", protos: &["keywords", "keywords_all"], ..PLAIN },
    Case { name: "collisions", protos: &["collisions", "collisions_inner", "collisions_module"], ..PLAIN },
    Case { name: "types", protos: &["types", "closed"], ..PLAIN },
    Case { name: "accessors", protos: &["accessors"], ..PLAIN },
    Case {
        name: "lints",
        protos: &["lints"],
        // What a crate keeps for itself is looked at more closely.
        by_hand: "#[allow(dead_code, unreachable_pub)]\nmod kept {\n    ::core::include!(\"lints/protos.rs\");\n}\n",
        ..PLAIN
    },
    Case {
        name: "registry",
        protos: &["extensions", "deprecated", "packages_a", "packages_twin", "services_types"],
        configure: |config| {
            config.registry();
        },
        ..PLAIN
    },
    Case {
        name: "optimize_for",
        protos: &["code_size", "speed"],
        configure: |config| {
            config
                .optimize_for("code_size.Leaf", OptimizeFor::Speed)
                .optimize_for(".golden.speed.Small", OptimizeFor::CodeSize)
                .optimize_for("Fast", OptimizeFor::Speed);
        },
        ..PLAIN
    },
    Case { name: "recursion", protos: &["recursion"], ..PLAIN },
    Case { name: "packages", protos: &["packages_a", "packages_twin", "packages_core", "lower"], ..PLAIN },
    Case { name: "deprecated", protos: &["deprecated", "deprecated_open"], by_hand: DEPRECATED, ..PLAIN },
    Case {
        name: "services",
        protos: &["services"],
        configure: |config| {
            config.service_generator(Box::new(Traits));
        },
        ..PLAIN
    },
    Case {
        name: "service_traits",
        protos: &["services"],
        configure: |config| {
            config.service_generator(Box::new(
                ServiceTraits::new()
                    .crate_path("crate::grpc")
                    .with_call("Search.Watch")
                    .with_call(".golden.services.Search.self"),
            ));
        },
        by_hand: GRPC,
    },
    Case {
        name: "service_collisions",
        protos: &["service_collisions", "service_collisions_more", "service_collisions_inner"],
        configure: |config| {
            config.service_generator(Box::new(ServiceTraits::new().crate_path("crate::grpc")));
        },
        ..PLAIN
    },
    Case {
        name: "lazy",
        protos: &["lazy"],
        configure: |config| {
            config.lazy(".golden.lazy.Envelope.draft").lazy("Envelope.drafts");
        },
        ..PLAIN
    },
    Case {
        name: "options",
        protos: &["options"],
        configure: |config| {
            config
                .type_attribute(".golden.options", "#[doc(alias = \"type\")]")
                .message_attribute("Point", "#[doc(alias = \"message\")]")
                .enum_attribute("Color", "#[doc(alias = \"enum\")]")
                .oneof_attribute("choice", "#[doc = \"One.\"]\n#[doc = \"Two.\"]")
                .field_attribute("Options.text", "#[doc(alias = \"field\")]")
                .field_attribute("COLOR_RED", "#[doc(alias = \"value\")]")
                .field_attribute("phone", "#[doc(alias = \"member\")]")
                .extern_path(".golden.elsewhere", "crate::elsewhere")
                .inline("Options.home")
                .disable_comments([".golden.options.Options.choice"])
                .skip_debug([".golden.options.Secret"])
                .enable_type_names()
                .type_name_domain([".golden.options.Point", ".golden.options.Secret"], "types.example.com")
                .retain_enum_prefix()
                .embed_file_descriptor_set();
        },
        by_hand: r#"
/// By hand.
pub mod elsewhere {
    /// By hand.
    #[derive(Clone, Copy, Debug, PartialEq, ::runtime::Message)]
    #[defiant(name = "golden.elsewhere.Date", crate = "::runtime")]
    pub struct Date<'arena> {
        /// By hand.
        #[defiant(unknown)]
        pub unknown_fields: ::runtime::UnknownFields<'arena>,
    }
    /// By hand.
    pub mod date {
        /// By hand.
        #[derive(Clone, Copy, PartialEq, Eq, ::runtime::Enumeration)]
        #[defiant(crate = "::runtime", open(Day = 0))]
        pub struct Part(pub i32);
    }
}
const _: () = {
    use case_options::golden::options::{Secret, secret};
    impl ::core::fmt::Debug for Secret<'_> {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str("Secret")
        }
    }
    impl ::core::fmt::Debug for secret::Kind {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str("Kind")
        }
    }
    impl ::core::fmt::Debug for secret::Level {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str("Level")
        }
    }
};
const _: () = ::core::assert!(!case_options::FILE_DESCRIPTOR_SET.is_empty());
"#,
    },
];

/// The generated code does not warn, but its user gets every warning: an expectation that is not met is an error.
const DEPRECATED: &str = r#"
/// By hand.
pub mod uses {
    use crate::case_deprecated::golden::deprecated as d;
    use ::core::default::Default as _;

    /// A message.
    #[expect(deprecated)]
    pub fn message(old: &d::Old<'_>) -> bool {
        old.many.is_empty()
    }
    /// A field.
    #[expect(deprecated)]
    pub fn field(uses: &d::Uses<'_>) -> bool {
        uses.text.is_some()
    }
    /// The accessor of a field.
    #[expect(deprecated)]
    pub fn accessor<'a>(uses: &'a d::Uses<'_>) -> &'a str {
        uses.text()
    }
    /// An enum.
    #[expect(deprecated)]
    pub fn item() -> d::OldKind {
        ::core::default::Default::default()
    }
    /// A value of a closed enum.
    #[expect(deprecated)]
    pub fn value() -> d::Kind {
        d::Kind::Old
    }
    /// An alias.
    #[expect(deprecated)]
    pub fn alias() -> d::Kind {
        d::Kind::Alias
    }
    /// A value of an open enum.
    #[expect(deprecated)]
    pub fn open() -> i32 {
        d::open::Open::Zero.0
    }
    /// A member of a oneof.
    #[expect(deprecated)]
    pub fn member(choice: d::uses::Choice<'_>) -> bool {
        ::core::matches!(choice, d::uses::Choice::A(_))
    }
    /// What is not deprecated does not warn.
    pub fn fine() -> d::Kind {
        let uses = d::Defaults::default();
        uses.kind()
    }
}
"#;

/// What service traits refer to, as `defiant-grpc` has it, without a server.
const GRPC: &str = r#"
/// By hand.
pub mod grpc {
    use ::core::marker::PhantomData;
    use ::core::result::Result;
    use ::runtime::extension::MessageFamily;
    pub use ::runtime::Arena;

    /// How a call ends.
    #[derive(Clone, Copy, Debug)]
    pub struct Status;
    impl Status {
        /// Of a method that is not there.
        pub fn unknown_method(_: &str, _: &str) -> Self {
            Status
        }
    }
    /// A call.
    #[derive(Debug)]
    pub struct Call(Arena);
    impl ::core::ops::Deref for Call {
        type Target = Arena;
        fn deref(&self) -> &Arena {
            &self.0
        }
    }
    /// What comes in.
    #[derive(Clone, Copy, Debug)]
    pub struct Requests<M>(PhantomData<M>);
    impl<M: MessageFamily> Requests<M> {
        /// The only one.
        pub async fn only<'a>(&mut self, _: &'a Arena) -> Result<M::In<'a>, Status> {
            Result::Err(Status)
        }
    }
    /// What goes out.
    #[derive(Clone, Copy, Debug)]
    pub struct Replies<M>(PhantomData<M>);
    impl<M: MessageFamily> Replies<M> {
        /// Another one.
        pub async fn send(&self, _: &M::In<'_>) -> Result<(), Status> {
            Result::Ok(())
        }
    }
    /// What a call is made of.
    #[derive(Clone, Copy, Debug)]
    pub struct Exchange;
    impl Exchange {
        /// Its parts.
        pub fn open<I, O>(self) -> (Call, Requests<I>, Replies<O>) {
            (Call(Arena::new()), Requests(PhantomData), Replies(PhantomData))
        }
    }
    /// A service.
    #[allow(async_fn_in_trait)]
    pub trait Service {
        /// Whether it is it.
        fn has(&self, service: &str) -> bool;
        /// Calls a method.
        async fn call(&self, service: &str, method: &str, exchange: Exchange) -> Result<(), Status>;
    }
}
"#;

/// Writes a trait for each service, and a constant for each package.
struct Traits;

impl ServiceGenerator for Traits {
    fn generate(&mut self, service: Service, buf: &mut String) {
        service.comments.append_with_indent(0, buf);
        if service.comments.rustdoc().is_empty() {
            writeln!(buf, "/// The service `{}`.", service.proto_name).unwrap();
        }
        for detached in &service.comments.leading_detached {
            writeln!(buf, "// Detached:{}", detached.join("|")).unwrap();
        }
        if service.deprecated {
            buf.push_str("#[deprecated]\n");
        }
        writeln!(buf, "pub trait {} {{", service.name).unwrap();
        service.methods.iter().for_each(|method| Self::method(&service, method, buf));
        buf.push_str("}\n");
    }

    fn finalize(&mut self, buf: &mut String) {
        buf.push_str("// The end of a file.\n");
    }

    fn finalize_package(&mut self, package: &str, buf: &mut String) {
        writeln!(buf, "/// The package.\npub const PACKAGE: &str = {package:?};").unwrap();
    }
}

impl Traits {
    fn method(service: &Service, method: &Method, buf: &mut String) {
        let path = format!("/{}.{}/{}", service.package, service.proto_name, method.proto_name);
        writeln!(buf, "    /// `{path}`, from `{}` to `{}`.", method.input_proto_type, method.output_proto_type)
            .unwrap();
        if !method.comments.rustdoc().is_empty() {
            buf.push_str("    ///\n");
        }
        method.comments.append_with_indent(1, buf);
        if method.deprecated {
            buf.push_str("    #[deprecated]\n");
        }
        let stream =
            |streams: bool, type_: &str| if streams { format!("&[{type_}<'_>]") } else { format!("{type_}<'_>") };
        let input = stream(method.client_streaming, &method.input_type);
        let output = stream(method.server_streaming, &method.output_type);
        writeln!(
            buf,
            "    fn {}(&self, request: {input}, respond: &mut dyn ::core::ops::FnMut({output}));",
            method.name
        )
        .unwrap();
    }
}
