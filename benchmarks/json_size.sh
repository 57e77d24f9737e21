#!/usr/bin/env bash
# Prints what JSON and text add to a program, in bytes of machine code and of data for each message type: pbjson's beside
# Defiant's.
#
# Usage: benchmarks/json_size.sh           prints the table
#        benchmarks/json_size.sh record    keeps it in benchmarks/results/json_size.csv, too, or in the folder that
#                                          BENCHMARKS_RESULTS names
#
# The messages are those of schemas/thousand.awk. A program reads and writes each of them, as wire and in the formats that
# it is made with. It is built with the default release profile, with few messages and with many: what is the same for any
# number of messages does not count. Needs binutils.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/json_size
mkdir -p "$work/src"
work=$(cd "$work" && pwd)
unset CARGO_TARGET_DIR RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
few=20
many=100
command -v size >/dev/null || { echo "json_size: needs binutils" >&2; exit 2; }

cat >"$work/Cargo.toml" <<END
[package]
name = "json_size"
edition = "2024"
[features]
prost = ["dep:prost", "dep:prost-build"]
pbjson = ["prost", "dep:pbjson", "dep:pbjson-build", "dep:serde", "dep:serde_json"]
defiant = ["dep:defiant", "dep:defiant-build"]
json = ["defiant", "defiant/json"]
text = ["json", "defiant/text"]
[dependencies]
defiant = { path = "$root/defiant", optional = true }
pbjson = { version = "0.9", optional = true }
prost = { version = "0.14", optional = true }
serde = { version = "1", optional = true }
serde_json = { version = "1", optional = true }
[build-dependencies]
defiant-build = { path = "$root/defiant-build", optional = true }
pbjson-build = { version = "0.9", optional = true }
prost-build = { version = "0.14", optional = true }
protoc-bin-vendored = "3.3"
[workspace]
END

cat >"$work/build.rs" <<'END'
use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    println!("cargo:rerun-if-changed=thousand.proto");
    let mut code = String::from("pub mod thousand {");
    #[cfg(feature = "defiant")]
    defiant_build::Config::new().out_dir(&out).compile_protos(&["thousand.proto"], &["."]).unwrap();
    #[cfg(feature = "prost")]
    prost_build::Config::new()
        .file_descriptor_set_path(out.join("descriptors.pb"))
        .protoc_executable(protoc_bin_vendored::protoc_bin_path().unwrap())
        .compile_protos(&["thousand.proto"], &["."])
        .unwrap();
    code += &format!("include!({:?});", out.join("thousand.rs"));
    #[cfg(feature = "pbjson")]
    {
        let descriptors = fs::read(out.join("descriptors.pb")).unwrap();
        let mut builder = pbjson_build::Builder::new();
        builder.register_descriptors(&descriptors).unwrap().out_dir(&out).build(&[".thousand"]).unwrap();
        code += &format!("include!({:?});", out.join("thousand.serde.rs"));
    }
    code += "}";
    let messages = fs::read_to_string("thousand.proto").unwrap().matches("\nmessage M").count();
    code += "pub const ALL: &[fn(&[u8]) -> usize] = &[";
    code.extend((0..messages).map(|number| format!("all!(M{number}),")));
    code += "];";
    fs::write(out.join("code.rs"), code).unwrap();
}
END

cat >"$work/src/main.rs" <<'END'
//! Reads each message, and writes it in each format.
#![allow(warnings)]

#[cfg(feature = "prost")]
macro_rules! all {
    ($message:ident) => {
        |wire| {
            use prost::Message as _;
            let Ok(message) = thousand::$message::decode(wire) else { return 0 };
            let mut bytes = message.encode_to_vec().len();
            #[cfg(feature = "pbjson")]
            {
                let Ok(text) = serde_json::to_string(&message) else { return 0 };
                let Ok(message) = serde_json::from_str::<thousand::$message>(&text) else { return 0 };
                bytes += text.len() + message.encode_to_vec().len();
            }
            bytes
        }
    };
}
#[cfg(feature = "defiant")]
macro_rules! all {
    ($message:ident) => {
        |wire| {
            use defiant::Message as _;
            let arena = defiant::Arena::new();
            let Ok(message) = thousand::$message::decode(wire, &arena) else { return 0 };
            let mut bytes = message.encode_to_vec().len();
            #[cfg(feature = "json")]
            {
                let Ok(text) = defiant::json::encode(&message) else { return 0 };
                let Ok(message) = defiant::json::decode::<thousand::$message<'_>>(&text, &arena) else { return 0 };
                bytes += text.len() + message.encode_to_vec().len();
            }
            #[cfg(feature = "text")]
            {
                let text = defiant::text::encode(&message);
                let Ok(message) = defiant::text::decode::<thousand::$message<'_>>(&text, &arena) else { return 0 };
                bytes += text.len() + message.encode_to_vec().len();
            }
            bytes
        }
    };
}
include!(concat!(env!("OUT_DIR"), "/code.rs"));

fn main() {
    let number: usize = std::env::args().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0);
    println!("{}", ALL[number % ALL.len()](b""));
}
END

# Prints the bytes of machine code and of the rest, without debug information, of the program with features $1.
measure() {
  (cd "$work" && cargo build --quiet --release --features "$1" >log 2>&1) || { tail -n 40 "$work/log" >&2; exit 1; }
  "$work/target/release/json_size" >/dev/null
  size -A "$work/target/release/json_size" | awk '
    $1 == ".text" { code += $2 }
    $1 ~ /^\.(rodata|data|eh_frame|gcc_except_table|rela\.dyn)/ { data += $2 }
    END { print code, data }'
}

declare -A code data
for count in "$few" "$many"; do
  awk -v messages="$count" -f "$here/schemas/thousand.awk" >"$work/thousand.proto"
  for features in prost pbjson defiant json text; do
    read -r "code[$count,$features]" "data[$count,$features]" < <(measure "$features")
    echo "json_size: $features, $count messages: ${code[$count,$features]} + ${data[$count,$features]}" >&2
  done
done

commit=$(git -C "$root" rev-parse --short=12 HEAD)
[ -z "$(git -C "$root" status --porcelain --untracked-files=no -- ':!benchmarks/results')" ] || commit=$commit+
rustc=$(rustc --version | cut -d' ' -f2)
{
  echo commit,rustc,what,messages,text_bytes,data_bytes,text_per_message,data_per_message
  each=$((many - few))
  row() {
    echo "$commit,$rustc,$1,$many,$2,$3,$((($2 - $4) / each)),$((($3 - $5) / each))"
  }
  for features in prost pbjson defiant json text; do
    case $features in
      prost) what='prost' ;;
      pbjson) what='prost with pbjson' ;;
      defiant) what='Defiant' ;;
      json) what='Defiant with json' ;;
      text) what='Defiant with json and text' ;;
    esac
    row "$what" "${code[$many,$features]}" "${data[$many,$features]}" "${code[$few,$features]}" "${data[$few,$features]}"
  done
  # What $1 has more than $2.
  more() {
    row "$3" $((code[$many,$1] - code[$many,$2])) $((data[$many,$1] - data[$many,$2])) \
      $((code[$few,$1] - code[$few,$2])) $((data[$few,$1] - data[$few,$2]))
  }
  more pbjson prost 'added by pbjson'
  more json defiant 'added by json'
  more text defiant 'added by json and text'
} >"$work/table.csv"
column -s, -t "$work/table.csv" 2>/dev/null || cat "$work/table.csv"
[ "${1:-}" != record ] || cp "$work/table.csv" "${BENCHMARKS_RESULTS:-$here/results}/json_size.csv"
