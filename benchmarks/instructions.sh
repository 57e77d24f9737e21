#!/usr/bin/env bash
# Instructions per operation, counted by callgrind: each operation runs 100 and 200 times in processes of its own, and
# the difference of the two totals, divided by 100, is what one operation takes.
#
# Usage: benchmarks/instructions.sh            prints the table
#        benchmarks/instructions.sh record     prints it and keeps it in benchmarks/results, or in the folder that
#                                             BENCHMARKS_RESULTS names
#        BENCHMARKS_OPTIMIZE_FOR=CODE_SIZE benchmarks/instructions.sh
#                                             prints it with Defiant's messages optimized for code size
#        benchmarks/instructions.sh check      counts Defiant only, and fails where it takes over 3% more than recorded;
#                                             exits with 2 without valgrind, or where another compiler made the record
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
results=${BENCHMARKS_RESULTS:-benchmarks/results}
record=$results/instructions.txt
history=$results/instructions.csv
mode=${1:-print}

command -v valgrind >/dev/null || { echo 'skipped: no valgrind'; exit 2; }
cargo build --release --quiet --package benchmarks
program=${CARGO_TARGET_DIR:-target}/release/benchmarks
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The total of one run of library $1, dataset $2, task $3, $4 times; fails when the library does not do this.
total() {
  valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$program" callgrind "$@" >"$folder/log" 2>&1 || return 1
  sed -nE 's/^(summary|totals): *([0-9]+).*/\2/p' "$folder/out" | head -n 1
}

# What one operation of library $1, dataset $2, task $3 takes, or - when the library does not do this.
count() {
  local few many
  if few=$(total "$@" 100) && many=$(total "$@" 200); then
    echo $(((many - few) / 100))
  else
    echo -
  fi
}

libraries=(defiant prost pilota)
[ "$mode" != check ] || libraries=(defiant)

table() {
  printf '%-18s%-18s%-10s%16s\n' dataset task library instructions
  local dataset task library
  for dataset in message1_proto2 message1_proto3 message2; do
    for task in decode encode encoded-len; do
      for library in "${libraries[@]}"; do
        printf '%-18s%-18s%-10s%16s\n' "$dataset" "$task" "$library" "$(count "$library" "$dataset" "$task")"
      done
    done
  done
}

case $mode in
  print) table ;;
  record)
    table | tee "$folder/table"
    cp "$folder/table" "$record"
    [ -f "$history" ] || echo 'commit,rustc,dataset,task,library,instructions' >"$history"
    commit=$(git rev-parse --short=12 HEAD)
    [ -z "$(git status --porcelain --untracked-files=no -- ':!benchmarks/results')" ] || commit=$commit+
    awk -v commit="$commit" -v rustc="$(rustc --version | cut -d' ' -f2)" \
      'NR > 1 && $4 != "-" { print commit "," rustc "," $1 "," $2 "," $3 "," $4 }' "$folder/table" >>"$history"
    ;;
  check)
    recorded=$(tail -n 1 "$history" | cut -d, -f2)
    [ "$(rustc --version | cut -d' ' -f2)" = "$recorded" ] || {
      echo "skipped: the record was made with rustc $recorded"
      exit 2
    }
    table >"$folder/table"
    awk '
      NR == FNR { recorded[$1, $2, $3] = $4; next }
      FNR > 1 {
        before = recorded[$1, $2, $3]
        if (before + 0 <= 0 || $4 + 0 <= 0) { print "instructions: no count for " $1 " " $2; failed = 1; next }
        change = 100 * ($4 - before) / before
        printf "%-18s%-10s%10d recorded %10d now %+6.1f%%\n", $1, $2, before, $4, change
        if (change > 3) failed = 1
      }
      END { exit failed }' "$record" "$folder/table"
    ;;
  *) sed -n '5,12s/^# //p' "$0" >&2; exit 2 ;;
esac
