#!/bin/sh
# Instructions per operation, counted by callgrind: each operation runs 100 and 200 times in processes of
# their own, and the difference of the two totals, divided by 100, is what one operation takes.
# Usage: benchmarks/instructions.sh [TASK...]      (default: decode encode)
set -eu

if ! command -v valgrind >/dev/null; then
    echo "instructions.sh: valgrind is not installed; it counts the instructions" >&2
    exit 1
fi
cd "$(dirname "$0")/.."
cargo build --release --quiet --package benchmarks
program="${CARGO_TARGET_DIR:-target}/release/benchmarks"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The total of one run, or nothing when the library does not do this.
total() {
    valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$program" callgrind "$1" "$2" "$3" "$4" \
        >"$folder/log" 2>&1 || return 1
    sed -n 's/^\(summary\|totals\): *\([0-9][0-9]*\).*/\2/p' "$folder/out" | head -n 1
}

[ $# -gt 0 ] || set -- decode encode
printf '%-18s%-18s%-10s%16s\n' dataset task library instructions
for dataset in message1_proto2 message1_proto3 message2; do
    for task in "$@"; do
        for library in defiant prost pilota; do
            if few=$(total "$library" "$dataset" "$task" 100) && many=$(total "$library" "$dataset" "$task" 200); then
                printf '%-18s%-18s%-10s%16d\n' "$dataset" "$task" "$library" $(((many - few) / 100))
            else
                printf '%-18s%-18s%-10s%16s\n' "$dataset" "$task" "$library" -
            fi
        done
    done
done
