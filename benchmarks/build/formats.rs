//! The generators behind the feature `formats`. The code of FlatBuffers and Cap'n Proto is checked in, see `formats/`.

use std::error::Error;
use std::path::Path;

use crate::{fresh, path};

pub(crate) fn generate(out: &Path) -> Result<(), Box<dyn Error>> {
    let schema = path("formats");
    let mut config = defiant_build::Config::new();
    config.out_dir(fresh(out, "formats_defiant")?);
    // As prost holds all messages.
    for holder in ["LogEntry", "Triangle", "Car"] {
        config.inline(format!(".benchmarks.formats.{holder}"));
    }
    config.compile_protos(&[&schema], &["proto"])?;
    prost_build::Config::new()
        .out_dir(fresh(out, "formats_prost")?)
        .protoc_executable(protoc_bin_vendored::protoc_bin_path()?)
        .compile_protos(&[&schema], &["proto"])?;
    Ok(())
}
