#!/bin/bash
# All tests, from a fresh clone: installs what is missing, builds, checks. Exit 0 only when everything passed.
#   bash tests/run.sh            install, build, lint, unit, contract, flow, replay (of the fuzzers' finds), cluster,
#                                snarkjs, and gpu where there is a device
#   bash tests/run.sh --quick    build and unit tests only
#   bash tests/run.sh --all      and asan, tsan, tidy, a minute of fuzzing, compose, the benchmarks' regression
#   --preset NAME    cpu or cuda; by default cuda where nvcc is found, else cpu
#   --only STEP      one step of the list above (after install, configure and build)
#   --no-install     packages are there
# Logs: build/logs/STEP.log. The last line is always "N passed, N failed".
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1

usage() { sed -n '2,10s/^# \{0,1\}//p' "$root/tests/run.sh"; }

tier=default preset="" only="" install=yes
while [ $# -gt 0 ]; do
  case $1 in
    --quick) tier=quick ;;
    --all) tier=all ;;
    --preset) preset=${2:?--preset needs a name} && shift ;;
    --only) only=${2:?--only needs a step} && shift ;;
    --no-install) install=no ;;
    --help | -h) usage && exit 0 ;;
    *) echo "run.sh: unknown argument $1; --help lists them" >&2 && exit 2 ;;
  esac
  shift
done

jobs=$(nproc)
logs=$root/build/logs
results=$root/build/results
rm -rf "$results"
mkdir -p "$logs" "$results"
export GTEST_COLOR=no NPM_CONFIG_UPDATE_NOTIFIER=false

say() { printf '[%4ds] %s\n' "$SECONDS" "$*"; }

# step NAME COMMAND...: runs it with its log, records its outcome and time. Returns its status.
step() {
  local name=$1 started=$SECONDS status=0
  shift
  [ -z "$only" ] || [ "$name" = "$only" ] || [[ " install configure build " = *" $name "* ]] || return 0
  say "$name ..."
  "$@" >"$logs/$name.log" 2>&1 </dev/null || status=$?
  local outcome=ok
  [ $status = 0 ] || outcome=FAILED
  [ $status != 77 ] || outcome=skipped
  printf '%s\t%s\t%s\n' "$name" "$outcome" $((SECONDS - started)) >>"$results/steps.tsv"
  say "$name: $outcome ($((SECONDS - started)) s)"
  case $outcome in
    FAILED) grep -E '^ *[0-9]+ - |\*\*\*|FAILED|[Ee]rror|broken|not ok' "$logs/$name.log" | tail -40
            echo "---- end of build/logs/$name.log"; tail -n 60 "$logs/$name.log" ;;
    skipped) tail -n 3 "$logs/$name.log" ;;
  esac
  return $status
}

# The last lines, whatever happened. Exits.
finish() {
  python3 "$root/tests/support/summary.py" "$results"
  exit $?
}

choose_preset() {
  local nvcc=""
  nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
  if [ -z "$preset" ]; then if [ -n "$nvcc" ]; then preset=cuda; else preset=cpu; fi; fi
  say "preset $preset ($([ -n "$nvcc" ] && echo "nvcc: $nvcc" || echo "no nvcc on this machine: the host device only"))"
}

# ctest_labels NAME JOBS LABELS [PRESET]: the suites with these labels; case counts go to results/NAME.
ctest_labels() {
  local name=$1 parallel=$2 labels=$3 build=$root/build/${4:-$preset}
  mkdir -p "$results/$name"
  GTEST_OUTPUT="xml:$results/$name/" ctest --test-dir "$build" -L "^($labels)\$" -j "$parallel" \
    --output-on-failure --no-tests=error --output-junit "$results/$name/ctest.junit"
}

sanitized() {
  local name=$1
  cmake --preset "$name" -DPENSTOCK_BENCHMARKS=OFF && cmake --build --preset "$name" -j "$jobs" &&
    ctest_labels "$name" "$jobs" "unit|contract|flow|fuzz" "$name"
}

tidy() { cmake --preset tidy -DPENSTOCK_BENCHMARKS=OFF && cmake --build --preset tidy -j "$jobs"; }

# libFuzzer starts from the vectors, of every kind: what is no seed for one reader is a hostile file for it.
fuzz_smoke() {
  local seconds=60 targets target
  cmake --preset fuzz -DPENSTOCK_BENCHMARKS=OFF && cmake --build --preset fuzz -j "$jobs" --target fuzzers || return 1
  targets=$(find "$root/build/fuzz/bin" -name 'fuzz_*' -perm -u+x | sort)
  [ -n "$targets" ] || { echo "no fuzz target was built" && return 1; }
  for target in $targets; do
    mkdir -p "$root/build/fuzz/corpus/$(basename "$target")"
    "$target" -max_total_time=$((seconds / $(wc -w <<<"$targets") + 1)) -rss_limit_mb=4096 \
      "$root/build/fuzz/corpus/$(basename "$target")" "$root/tests/vectors/bn254" "$root/tests/vectors/bls12_381" || return 1
  done
}

say "tests/run.sh ($tier): $(git rev-parse --short HEAD 2>/dev/null || echo 'no git') on $jobs cores"
if [ "$install" = yes ]; then
  step install bash deploy/install.sh "$([ "$tier" = all ] && echo --all || echo --dev)" || finish
fi
choose_preset
step configure cmake --preset "$preset" || finish
step build cmake --build --preset "$preset" -j "$jobs" || finish
if [ "$tier" = quick ]; then
  step unit ctest_labels unit "$jobs" unit
  finish
fi
step lint ctest_labels lint "$jobs" lint
step unit ctest_labels unit "$jobs" unit
step contract ctest_labels contract "$jobs" contract
step flow ctest_labels flow "$jobs" flow
step replay ctest_labels replay "$jobs" fuzz
[ ! -e /dev/nvidia0 ] || [ "$preset" != cuda ] || step gpu ctest_labels gpu 1 gpu
step cluster ctest_labels cluster 1 cluster
step snarkjs ctest_labels snarkjs 1 snarkjs
if [ "$tier" = all ]; then
  step asan sanitized asan
  step tsan sanitized tsan
  step tidy tidy
  step fuzz fuzz_smoke
  step compose bash tests/cluster/compose.sh
  step snarkjs_large ctest_labels snarkjs_large 1 snarkjs_large
  step bench bash tests/bench/regression.sh "$root/build/$preset"
fi
finish
