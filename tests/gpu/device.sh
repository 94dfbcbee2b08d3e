#!/usr/bin/env bash
# Everything that needs a GPU, in one call: the device's tests, compute-sanitizer on some, `penstock` itself on the
# vectors, the benchmarks; a table last.
# Usage: tests/gpu/device.sh BIN_DIR [OUT_DIR]      BIN_DIR holds gpu_device and penstock (deploy/bundle.sh)
# Environment: PENSTOCK_DEVICE_STEPS="tests files sanitizer bench proofs" (the default: these; huge: a key of 2^26, 45 GB
#   in TMPDIR, and a transform of 2^28); TMPDIR holds keys of 7 GB.
# files: keys, proofs and verification keys made there, as OUT_DIR/files.tar; tests/snarkjs/device_files.js checks them
#   with snarkjs on a machine that has it.
# Exit: 0 all passed, 1 something failed, 77 no device.
set -u
bin=${1:?usage: tests/gpu/device.sh BIN_DIR [OUT_DIR]}
out=${2:-$(mktemp -d)}
steps=${PENSTOCK_DEVICE_STEPS:-tests files sanitizer bench proofs}
export PENSTOCK_REQUIRE_GPU=1 PENSTOCK_TEST_VECTORS_DIR=${PENSTOCK_TEST_VECTORS_DIR:-$(cd "$(dirname "$0")/../vectors" && pwd)}
mkdir -p "$out"
passed=0 failed=0

verdict() { # NAME STATUS
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
  printf '%-44s %-12s %4d s\n' "$1" "$([ "$2" -eq 0 ] && echo ok || echo "FAILED ($2)")" $SECONDS | tee -a "$out/steps.txt"
}
wanted() { case " $steps " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
bench() { # SECONDS NAME CURVE SIZES RUNS [OPTION ...]
  local limit=$1 name=$2 curve=$3 sizes=$4 runs=$5
  shift 5
  timeout "$limit" "$bin/penstock" bench "$name" --device cuda:0 --curve "$curve" --sizes "$sizes" --runs "$runs" "$@" \
    --append "$out/bench.jsonl" >>"$out/bench.txt" 2>"$out/bench_${name}_$curve.err"
  verdict "bench $name $curve $sizes" $?
}

# One curve's vectors by the command line: a proof of each verified, a key made on the device, a proof with it.
files_of() { # CURVE FOLDER
  local vectors="$PENSTOCK_TEST_VECTORS_DIR/$1" made="$2/$1" name
  mkdir -p "$made"
  prove_and_verify() { # KEY WITNESS VERIFICATION_KEY NAME
    "$bin/penstock" prove "$1" "$2" "$made/$4.proof.json" "$made/$4.public.json" --device cuda:0 &&
      "$bin/penstock" verify "$3" "$made/$4.public.json" "$made/$4.proof.json"
  }
  for name in mul chain nopub unused square linear; do
    prove_and_verify "$vectors/$name.zkey" "$vectors/$name.wtns" "$vectors/$name.vk.json" "$name" || return 1
  done
  local range="$vectors/range64"
  prove_and_verify "$range/circuit.zkey" "$range/witness.wtns" "$range/verification_key.json" range64 || return 1
  "$bin/penstock" setup "$vectors/chain.r1cs" "$made/dev.zkey" "$made/dev.vk.json" --insecure-dev --device cuda:0 &&
    prove_and_verify "$made/dev.zkey" "$vectors/chain.wtns" "$made/dev.vk.json" dev
}

command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1 || { echo "no NVIDIA device answers here"; exit 77; }
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader | tee "$out/device.txt"

if wanted tests; then
  timeout 200 "$bin/gpu_device" --gtest_brief=1 >"$out/tests.txt" 2>&1
  verdict "gpu tests" $?
  tail -2 "$out/tests.txt"
fi

if wanted files; then
  made=$(mktemp -d)
  for curve in bn254 bls12_381; do
    (files_of $curve "$made") >>"$out/files.txt" 2>&1
    verdict "penstock prove, setup, verify $curve" $?
  done
  tar -cf "$out/files.tar" -C "$made" .
  rm -rf "$made"
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
  # Opening the device runs its self-test: transforms, sums and proofs on both curves.
  for check in "memcheck DeviceField*:DeviceHalves*:*SumRows*:DeviceDecoding.Equals*:DeviceMemory.MakesAProof*:DeviceProof.VerifiesForEvery*" \
    "racecheck DeviceProof.RefusesAWitnessThatDoesNotSatisfy" "initcheck DeviceProof.RefusesAWitnessThatDoesNotSatisfy"; do
    set -- $check
    timeout 90 compute-sanitizer --tool "$1" --error-exitcode 9 "$bin/gpu_device" --gtest_brief=1 --gtest_filter="$2" \
      >"$out/$1.txt" 2>&1
    verdict "compute-sanitizer $1" $?
    tail -1 "$out/$1.txt"
  done
  set +f
fi

if wanted proofs; then
  for curve in bn254 bls12_381; do
    bench 60 prove $curve 10,12,14,16,18,20,22 3
    bench 30 setup $curve 18 1
  done
  for curve in bn254 bls12_381; do bench 110 prove $curve 24 3; done
fi

if wanted huge; then
  bench 60 ntt bn254 28 3
  bench 400 prove bn254 26 1 --mix full-width
fi

[ -f "$out/bench.txt" ] && grep -v "^bench" "$out/bench.txt"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
