#!/usr/bin/env bash
# Measures everything and draws the whole report, with one command.
#
# Usage: benchmarks/all.sh [--quick] [--only STEP]... [--skip STEP]... [--again] [--keep]
#        benchmarks/all.sh --list
#
#   --quick      a look: few rounds, few schemas, nothing huge
#   --only STEP  this step (and `report`, if it is named, too); may be given more than once
#   --skip STEP  all but this step; may be given more than once
#   --again      also what has a record of this revision already
#   --keep       into benchmarks/results, BENCHMARKS.md, README.md and ARCHITECTURE.md, not into the target folder
#   --list       names the steps and what they need
#
# Records go to target/report/results (with --quick to target/report-quick/results), the report to target/report/BENCHMARKS.md
# and the files beside it. What was interrupted goes on where it was: a step whose record is of the same source is not
# measured again. A step that fails, or that lacks a tool, makes no record. The report says where there is none, and of
# which revision each is. The command ends with 1 where a step failed; that tools are missing is said. Logs are beside
# the records.
#
# What is timed in one thread stays on one core, the last one, where there is `taskset`. Keep the machine quiet.
#
# Everything needs Rust and, for the other libraries, a C compiler.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
root=$PWD self=$PWD/benchmarks/all.sh
target=${CARGO_TARGET_DIR:-$root/target}
[[ $target == /* ]] || target=$root/$target

steps=(dataset mimalloc packed peers huge json json_size servers formats schemas instructions allocations report)
declare -A what=(
  [dataset]='times of Defiant, prost and pilota'
  [mimalloc]='the same with two mallocs'
  [packed]='packed numbers beside memcpy'
  [peers]='times of all libraries'
  [huge]='the same of all of the large set'
  [json]='times of JSON'
  [json_size]='what JSON adds to a program'
  [servers]='requests per second, latencies and memory'
  [formats]='times of formats that are no protobuf'
  [schemas]='build time and code size'
  [instructions]='instructions'
  [allocations]='heap blocks and bytes held'
  [report]='the report and its charts'
)
declare -A needs=([mimalloc]=cc [peers]=cc [huge]=cc [json_size]=size [schemas]='npm go size /usr/bin/time' [instructions]=valgrind)

usage() { sed -n '4,12s/^# \{0,1\}//p' "$self" >&2; exit 2; }
known() { [[ " ${steps[*]} " == *" ${1:-} "* ]] || { echo "all: no step is called '${1:-}'; --list names them" >&2; exit 2; }; }
only='' skip='' quick='' again='' keep=''
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    --again) again=yes ;;
    --keep) keep=yes ;;
    --only) known "${2:-}"; only+=" $2 "; shift ;;
    --skip) known "${2:-}"; skip+=" $2 "; shift ;;
    --list)
      for step in "${steps[@]}"; do printf '%-14s%-42s%s\n' "$step" "${what[$step]}" "${needs[$step]:-}"; done
      exit
      ;;
    *) usage ;;
  esac
  shift
done
[ -z "$quick" ] || [ -z "$keep" ] || { echo 'all: a look is not to be kept: --quick or --keep' >&2; exit 2; }

folder=$target/report${quick:+-quick}
results=$folder/results output=$folder/BENCHMARKS.md
[ -z "$keep" ] || { results=$root/benchmarks/results output=$root/benchmarks/BENCHMARKS.md; }
mkdir -p "$results" "$folder/done" "$folder/logs"
export BENCHMARKS_RESULTS=$results

# What the records are of: revision and changes, records and reports aside.
source_state() {
  local besides=(':!benchmarks/results' ':!benchmarks/*.md' ':!benchmarks/charts' ':!README.md' ':!ARCHITECTURE.md')
  { git rev-parse HEAD && git diff HEAD -- "${besides[@]}"; } 2>/dev/null | cksum
}
state="$(source_state) $(rustc --version) $results"

# Programs of one thread run on the last core, where the system can hold them there; what is built is built on all.
pinned=()
! command -v taskset >/dev/null || { cores=$(taskset -cp $$) && pinned=(taskset -c "${cores##*[ ,-]}"); }

# Builds and runs with the options of cargo, up to `--`, and those of the program.
benchmarks() {
  local cargo=()
  while [ "$1" != -- ]; do cargo+=("$1"); shift; done
  cargo build --release --quiet --package benchmarks "${cargo[@]}" &&
    "${pinned[@]}" cargo run --release --quiet --package benchmarks "${cargo[@]}" "$@"
}

step_dataset() { benchmarks -- ${quick:-} --record "$results"; }
# A record of all payloads, with the options of cargo and of the program, as the file $1.
times() {
  local name=$1 each=$folder/$1
  shift
  benchmarks "$@" --record "$each" && cp "$each/dataset.csv" "$results/$name.csv"
}
step_mimalloc() { times system -- ${quick:-} && times mimalloc --features mimalloc -- ${quick:-}; }
step_packed() { benchmarks -- packed ${quick:---rounds 101} --record "$results/packed.csv"; }
step_peers() { times peers --features peers -- ${quick:---all}; }
# One library at a time beside prost. Not for a look: it takes minutes whatever the rounds.
step_huge() { times huge --features peers -- --payload generic_huge; }
step_json() {
  benchmarks --features json --bin json -- ${quick:---rounds 101} --record "$results/json.csv"
}
step_json_size() { benchmarks/json_size.sh record; }
step_servers() {
  cargo run --release --quiet --package runtimes --bin load -- --rounds "${rounds_of_servers:-60}" --record "$results/servers.csv" &&
    cargo run --release --quiet --package runtimes --bin memory -- --record "$results/servers_memory.csv"
}
step_formats() {
  benchmarks --features formats --bin formats -- ${quick:---rounds 101} --record "$results/formats.csv"
}
step_schemas() {
  local sets=()
  [ -z "$quick" ] || sets=(well_known)
  benchmarks/schemas/run record "${sets[@]}"
}
step_instructions() { benchmarks/instructions.sh record; }
step_allocations() {
  cargo bench --quiet --package benchmarks --bench allocations -- --record "$results/allocations.csv"
}
step_report() {
  # The times of all libraries, or, without them, of those that need no C compiler.
  local record=$results/peers.csv
  [ -f "$record" ] || record=$results/dataset.csv
  [ -f "$record" ] || { echo 'there are no times to report: neither peers nor dataset has a record'; return 1; }
  benchmarks -- report "$record" --results "$results" --output "$output" || return
  [ -z "$keep" ] || benchmarks/report.sh
}
[ -z "$quick" ] || { quick=quick rounds_of_servers=1 skip+=' huge '; }

chosen=()
for step in "${steps[@]}"; do
  [ -z "$only" ] || [[ $only == *" $step "* ]] || continue
  [[ $skip != *" $step "* ]] || continue
  chosen+=("$step")
done

clock() { printf '%d:%02d:%02d' $(($1 / 3600)) $(($1 / 60 % 60)) $(($1 % 60)); }
failed=() missing=()
SECONDS=0
for at in "${!chosen[@]}"; do
  step=${chosen[$at]} done=$folder/done/${chosen[$at]}${keep:+-kept}
  head="$((at + 1)) of ${#chosen[@]}: $step, ${what[$step]}"
  if [ "$step" != report ] && [ -z "$again" ] && [ "$(cat "$done" 2>/dev/null)" = "$state" ]; then
    echo "[$(clock $SECONDS)] $head: there is a record"
    continue
  fi
  lacking=()
  for tool in ${needs[$step]:-}; do command -v "$tool" >/dev/null || lacking+=("$tool"); done
  if [ ${#lacking[@]} -gt 0 ]; then
    echo "[$(clock $SECONDS)] $head: skipped, for there is no ${lacking[*]}"
    missing+=("$step")
    continue
  fi
  echo "[$(clock $SECONDS)] $head"
  rm -f "$done"
  began=$SECONDS log=$folder/logs/$step
  # The log has all; the terminal what is being done: the messages, not the tables.
  if { "step_$step" 2>&1 1>&3 | tee "$log.progress" >&2; [ "${PIPESTATUS[0]}" -eq 0 ]; } 3>"$log"; then
    echo "$state" >"$done"
    echo "[$(clock $SECONDS)]   took $(clock $((SECONDS - began)))"
  else
    echo "[$(clock $SECONDS)]   failed; the end of $log:" >&2
    tail -n 15 "$log" >&2
    failed+=("$step")
  fi
done

echo "[$(clock $SECONDS)] report: $output"
[ ${#missing[@]} -eq 0 ] || echo "not measured, for want of tools: ${missing[*]}"
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}" >&2; exit 1; }
