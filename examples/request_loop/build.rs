//! Compiles the schema of the service into `OUT_DIR/peaks.rs`.

fn main() -> Result<(), defiant_build::Error> {
    defiant_build::compile_protos(&["proto/peaks.proto"], &["proto"])
}
