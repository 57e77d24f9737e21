//! Compiles the schema of the service into `OUT_DIR/work.rs`, and notes what the records of the load generator name.

use std::{env, error::Error, process::Command};

fn main() -> Result<(), Box<dyn Error>> {
    defiant_build::compile_protos(&["proto/work.proto"], &["proto"])?;

    let compiler = Command::new(env::var("RUSTC")?).arg("--version").output()?;
    println!("cargo::rustc-env=RUNTIMES_RUSTC={}", String::from_utf8_lossy(&compiler.stdout).trim());
    println!("cargo::rustc-env=RUNTIMES_OPT_LEVEL={}", env::var("OPT_LEVEL")?);
    Ok(())
}
