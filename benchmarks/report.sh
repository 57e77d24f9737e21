#!/usr/bin/env bash
# Writes the records in benchmarks/results into the documentation: the chart and the times into README.md and the
# instructions into ARCHITECTURE.md, each between its markers `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
#
# Usage: benchmarks/report.sh             writes them
#        benchmarks/report.sh check       fails where a document has something else
#
# The records are made by
#   cargo run --release -p benchmarks -- --record benchmarks/results
#   benchmarks/instructions.sh record
# and peers.csv, which the chart is drawn from, is such a record made with `--features peers`. The chart itself is drawn by
#   cargo run -p benchmarks -- report benchmarks/results/peers.csv
set -euo pipefail
check=
case ${1:-} in
  '') ;;
  check) check=yes ;;
  *) sed -n '4,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
record=benchmarks/results/dataset.csv
counts=benchmarks/results/instructions.txt
peers=benchmarks/results/peers.csv
chart=benchmarks/charts/payloads.svg
for file in "$record" "$counts" "$peers" "$chart"; do
  [ -f "$file" ] || { echo "report: no record at $file" >&2; exit 2; }
done

# One row for each variant of Defiant; beside it the variant of each peer with the lowest median for the same task.
table() {
  awk '
    # Splits a line of CSV into cells; a cell in quotes may contain commas.
    function cells(line,    count, cell) {
      count = 0
      while (line != "") {
        if (match(line, /^"[^"]*"(,|$)/)) {
          cell = substr(line, 2, RLENGTH - 2); sub(/",?$/, "", cell); sub(/"$/, "", cell)
        } else {
          match(line, /^[^,]*(,|$)/); cell = substr(line, 1, RLENGTH); sub(/,$/, "", cell)
        }
        line = substr(line, RLENGTH + 1)
        row[++count] = cell
      }
      return count
    }
    function time(ns) { return ns == "" ? "–" : ns + 0 < 1000 ? sprintf("%.1f ns", ns) : sprintf("%.2f µs", ns / 1000) }
    function peer(library,    key) {
      key = task SUBSEP library
      return key in fastest ? time(fastest[key]) " | " allocations[key] : "– | –"
    }
    /^# gap: / { next }
    /^# / { name = $2; sub(/:$/, "", name); value = $0; sub(/^# [^ ]* ?/, "", value); machine[name] = value; next }
    { count = cells($0) }
    !header { for (i = 1; i <= count; i++) column[row[i]] = i; header = 1; next }
    # The other payloads and tasks are in BENCHMARKS.md.
    row[column["dataset"]] !~ /^google_/ || row[column["task"]] == "skip" { next }
    {
      task = row[column["dataset"]] SUBSEP row[column["task"]]
      library = row[column["library"]]
      key = task SUBSEP library
      median = row[column["median_ns"]]
      if (!(key in fastest) || median + 0 < fastest[key] + 0) {
        fastest[key] = median
        allocations[key] = row[column["allocations"]]
      }
      if (library == "defiant") {
        lines++
        tasks[lines] = task; medians[lines] = median
        variants[lines] = row[column["variant"]]; counts[lines] = row[column["allocations"]]
        sizes[lines] = row[column["bytes"]]
      }
    }
    END {
      printf "Measured on %s (%s, CPUs %s), %s, %s malloc, revision `%s`.\n", machine["cpu"], machine["os"],
        machine["cpus_allowed"], machine["rustc"], machine["malloc"], machine["commit"]
      print "The time is the median of the rounds; `×` is the time of prost divided by that of Defiant, so more than"
      print "1 means that Defiant is faster. `allocs` are the heap allocations of one warm operation. Of the variants of a"
      print "peer, the fastest stands here; all are in the record.\n"
      print "| payload | operation | Defiant | time | allocs | prost | allocs | × | pilota | allocs |"
      print "|---|---|---|--:|--:|--:|--:|--:|--:|--:|"
      for (line = 1; line <= lines; line++) {
        task = tasks[line]
        split(task, part, SUBSEP)
        key = task SUBSEP "prost"
        ratio = key in fastest ? sprintf("%.2f", fastest[key] / medians[line]) : "–"
        printf "| %s, %s B | %s | %s | %s | %s | %s | %s | %s |\n", part[1], sizes[line], part[2],
          variants[line] == "-" ? "" : variants[line], time(medians[line]), counts[line], peer("prost"), ratio, peer("pilota")
      }
    }' "$record"
}

# The chart of the report, and where its record was made.
chart() {
  awk -v chart="$chart" '
    /^# gap: / { next }
    /^# / { name = $2; sub(/:$/, "", name); value = $0; sub(/^# [^ ]* ?/, "", value); machine[name] = value; next }
    { rows++ }
    END {
      if (rows < 2) exit
      print "![For each payload, how many times as fast as prost Defiant and the best of the other libraries are](" chart ")\n"
      print "*How many times as fast as prost: prost\047s time divided by the library\047s, so longer is faster; memory is used"
      print "again. The other bar is the best of the other libraries on that payload, prost included. Fastest samples, measured on"
      printf "%s (%s, CPUs %s), %s, %s malloc, revision `%s`. The tables are in\n", machine["cpu"], machine["os"],
        machine["cpus_allowed"], machine["rustc"], machine["malloc"], machine["commit"]
      print "[BENCHMARKS.md](benchmarks/BENCHMARKS.md).*"
    }' "$peers"
}

# One row for each payload and operation.
instructions() {
  awk '
    NR == 1 { next }
    {
      task = $1 SUBSEP $2
      if (!(task in count)) order[++tasks] = task
      count[task] = count[task] " | " ($4 == "-" ? "–" : $4)
    }
    END {
      print "| payload | operation | Defiant | prost | pilota |"
      print "|---|---|--:|--:|--:|"
      for (line = 1; line <= tasks; line++) {
        split(order[line], part, SUBSEP)
        print "| " part[1] " | " part[2] count[order[line]] " |"
      }
    }' "$counts"
}

written=$(mktemp)
trap 'rm -f "$written" "$written.document"' EXIT

# Puts standard input between the markers $2 of the document $1.
put() {
  cat >"$written"
  grep -q '^!\[' "$written" || [ "$(grep -c '^| ' "$written")" -gt 1 ] || { echo "report: the record for $2 holds no measurement" >&2; exit 1; }
  awk -v table="$written" -v name="$2" '
    $0 == "<!-- " name ":end -->" { inside = 0; ended = 1 }
    !inside { print }
    $0 == "<!-- " name ":begin -->" { inside = 1; while ((getline line <table) > 0) print line }
    END { exit !ended }' "$1" >"$written.document"
  if [ -z "$check" ]; then
    cat "$written.document" >"$1"
  elif ! cmp -s "$written.document" "$1"; then
    echo "report: $2 in $1 is of other records: write it again" >&2
    exit 1
  fi
}

chart | put README.md chart
table | put README.md results
instructions | put ARCHITECTURE.md instructions
