#!/bin/bash
# tests/bench/instructions.sh BIN_DIR [--record]: instructions of fixed work, counted by callgrind, beside the stored
# counts of the same compiler (tests/bench/instructions/COMPILER.tsv). Fails above 3 % more; says so when a count fell
# by as much. --record stores what it counts: do that with the change that explains it. 77: no baseline or no valgrind.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=${1:?BIN_DIR}/penstock_instruction_bench
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed" && exit 77; }
compiler=$(readelf -p .comment "$bench" | grep -o 'GCC: ([^)]*) [0-9]*' | head -1 | sed 's/.* /gcc-/')
baseline=$here/instructions/${compiler:-unknown}.tsv
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
for work in field ntt msm pack; do
  count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$work" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
  [ -n "$count" ] || { echo "callgrind gave no count for $work" >&2 && exit 1; }
  printf '%s\t%s\n' "$work" "$count" >>"$counts"
done
if [ "${2:-}" = --record ]; then
  mkdir -p "$here/instructions"
  cp "$counts" "$baseline"
  cat "$baseline"
  exit 0
fi
[ -f "$baseline" ] || { echo "skipped: no baseline for $compiler; --record makes one" && exit 77; }
awk -F '\t' 'NR == FNR { before[$1] = $2; next }
  { ratio = $2 / before[$1]; bad = ratio > 1.03; failed += bad; passed += !bad
    printf "%s: %d instructions, %.3f times the baseline%s\n", $1, $2, ratio,
      bad ? ": MORE THAN 3 % ABOVE" : ratio < 0.97 ? ": record the new baseline" : "" }
  END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }' "$baseline" "$counts"
