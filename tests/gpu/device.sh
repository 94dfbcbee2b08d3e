#!/usr/bin/env bash
# Everything that needs a GPU, in one call: the device's tests, compute-sanitizer on some, the benchmarks; a table last.
# Usage: tests/gpu/device.sh BIN_DIR [OUT_DIR]      BIN_DIR holds gpu_device and penstock (deploy/bundle.sh)
# Environment: PENSTOCK_DEVICE_STEPS="tests sanitizer bench proofs" (the default: all); TMPDIR holds keys of 7 GB.
# Exit: 0 all passed, 1 something failed, 77 no device.
set -u
bin=${1:?usage: tests/gpu/device.sh BIN_DIR [OUT_DIR]}
out=${2:-$(mktemp -d)}
steps=${PENSTOCK_DEVICE_STEPS:-tests sanitizer bench proofs}
export PENSTOCK_REQUIRE_GPU=1 PENSTOCK_TEST_VECTORS_DIR=${PENSTOCK_TEST_VECTORS_DIR:-$(cd "$(dirname "$0")/../vectors" && pwd)}
mkdir -p "$out"
passed=0 failed=0

verdict() { # NAME STATUS
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  printf '%-44s %-12s %4d s\n' "$1" "$([ "$2" -eq 0 ] && echo ok || echo "FAILED ($2)")" $SECONDS | tee -a "$out/steps.txt"
}
wanted() { case " $steps " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
bench() { # SECONDS NAME CURVE SIZES RUNS
  timeout "$1" "$bin/penstock" bench "$2" --device cuda:0 --curve "$3" --sizes "$4" --runs "$5" --append "$out/bench.jsonl" \
    >>"$out/bench.txt" 2>"$out/bench_$2_$3.err"
  verdict "bench $2 $3" $?
}

command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1 || { echo "no NVIDIA device answers here"; exit 77; }
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader | tee "$out/device.txt"

if wanted tests; then
  timeout 150 "$bin/gpu_device" --gtest_brief=1 >"$out/tests.txt" 2>&1
  verdict "gpu tests" $?
  tail -2 "$out/tests.txt"
fi

if wanted bench; then
  for curve in bn254 bls12_381; do
    bench 20 field $curve 28 5
    bench 40 ntt $curve 16,18,20,22,24,26 7
    bench 60 msm_g1 $curve 16,18,20,22,24,26 5
    bench 60 msm_g2 $curve 16,18,20,22,24 3
  done
fi

if wanted sanitizer && command -v compute-sanitizer >/dev/null; then
  set -f # the filters' stars are gtest's
  # Opening the device runs the self-test: transforms and sums on both curves and groups.
  for check in "memcheck DeviceField*:DeviceHalves*:*SumRows*:DeviceDecoding.Equals*:DeviceProof.VerifiesForEvery*" \
    "racecheck DeviceProof.RefusesAWitnessThatDoesNotSatisfy" "initcheck DeviceProof.RefusesAWitnessThatDoesNotSatisfy"; do
    set -- $check
    timeout 45 compute-sanitizer --tool "$1" --error-exitcode 9 "$bin/gpu_device" --gtest_brief=1 --gtest_filter="$2" \
      >"$out/$1.txt" 2>&1
    verdict "compute-sanitizer $1" $?
    tail -1 "$out/$1.txt"
  done
fi

if wanted proofs; then
  for curve in bn254 bls12_381; do
    bench 60 prove $curve 10,14,16,18,20,22 3
    bench 30 setup $curve 18 1
  done
  for curve in bn254 bls12_381; do bench 110 prove $curve 24 3; done
fi

[ -f "$out/bench.txt" ] && grep -v "^bench" "$out/bench.txt"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
