//! The generator as a plugin of the protobuf compiler and of buf: the program `protoc-gen-defiant`.
//!
//! ```text
//! cargo install defiant-build
//! protoc --defiant_out=src/gen --defiant_opt=include_file=mod.rs,inline=home proto/tutorial.proto
//! ```
//!
//! ```yaml
//! # buf.gen.yaml
//! version: v2
//! plugins:
//!   - local: protoc-gen-defiant
//!     out: src/gen
//!     strategy: all
//!     opt:
//!       - include_file=mod.rs
//! ```
//!
//! A package is one file, so all files of a package must come in one run; with buf that takes `strategy: all`. Only the
//! files that are asked for are generated. What they import must be asked for as well, or come from elsewhere
//! (`extern_path`).
//!
//! # Options
//!
//! They are named as in [`Config`]. Several are separated by commas; a comma inside brackets or quotes belongs to its
//! option.
//!
//! | option | |
//! |---|---|
//! | `type_attribute=PATH=ATTRIBUTE` | [`Config::type_attribute`] |
//! | `message_attribute=PATH=ATTRIBUTE` | [`Config::message_attribute`] |
//! | `enum_attribute=PATH=ATTRIBUTE` | [`Config::enum_attribute`] |
//! | `oneof_attribute=PATH=ATTRIBUTE` | [`Config::oneof_attribute`] |
//! | `field_attribute=PATH=ATTRIBUTE` | [`Config::field_attribute`] |
//! | `extern_path=.PATH=RUST_PATH` | [`Config::extern_path`] |
//! | `type_name_domain=PATH=DOMAIN` | [`Config::type_name_domain`] |
//! | `skip_debug=PATH` | [`Config::skip_debug`] |
//! | `inline=PATH` | [`Config::inline`] |
//! | `optimize_for=PATH=CODE_SIZE`, `optimize_for=PATH=SPEED` | [`Config::optimize_for`] |
//! | `lazy=PATH` | [`Config::lazy`] |
//! | `ignore_lazy` | [`Config::ignore_lazy`] |
//! | `disable_comments=PATH`, `disable_comments` for all | [`Config::disable_comments`] |
//! | `compile_well_known_types` | [`Config::compile_well_known_types`] |
//! | `retain_enum_prefix` | [`Config::retain_enum_prefix`] |
//! | `skip_source_info` | [`Config::skip_source_info`] |
//! | `registry` | [`Config::registry`] |
//! | `include_file=NAME` | [`Config::include_file`] |
//! | `default_package_filename=NAME` | [`Config::default_package_filename`] |
//! | `crate_path=RUST_PATH` | [`Config::crate_path`] |
//!
//! Source: <https://protobuf.dev/reference/cpp/api-docs/google.protobuf.compiler.plugin.pb/>,
//! <https://buf.build/docs/configuration/v2/buf-gen-yaml/>.

mod options;

use defiant::wkt::compiler::code_generator_response::{Feature, File};
use defiant::wkt::compiler::{CodeGeneratorRequest, CodeGeneratorResponse};
use defiant::wkt::{Edition, FileDescriptorSet};
use defiant::{Arena, Message as _};

use crate::config::Config;
use crate::error::Error;
use crate::generate;
use crate::schema::{Asked, NEWEST_EDITION, Schema};
use crate::source;

/// Answers a `google.protobuf.compiler.CodeGeneratorRequest` with a `google.protobuf.compiler.CodeGeneratorResponse`,
/// both serialized.
///
/// Files are named as [`Config::compile_protos`] names them. What is wrong with a `.proto` file or an option is said in
/// the answer, for the compiler to show.
///
/// ```
/// use defiant::wkt::compiler::{CodeGeneratorRequest, CodeGeneratorResponse};
/// use defiant::wkt::{DescriptorProto, FileDescriptorProto};
/// use defiant::{Arena, Message};
///
/// let request = CodeGeneratorRequest {
///     file_to_generate: &["tutorial.proto"],
///     proto_file: &[FileDescriptorProto {
///         name: Some("tutorial.proto"),
///         package: Some("tutorial"),
///         message_type: &[DescriptorProto { name: Some("Person"), ..DescriptorProto::default() }],
///         ..FileDescriptorProto::default()
///     }],
///     ..CodeGeneratorRequest::default()
/// };
/// let answer = defiant_build::plugin::respond(&request.encode_to_vec())?;
///
/// let arena = Arena::new();
/// let answer = CodeGeneratorResponse::decode(&answer, &arena)?;
/// assert_eq!(answer.file[0].name(), "tutorial.rs");
/// assert!(answer.file[0].content().contains("pub struct Person<'arena>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When the bytes are no such request ([`Error::is_invalid_descriptor_set`]).
pub fn respond(request: &[u8]) -> Result<Vec<u8>, Error> {
    let arena = Arena::new();
    let request = CodeGeneratorRequest::decode(&source::mend(request, source::REQUEST_FILE), &arena)
        .map_err(|error| Error::invalid_descriptor_set(error.to_string()))?;
    let generated = run(&request);
    let (error, files) = match &generated {
        Ok(files) => (None, files.as_slice()),
        Err(error) => (Some(error.to_string()), [].as_slice()),
    };
    let files: Vec<File<'_>> = files
        .iter()
        .map(|(name, content)| File { name: Some(name), content: Some(content), ..File::default() })
        .collect();
    let response = CodeGeneratorResponse {
        error: error.as_deref(),
        supported_features: Some((Feature::Proto3Optional as u64) | (Feature::SupportsEditions as u64)),
        minimum_edition: Some(Edition::Proto2 as i32),
        maximum_edition: Some(NEWEST_EDITION as i32),
        file: &files,
        ..CodeGeneratorResponse::default()
    };
    Ok(response.encode_to_vec())
}

/// The files to write, their names and texts.
fn run(request: &CodeGeneratorRequest<'_>) -> Result<Vec<(String, String)>, Error> {
    let mut config = Config::new();
    options::apply(request.parameter(), &mut config)?;
    let set = FileDescriptorSet { file: request.proto_file, ..FileDescriptorSet::default() };
    let files = request.file_to_generate.iter().map(|&name| name.to_owned()).collect();
    let schema = Schema::new(&set, |file| config.retains_prefix(file))?;
    let files = generate::files(&schema, &config, &Asked { files, imports: false }, false, None, None)?;
    Ok(files.into_iter().map(|(name, text)| (name, String::from_utf8_lossy(&text).into_owned())).collect())
}

#[cfg(test)]
mod tests {
    use defiant::wkt::{DescriptorProto, FileDescriptorProto};

    use super::*;

    fn ask(parameter: &str, answer: impl FnOnce(&CodeGeneratorResponse<'_>)) {
        let messages = [DescriptorProto { name: Some("M"), ..DescriptorProto::default() }];
        let file = |name, package| FileDescriptorProto {
            name: Some(name),
            package: Some(package),
            message_type: &messages,
            ..FileDescriptorProto::default()
        };
        let request = CodeGeneratorRequest {
            file_to_generate: &["a.proto"],
            parameter: Some(parameter),
            proto_file: &[
                file("b.proto", "b"),
                FileDescriptorProto { dependency: &["b.proto"], ..file("a.proto", "a") },
            ],
            ..CodeGeneratorRequest::default()
        };
        let bytes = respond(&request.encode_to_vec()).expect("a request");
        let arena = Arena::new();
        answer(&CodeGeneratorResponse::decode(&bytes, &arena).expect("a response"));
    }

    #[test]
    fn only_what_is_asked_for() {
        ask("include_file=all.rs", |response| {
            let names: Vec<&str> = response.file.iter().map(|file| file.name()).collect();
            assert_eq!((names, response.error), (vec!["a.rs", "all.rs"], None));
            assert!(response.file[1].content().contains("::core::include!(\"a.rs\");"));
            assert_eq!(
                (response.supported_features(), response.minimum_edition(), response.maximum_edition()),
                (3, 998, 1001)
            );
        });
    }

    #[test]
    fn errors_are_part_of_the_answer() {
        ask("inlined=x,type_attribute=.a", |response| {
            let error = response.error();
            assert!(error.contains("\"inlined\"") && error.contains("type_attribute"), "{error}");
            assert!(response.file.is_empty());
            // Without these the compiler would complain about something else first.
            assert_eq!(response.supported_features(), 3);
        });
        ask("type_attribute=.nowhere=#[a]", |response| assert!(response.error().contains(".nowhere")));
    }

    #[test]
    fn garbage_is_no_request() {
        assert!(respond(b"\xff\xff\xff").expect_err("garbage").is_invalid_descriptor_set());
    }
}
