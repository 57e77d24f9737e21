//! Where a record was made.

use std::{
    fs,
    process::Command,
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

/// Machine, compiler and source, as (name, value) in a fixed order.
pub fn describe() -> Vec<(&'static str, String)> {
    vec![
        ("cpu", line_of("/proc/cpuinfo", "model name")),
        ("cpus", thread::available_parallelism().map_or(0, |count| count.get()).to_string()),
        (
            "os",
            format!("{} {}", std::env::consts::OS, first("/proc/sys/kernel/osrelease").split('-').next().unwrap_or("")),
        ),
        ("rustc", env!("RUNTIMES_RUSTC").into()),
        ("opt_level", env!("RUNTIMES_OPT_LEVEL").into()),
        ("debug_assertions", cfg!(debug_assertions).to_string()),
        ("malloc", if cfg!(feature = "mimalloc") { "mimalloc" } else { "system" }.into()),
        ("commit", commit()),
        ("unix_time", SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()).to_string()),
    ]
}

/// The processes that wanted to run in the last minute, on average: more than there are processors disturbs.
pub fn load_average() -> String {
    first("/proc/loadavg")
}

/// Bytes of the process that are in memory.
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// The first word of a file.
fn first(file: &str) -> String {
    fs::read_to_string(file).unwrap_or_default().split_whitespace().next().unwrap_or("unknown").into()
}

/// The value of the first line `name: value`.
fn line_of(file: &str, name: &str) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name)).and_then(|line| line.split_once(':'));
    line.map_or("unknown", |(_, value)| value.trim()).into()
}

/// The commit of the source, with `+` when files differ from it, records aside.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(env!("CARGO_MANIFEST_DIR")).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let changes = git(&["status", "--porcelain", "--", ":(top,exclude)benchmarks/results"]);
    match (git(&["rev-parse", "--short=12", "HEAD"]), changes) {
        (Some(commit), Some(changes)) if changes.is_empty() => commit,
        (Some(commit), _) => format!("{commit}+"),
        _ => "none".into(),
    }
}
