//! What is generated. That it compiles and works, `grpc-interop` shows.

use std::fs;
use std::path::{Path, PathBuf};

use defiant_build::{Config, Error};
use defiant_tonic_build::Generator;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The text generated for a package, or for files without one.
fn generated(generator: Generator, proto: &str, package: &str) -> Result<String, Error> {
    let room = tempfile::tempdir().expect("a temporary directory");
    Config::new()
        .out_dir(room.path())
        .service_generator(Box::new(generator))
        .compile_protos(&[here().join(proto)], &[here()])?;
    Ok(fs::read_to_string(room.path().join(format!("{package}.rs"))).expect("a file for the package"))
}

/// What is ours of the text: types, comments, deprecation. The rest is `tonic-build`'s, of whatever version.
#[test]
fn types_and_comments() {
    let text = generated(Generator::new(), "search.proto", "search.v1").expect("a good file");
    // One blank where the formatter puts a line break.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(", >", ">").replace("< ", "<");
    let (incoming, outgoing) = ("::defiant_tonic::Incoming", "::defiant_tonic::Outgoing");
    let (client, server) = text.split_once("pub mod search_server {").expect("a client, then a server");
    for (side, part, request, response) in
        [("client", client, outgoing, incoming), ("server", server, incoming, outgoing)]
    {
        for expected in [
            "/// One for \\[one\\]. /// /// ```text /// code(); /// ``` /// /// Behind. ".to_owned(),
            format!("{request}<super::Query<'static>>"),
            format!("{request}<super::query::Part<'static>>"),
            format!("{response}<super::Hits<'static>>"),
            format!("{response}<::defiant::wkt::Empty<'static>>"),
            "::defiant_tonic::DefaultCodec::default()".to_owned(),
            "async fn r#type(".to_owned(),
            "/search.v1.Search/type\"".to_owned(),
            "/// Finds \\<things>. ".to_owned(),
        ] {
            assert!(part.contains(&expected), "the {side} has no {expected:?}: {part}");
        }
    }
    assert!(client.contains("#[deprecated] pub async fn r#type("), "{client}");
    for old in ["OldClient", "OldServer"] {
        let (before, _) = text.split_once(&format!("pub struct {old}<T>")).expect("a struct");
        let (_, attributes) = before.rsplit_once('}').or(before.rsplit_once(';')).expect("something before it");
        assert!(attributes.contains("#[deprecated]"), "{old}: {attributes}");
    }
}

#[test]
fn sides() {
    let text = |generator| generated(generator, "search.proto", "search.v1").expect("a good file");
    let (client, server) = ("pub mod search_client {", "pub mod search_server {");
    let only_client = text(Generator::new().server(false));
    assert!(only_client.contains(client) && !only_client.contains(server));
    let only_server = text(Generator::new().client(false));
    assert!(!only_server.contains(client) && only_server.contains(server));
    assert!(!text(Generator::new().transport(false)).contains("tonic::transport"));
    assert!(text(Generator::new().use_arc_self(true)).contains("self: std::sync::Arc<Self>"));
    assert!(text(Generator::new().default_stubs(true)).contains("Not yet implemented"));
}

#[test]
fn without_a_package() {
    let text = generated(Generator::new(), "bare.proto", "_").expect("a good file");
    assert!(text.contains("\"/Bare/Ask\""), "{text}");
    assert!(text.contains("Outgoing<super::Question<'static>>"), "{text}");
}

/// Names that are one in Rust are two, and no lint complains of how they differ.
#[test]
fn names_that_are_one_in_rust() {
    let text = generated(Generator::new(), "collisions.proto", "collisions").expect("a good file");
    for name in ["mod foo_bar_client {", "mod foo_bar__client {", "mod foo_bar_server {", "mod foo_bar__server {"] {
        assert!(text.contains(name), "no {name:?}: {text}");
    }
    assert_eq!(text.matches("non_snake_case").count(), 8, "{text}");
    for name in ["async fn get_foo(", "async fn get_foo_("] {
        assert_eq!(text.matches(name).count(), 2, "{name:?}: {text}");
    }
    assert!(text.contains("/collisions.Methods/get_foo\"") && text.contains("\"collisions.foo_bar\""), "{text}");
}

/// A client of tonic has methods of its own. Servers have none that are in the way.
#[test]
fn names_that_clients_have() {
    let text = |transport| {
        let text = generated(Generator::new().transport(transport), "collisions.proto", "collisions");
        let text = text.expect("a good file");
        let (_, clients) = text.split_once("pub mod clients_client {").expect("a client");
        let (client, server) = clients.split_once("pub mod clients_server {").expect("a server");
        (client.to_owned(), server.to_owned())
    };
    let (client, server) = text(true);
    for name in ["new__", "new_", "connect_", "with_origin_", "with_interceptor_", "send_compressed_"] {
        assert_eq!(client.matches(&format!("async fn {name}(")).count(), 1, "{name}: {client}");
    }
    for name in ["accept_compressed_", "max_decoding_message_size_", "max_encoding_message_size_", "from_text"] {
        assert_eq!(client.matches(&format!("async fn {name}(")).count(), 1, "{name}: {client}");
    }
    for name in ["new", "new_", "connect", "with_origin", "with_interceptor", "send_compressed"] {
        assert!(server.contains(&format!("async fn {name}(")), "{name}: {server}");
    }
    assert!(client.contains("/collisions.Clients/New\"") && server.contains("/collisions.Clients/New\""), "{client}");
    let (client, _) = text(false);
    assert!(client.contains("async fn connect(") && !client.contains("async fn connect_("), "{client}");
}

#[test]
fn a_codec_that_is_no_path() {
    let text = generated(Generator::new().codec_path("not a path"), "bare.proto", "_").expect("a good file");
    assert!(text.contains("compile_error!") && text.contains("not a path"), "{text}");
}
