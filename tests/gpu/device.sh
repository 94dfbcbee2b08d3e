#!/usr/bin/env bash
# Everything that needs a GPU, in one call: the device's tests, compute-sanitizer on them, the benchmarks; a table last.
# Usage: tests/gpu/device.sh BIN_DIR [OUT_DIR]      BIN_DIR holds gpu_device and penstock_cuda_bench (deploy/bundle.sh)
# Environment: PENSTOCK_BENCH_COMMIT (in the results), PENSTOCK_DEVICE_STEPS="tests sanitizer bench" (the default: all).
# Exit: 0 all passed, 1 something failed, 77 no device.
set -u
bin=${1:?usage: tests/gpu/device.sh BIN_DIR [OUT_DIR]}
out=${2:-$(mktemp -d)}
steps=${PENSTOCK_DEVICE_STEPS:-tests sanitizer bench}
export PENSTOCK_REQUIRE_GPU=1 PENSTOCK_TEST_VECTORS_DIR=${PENSTOCK_TEST_VECTORS_DIR:-$(cd "$(dirname "$0")/../vectors" && pwd)}
export PENSTOCK_BENCH_DATE=$(date -u +%F) PENSTOCK_BENCH_COMMIT=${PENSTOCK_BENCH_COMMIT:-unknown}
mkdir -p "$out"
passed=0 failed=0

verdict() { # NAME STATUS
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  printf '%-44s %s\n' "$1" "$([ "$2" -eq 0 ] && echo ok || echo "FAILED ($2)")" | tee -a "$out/steps.txt"
}
wanted() { case " $steps " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1 || { echo "no NVIDIA device answers here"; exit 77; }
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader | tee "$out/device.txt"

if wanted tests; then
  timeout 240 "$bin/gpu_device" --gtest_brief=1 >"$out/tests.txt" 2>&1
  verdict "gpu tests" $?
  tail -3 "$out/tests.txt"
fi

if wanted sanitizer && command -v compute-sanitizer >/dev/null; then
  small='*SumRows*:*DeviceDecoding.Equals*:*DeviceProof.VerifiesForEvery*:*SkewedScalars*'
  for tool in memcheck racecheck initcheck; do
    timeout 150 compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/gpu_device" --gtest_brief=1 --gtest_filter="$small" \
      >"$out/$tool.txt" 2>&1
    verdict "compute-sanitizer $tool" $?
    tail -1 "$out/$tool.txt"
  done
fi

if wanted bench; then
  for curve in bn254 bls12_381; do
    for what in "ntt 16 18 20 22 24 26" "msm_g1 16 18 20 22 24 26" "msm_g2 16 18 20 22 24"; do
      set -- $what
      timeout 100 "$bin/penstock_cuda_bench" "$1" "$curve" "${@:2}" >>"$out/bench.jsonl" 2>"$out/bench_$1_$curve.txt"
      verdict "bench $1 $curve" $?
    done
  done
  cat "$out"/bench_*.txt
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
