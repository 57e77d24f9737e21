//! Where a record was made.

use std::fs;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Machine, compiler and source of a run, as (name, value) in a fixed order.
pub fn describe() -> Vec<(&'static str, String)> {
    vec![
        ("cpu", cpu()),
        ("cpus_allowed", status("Cpus_allowed_list")),
        ("os", format!("{} {}", std::env::consts::OS, kernel())),
        ("rustc", env!("BENCHMARKS_RUSTC").into()),
        ("target", env!("BENCHMARKS_TARGET").into()),
        ("profile", env!("BENCHMARKS_PROFILE").into()),
        ("opt_level", env!("BENCHMARKS_OPT_LEVEL").into()),
        ("rustflags", env!("BENCHMARKS_RUSTFLAGS").into()),
        ("debug_assertions", cfg!(debug_assertions).to_string()),
        ("malloc", if cfg!(feature = "mimalloc") { "mimalloc" } else { "system" }.into()),
        ("commit", commit()),
        ("unix_time", SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()).to_string()),
    ]
}

/// The version of a package in the lock file; `protobuf@4` is the one that begins with 4.
pub fn version(package: &str) -> &'static str {
    let (name, beginning) = package.split_once('@').unwrap_or((package, ""));
    env!("BENCHMARKS_LOCKED")
        .split(' ')
        .filter_map(|locked| locked.split_once('='))
        .find_map(|(locked, version)| (locked == name && version.starts_with(beginning)).then_some(version))
        .unwrap_or("-")
}

/// The load averages over 1, 5 and 15 minutes, with spaces between them.
pub fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// The processor: its name, which may be that of several, its family and model, and what of the instructions it has that
/// Defiant asks it for.
fn cpu() -> String {
    let line = |name| line_of("/proc/cpuinfo", name);
    let name = line("model name").unwrap_or_else(|| "unknown".into());
    let which = line("cpu family").zip(line("model\t")).map(|(family, model)| format!("family {family} model {model}"));
    let parts: Vec<String> = which.into_iter().chain(instructions().map(String::from)).collect();
    if parts.is_empty() { name } else { format!("{name}, {}", parts.join(" ")) }
}

/// The names of the sets of instructions that are there.
fn instructions() -> impl Iterator<Item = &'static str> {
    #[cfg(target_arch = "x86_64")]
    let known = [
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("BMI2", is_x86_feature_detected!("bmi2")),
        ("AVX-512", is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let known: [(&str, bool); 0] = [];
    known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name)
}

fn status(name: &str) -> String {
    line_of("/proc/self/status", name).unwrap_or_else(|| "unknown".into())
}

/// The kernel's version number, without what a distribution or a host adds to it.
fn kernel() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    text.trim().split('-').next().unwrap_or_default().into()
}

/// The value of the first line `name: value`.
fn line_of(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The commit of the source, with `+` when files differ from it, records aside.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(env!("CARGO_MANIFEST_DIR")).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    match (
        git(&["rev-parse", "--short=12", "HEAD"]),
        git(&["status", "--porcelain", "--", ":(top,exclude)benchmarks/results"]),
    ) {
        (Some(commit), Some(changes)) if changes.is_empty() => commit,
        (Some(commit), _) => format!("{commit}+"),
        _ => "none".into(),
    }
}
