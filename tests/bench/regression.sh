#!/bin/bash
# tests/bench/regression.sh BUILD_DIR: runs the gated benchmarks and compares what they append to bench/results/ with
# the earlier lines of the same device. Fails when a median is more than 1.4 times the best earlier one, or when fixed
# work takes 3 % more instructions (instructions.sh).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=$here/results
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -r "$results" "$before/results"
status=0
bash "$here/instructions.sh" "$1/bin" || status=$?
[ $status = 0 ] || [ $status = 77 ] || exit $status
"$here/prove_vs_snarkjs" "$1/bin" 3
python3 "$here/soak.py" "$1/bin" 1000
python3 "$here/compare.py" "$before/results" "$results"
