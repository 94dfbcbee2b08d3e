#!/bin/bash
# From a clean clone to verified proofs: installs packages, builds, starts a cluster (queue, two synthesis workers,
# one GPU service on what this machine has), proves the demo's circuit on both curves, verifies, stops.
#   bash deploy/demo.sh             everything on loopback; proofs are left in build/demo-proofs
#   --device auto|cpu|cuda:N        default auto
#   --keep                          leave the cluster running until Ctrl-C
#   --no-install                    packages are there
#   --bin DIR                       the programs are there: builds nothing
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

device=auto keep=no install=yes built=""
while [ $# -gt 0 ]; do
  case $1 in
    --device) device=${2:?--device needs auto, cpu or cuda:N} && shift ;;
    --keep) keep=yes ;;
    --no-install) install=no ;;
    --bin) built=${2:?--bin needs a folder} && shift ;;
    --help | -h) sed -n '2,8s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) echo "demo.sh: unknown argument $1; --help lists them" >&2 && exit 2 ;;
  esac
  shift
done

say() { printf '[%3d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"; }
build=$root/build/demo bin=${built:-$root/build/demo/bin}
proofs=$root/build/demo-proofs
data=$(mktemp -d "${TMPDIR:-/tmp}/penstock-demo.XXXXXX")
cluster=""

# However the script ends, its cluster ends with it. Status: the script's own.
finish() {
  local status=$?
  trap - EXIT
  if [ -n "$cluster" ] && kill -0 "$cluster" 2>/dev/null; then
    say "stopping the cluster (SIGTERM: it drains)"
    kill -TERM "$cluster"
    wait "$cluster" && say "stopped cleanly" || { say "the cluster ended with status $?"; status=1; }
  fi
  [ $status = 0 ] || { echo "---- the cluster's last lines"; tail -n 20 "$data"/log/*.log "$data/up.log" 2>/dev/null; } >&2
  rm -rf "$data"
  exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null || { tail -n 40 "$log" >&2 && return 1; }
}

build_programs() {
  mkdir -p "$build"
  # Without a GPU the CUDA device would be built for nothing.
  quietly "$build/configure.log" cmake --preset cpu -B "$build" -DPENSTOCK_TESTS=OFF -DPENSTOCK_BENCHMARKS=OFF \
    -DPENSTOCK_CUDA="$([ -e /dev/nvidia0 ] && echo AUTO || echo OFF)" || return 1
  say "building penstock, penstock-queue, penstock-synthesis, penstock-gpu on $(nproc) cores"
  # Ninja's own progress, one line a minute.
  (while sleep 60; do say "  $(grep -o '^\[[0-9/]*\]' "$build/build.log" | tail -n 1) built so far"; done) &
  local ticker=$! status=0
  quietly "$build/build.log" cmake --build "$build" -j "$(nproc)" \
    --target penstock penstock-queue penstock-synthesis penstock-gpu || status=$?
  kill $ticker 2>/dev/null
  wait $ticker 2>/dev/null || true
  return $status
}

make_keys() {
  local curve folder
  for curve in bn254 bls12_381; do
    folder=$data/circuit/$curve
    mkdir -p "$folder"
    xz -dc "tests/vectors/demo/$curve/demo.r1cs.xz" >"$folder/demo.r1cs"
    xz -dc "tests/vectors/demo/$curve/demo.sym.xz" >"$folder/demo.sym"
    quietly "$folder/setup.log" "$bin/penstock" setup "$folder/demo.r1cs" "$folder/demo.zkey" "$folder/demo.vk.json" \
      --insecure-dev || return 1
    say "$curve: development key made ($(stat -c %s "$folder/demo.zkey" | numfmt --to=iec) bytes)"
  done
}

start_cluster() {
  "$bin/penstock" up --synthesis 2 --device "$device" --data "$data" --http 127.0.0.1:0 --allow-insecure-keys \
    >"$data/up.log" 2>&1 </dev/null &
  cluster=$!
  local deadline=$((SECONDS + 60)) address=""
  while [ $SECONDS -lt $deadline ] && kill -0 "$cluster" 2>/dev/null; do
    address=$(sed -n 's/.*"http" *: *"\([^"]*\)".*/\1/p' "$data/run/queue.json" 2>/dev/null || true)
    if [ -n "$address" ] && [ "$(ls "$data"/run/*.json 2>/dev/null | wc -l)" -ge 4 ] &&
      curl -fsS "http://$address/readyz" >/dev/null 2>&1; then
      export PENSTOCK_URL=http://$address
      say "cluster up at $PENSTOCK_URL: $(basename -a -s .json "$data"/run/*.json | xargs)"
      return 0
    fi
    sleep 0.2
  done
  cat "$data/up.log" >&2
  say "the cluster did not come up" && return 1
}

prove_on() {
  local curve=$1 folder=$data/circuit/$1 inputs=tests/vectors/demo out=$proofs/$1 proof count=0
  "$bin/penstock" circuit add "demo-$curve" --zkey "$folder/demo.zkey" --wasm "tests/vectors/demo/$curve/demo.wasm" \
    --r1cs "$folder/demo.r1cs" --sym "$folder/demo.sym" --vk "$folder/demo.vk.json"
  say "$curve: circuit registered; submitting three inputs as one job"
  mkdir -p "$out"
  "$bin/penstock" submit "demo-$curve" --input $inputs/input1.json --input $inputs/input2.json \
    --input $inputs/input3.json --wait --out "$out"
  cp "$folder/demo.vk.json" "$out/verification_key.json"
  for proof in "$out"/proof*.json; do
    "$bin/penstock" verify "$out/verification_key.json" "$out/public${proof#"$out"/proof}" "$proof"
    count=$((count + 1))
    say "$curve: VERIFIED ${proof#"$root"/}"
  done
  [ $count = 3 ] || { say "$curve: expected 3 proofs, found $count" && return 1; }
}

say "Penstock demo on $(nproc) cores, device $device"
if [ "$install" = yes ]; then bash deploy/install.sh --minimal; fi
[ -n "$built" ] || { say "configuring" && build_programs && say "built"; }
make_keys
start_cluster
rm -rf "$proofs"
prove_on bn254
prove_on bls12_381
say "proofs, publics and verification keys: build/demo-proofs/bn254 and build/demo-proofs/bls12_381"
"$bin/penstock" status || true
if [ "$keep" = yes ]; then
  say "the cluster stays up; PENSTOCK_URL=$PENSTOCK_URL; Ctrl-C stops it"
  wait "$cluster"
fi
