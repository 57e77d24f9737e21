//! Generates the Rust source of [Defiant](https://docs.rs/defiant) messages from `.proto` files, in a build script.
//!
//! There is nothing to install: the official protobuf compiler comes along (feature `vendored-protoc`, on by
//! default). [`Config::protoc_executable`] or the environment variable `PROTOC` names another one,
//! [`Config::compile_fds`] takes ready-made descriptors, and the feature `protox` adds a compiler written in Rust,
//! `Config::protox`.
//!
//! ```toml
//! [dependencies]
//! defiant = "0.1"
//!
//! [build-dependencies]
//! defiant-build = "0.1"
//! ```
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), defiant_build::Error> {
//!     defiant_build::compile_protos(&["proto/tutorial.proto"], &["proto"])
//! }
//! ```
//!
//! Each package becomes one file in `OUT_DIR`, named after it: `tutorial.rs`, or `_.rs` without a package. Include
//! it where its types are to be:
//!
//! ```text
//! pub mod tutorial {
//!     include!(concat!(env!("OUT_DIR"), "/tutorial.rs"));
//! }
//! ```
//!
//! What a program does not use of it draws the warnings that code written by hand draws: `#[allow(dead_code)]` before `mod`
//! silences them.
//!
//! [`Config`] has the options: attributes, types from elsewhere, messages held inline, decoded lazily or optimized for code
//! size, a file that includes all
//! others ([`Config::include_file`]), ready-made descriptor sets ([`Config::compile_fds`]).
//!
//! The same generator is a plugin of `protoc` and of buf, see [`plugin`].
//!
//! # What is generated
//!
//! Structs and enums with derives and attributes, as one would write them by hand, with the comments of the `.proto`
//! file. What has no comment gets a line that names it, so a crate that denies `missing_docs` compiles.
//!
//! | `.proto` | Rust |
//! |---|---|
//! | `message Person` | `pub struct Person<'arena>`, its nested types in `pub mod person` |
//! | `string name = 1;` (implicit presence) | `pub name: &'arena str` |
//! | `int32 id = 2;` (explicit presence) | `pub id: Option<i32>`, with `person.id()` for the value or its default |
//! | `bytes key = 3;` (required) | `pub key: &'arena [u8]` |
//! | `Point home = 4;` | `pub home: Option<&'arena Point<'arena>>` |
//! | `repeated Point route = 5;` | `pub route: &'arena [Point<'arena>]` |
//! | `map<string, int32> counts = 6;` | `pub counts: defiant::Map<'arena, &'arena str, i32>` |
//! | `oneof contact { .. }` | `pub contact: Option<person::Contact<'arena>>`, an enum |
//! | `enum Color` (open) | `pub struct Color(pub i32)` with constants `Color::Red` |
//! | `enum Color` (closed) | `pub enum Color` |
//! | `extend Person { int32 age = 100; }` | `pub const AGE: defiant::Extension<Person<'static>, Optional<Int32>>` |
//!
//! Fields are `snake_case`, types and variants `UpperCamelCase`, extensions `SHOUTY_SNAKE_CASE`, enum values lose the name of their enum. Keywords
//! become `r#type`, or `self_` where there is no such thing. What would have the same name twice gets an underscore.
//!
//! # Editions
//!
//! Presence, openness of enums, packing and delimited encoding follow the resolved
//! [features](https://protobuf.dev/editions/features/) of a field or enum, as its file, the message or oneof around it
//! and its own options set them. proto2 and proto3 are presets of the same features: `optional` of proto3 and any
//! singular field of proto2 have explicit presence, `required` is `LEGACY_REQUIRED`, a group is a delimited message,
//! proto2 has closed enums and proto3 open ones. Of the editions there are 2023 and 2024; a later one is an error that
//! says so. What a file imports for its options alone (`import option`) is not generated.
//!
//! # Code size
//!
//! `option optimize_for = CODE_SIZE;` in a file makes its messages share the code that decodes and encodes them, see
//! [`defiant`](https://docs.rs/defiant/*/defiant/#code-size) and [`Config::optimize_for`], which says it for single
//! messages. `SPEED` is the default, and `LITE_RUNTIME` the same as that.
//!
//! # What is not
//!
//! - Services are skipped, unless there is a [`ServiceGenerator`] for them: [`ServiceTraits`] for servers of
//!   [`defiant-grpc`](https://docs.rs/defiant-grpc), the crate `defiant-tonic-build` for tonic, or one of your own.
//! - An extension is a constant in the module of what declares it, a package or a message; its value stays in the
//!   unknown fields until it is asked for. One that extends a message of `descriptor.proto`, a custom option, is there
//!   when `defiant` has the feature `descriptor`, which a field that holds such a message asks for, too.
//! - A `&str` is UTF-8, with `utf8_validation = NONE` (the default of proto2) too: a string that is not goes to the
//!   unknown fields then, and fails the decode otherwise.
//! - The types of the well-known files (`google/protobuf/*.proto`) come from `defiant::wkt`, unless
//!   [`Config::compile_well_known_types`] is set.

mod config;
mod emit;
mod error;
mod generate;
pub mod plugin;
mod schema;
mod service;
mod service_traits;
mod source;

use std::path::Path;

pub use config::{Config, OptimizeFor};
pub use error::{Diagnostic, Error};
pub use service::{Comments, Method, Service, ServiceGenerator};
pub use service_traits::ServiceTraits;

/// Generates code for the given files, and all they import, into the `OUT_DIR` of the build script.
///
/// `includes` are the directories where the files and their imports are looked for. This is
/// [`Config::compile_protos`] with every option at its default.
///
/// ```no_run
/// # fn main() -> Result<(), defiant_build::Error> {
/// defiant_build::compile_protos(&["proto/person.proto", "proto/search.proto"], &["proto"])?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`Config::compile_protos`].
pub fn compile_protos(protos: &[impl AsRef<Path>], includes: &[impl AsRef<Path>]) -> Result<(), Error> {
    Config::new().compile_protos(protos, includes)
}
