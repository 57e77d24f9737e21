//! Says which compiler this is: `cfg(avx512)` from the one on that knows AVX-512, Rust 1.89.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(avx512)");
    if minor_version().is_some_and(|minor| minor >= 89) {
        println!("cargo:rustc-cfg=avx512");
    }
}

/// The second number of the compiler's version; `None` where it does not say it as expected.
fn minor_version() -> Option<u32> {
    let version = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let version = String::from_utf8(version.stdout).ok()?;
    version.strip_prefix("rustc 1.")?.split('.').next()?.parse().ok()
}
