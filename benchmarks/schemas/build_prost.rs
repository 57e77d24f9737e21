//! Build script of a throw-away crate: prost's code for the schemas that `protos.txt` lists.

use std::error::Error;
use std::time::Instant;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let lines = |name: &str| fs::read_to_string(name).map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let (protos, mut includes) = (lines("protos.txt")?, lines("includes.txt")?);
    includes.push(protoc_bin_vendored::include_path()?.display().to_string());
    let start = Instant::now();
    let mut config = prost_build::Config::new();
    config.include_file("protos.rs").protoc_executable(protoc_bin_vendored::protoc_bin_path()?);
    if fs::exists("well_known")? {
        config.compile_well_known_types();
    }
    config.compile_protos(&protos, &includes)?;
    let seconds = start.elapsed().as_secs_f64();
    fs::write("generated.txt", format!("{seconds:.3} {}\n", env::var("OUT_DIR")?))?;
    Ok(())
}
