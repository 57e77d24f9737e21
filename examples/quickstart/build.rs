//! Compiles the schema into `OUT_DIR/contacts.rs`; the compiler comes with `defiant-build`.

fn main() -> Result<(), defiant_build::Error> {
    defiant_build::compile_protos(&["proto/contacts.proto"], &["proto"])
}
