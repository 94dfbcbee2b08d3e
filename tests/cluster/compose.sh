#!/bin/bash
# The images and docker-compose.yml, for real: builds the four images, starts the cluster with three synthesis workers,
# proves a job on each curve, takes everything down. Needs root on Debian 12 and the Debian archive; no image registry:
# the base image is made with debootstrap and a private engine runs on a socket of its own (loopback only, no
# iptables, no NAT). Exit 77 and a reason where that cannot be.
#   --keep-base FILE   reuse or leave the base image's tar there
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cannot() { echo "compose: skipped: $*" && exit 77; }
base_tar=""
[ "${1:-}" != --keep-base ] || base_tar=$2

[ "$(id -u)" = 0 ] || cannot "needs root to run a container engine"
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || cannot "the recipe is Debian 12's"
unshare --mount --pid --fork true 2>/dev/null || cannot "no namespaces here (inside a container?)"

started=$SECONDS
say() { printf '[%4ds] %s\n' $((SECONDS - started)) "$*"; }
work=$(mktemp -d /var/tmp/penstock-compose.XXXXXX)
export DOCKER_HOST=unix://$work/d.sock DOCKER_BUILDKIT=0 COMPOSE_DOCKER_CLI_BUILD=0
export PENSTOCK_API_KEY_FILE=$work/api_key PENSTOCK_ALLOW_INSECURE_KEYS=true PENSTOCK_HTTP_PORT=17780
compose=(docker-compose --project-directory "$work/src" -p penstocktest -f "$work/src/docker-compose.yml"
  -f "$work/override.yml" --profile cpu)

stop_engine() {
  local pid
  pid=$(cat "$work/d.pid" 2>/dev/null) || return 0
  kill "$pid" 2>/dev/null
  timeout 60 tail --pid="$pid" -f /dev/null
}

# Runs however the script ends: containers, engine, bridge, mounts, folder.
cleanup() {
  local status=$?
  trap - EXIT
  if [ -S "$work/d.sock" ]; then
    [ ! -f "$work/override.yml" ] || "${compose[@]}" down -v -t 20 >"$work/down.log" 2>&1
    stop_engine
  fi
  ! ip link show docker0 >/dev/null 2>&1 || ip link del docker0
  awk -v w="$work" 'index($2, w) == 1 {print $2}' /proc/mounts | sort -r | xargs -r -n 1 umount
  rm -rf "$work"
  say "cleaned up: no engine, no bridge, no folder left"
  exit $status
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# No engine of the package may start by itself.
install_engine() {
  local policy=/usr/sbin/policy-rc.d placed=no
  if ! dpkg-query -W docker.io docker-compose debootstrap iptables >/dev/null 2>&1; then
    [ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy && placed=yes; }
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker.io docker-compose debootstrap \
      iptables </dev/null >"$work/apt.log" 2>&1
    local status=$?
    [ $placed = no ] || rm -f $policy
    systemctl disable --now docker.socket docker.service containerd.service >/dev/null 2>&1
    return $status
  fi
}

make_base() {
  if [ ! -s "${base_tar:-$work/base.tar}" ]; then
    debootstrap --variant=minbase bookworm "$work/base" >"$work/debootstrap.log" 2>&1 || return 1
    cp /etc/apt/sources.list.d/debian.sources "$work/base/etc/apt/sources.list.d/" 2>/dev/null &&
      sed -i 's#Signed-By:.*#Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg#' \
        "$work/base/etc/apt/sources.list.d/debian.sources" && : >"$work/base/etc/apt/sources.list"
    tar -C "$work/base" -c . >"${base_tar:-$work/base.tar}" && rm -rf "$work/base"
  fi
}

start_engine() {
  # Debian's own client and engine, whatever else is in PATH.
  PATH=/usr/sbin:/usr/bin:/sbin:/bin
  dockerd --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/d.pid" -H "$DOCKER_HOST" \
    --iptables=false --ip-forward=false --ip-masq=false --storage-driver overlay2 >"$work/dockerd.log" 2>&1 </dev/null &
  local deadline=$((SECONDS + 60))
  until docker info >/dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || return 1
    sleep 0.2
  done
}

# A clean copy of what git tracks (and would): no build folder in the context.
export_tree() {
  mkdir -p "$work/src"
  (cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -c) | tar -C "$work/src" -x
  head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$PENSTOCK_API_KEY_FILE" && chmod 644 "$PENSTOCK_API_KEY_FILE"
  cat >"$work/override.yml" <<YAML
services:
  queue: {build: {network: host}}
  synthesis: {build: {network: host}}
  gpu-host: {build: {network: host}}
  gpu: {build: {network: host}}
YAML
}

# The client is the queue image's own penstock, beside the queue.
client() { "${compose[@]}" exec -T -e PENSTOCK_URL=http://127.0.0.1:7780 -e PENSTOCK_API_KEY_FILE=/run/secrets/penstock_api_key queue penstock "$@"; }
container_of() { "${compose[@]}" ps -q "$1" | head -n 1; }

prove_on() {
  local curve=$1 name=mul queue
  queue=$(container_of queue)
  docker cp "$root/tests/vectors/$curve" "$queue:/tmp/$curve" || return 1
  client circuit add "$name-$curve" --zkey "/tmp/$curve/$name.zkey" --wasm "/tmp/$curve/$name.wasm" \
    --r1cs "/tmp/$curve/$name.r1cs" || return 1
  client submit "$name-$curve" --input "/tmp/$curve/$name.in.json" --input "/tmp/$curve/$name.in.json" \
    --input "/tmp/$curve/$name.in.json" --wait --out "/tmp/out-$curve" || return 1
  "${compose[@]}" exec -T queue sh -c "ls /tmp/out-$curve && for p in /tmp/out-$curve/proof*.json; do
    penstock verify /tmp/$curve/$name.vk.json \$(echo \$p | sed s/proof/public/g) \$p || exit 1; done"
}

config_is_valid() {
  "${compose[@]}" --profile monitoring config -q && docker-compose -f "$work/src/docker-compose.yml" --profile gpu config -q
}

say "installing the engine and debootstrap" && install_engine || cannot "Debian's packages cannot be had: $(tail -n 1 "$work/apt.log")"
say "making the base image" && make_base || cannot "debootstrap failed: $(tail -n 1 "$work/debootstrap.log")"
say "starting a private engine" && start_engine || cannot "the engine does not start: $(tail -n 1 "$work/dockerd.log")"
docker import -c 'CMD ["/bin/bash"]' - debian:bookworm-slim <"${base_tar:-$work/base.tar}" >/dev/null || exit 1
export_tree || exit 1
say "docker-compose config, profiles cpu + monitoring and gpu" && config_is_valid || exit 1
# The CUDA target gets a base that has no toolkit: the same Dockerfile, host device only.
export CUDA_DEVEL=debian:bookworm-slim
say "building the images" && "${compose[@]}" --profile gpu build >"$work/build.log" 2>&1 || { tail -n 40 "$work/build.log" && exit 1; }
docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}' | grep penstock
say "starting with three synthesis workers"
"${compose[@]}" up -d --no-build --scale synthesis=3 >"$work/up.log" 2>&1 || { cat "$work/up.log" && "${compose[@]}" logs --tail=30 && exit 1; }
deadline=$((SECONDS + 120))
until [ "$("${compose[@]}" ps -q synthesis gpu-host queue | xargs docker inspect -f '{{.State.Health.Status}}' | grep -c '^healthy$')" = 5 ]; do
  [ $SECONDS -lt $deadline ] || { "${compose[@]}" ps && "${compose[@]}" logs --tail=40 && exit 1; }
  sleep 0.5
done
"${compose[@]}" ps
# Each container is a worker of its own, and stays one.
deadline=$((SECONDS + 60))
until [ "$(client status --json | grep -o '"kind": *"synthesis"' | wc -l)" = 3 ]; do
  [ $SECONDS -lt $deadline ] || { client status && echo "the queue does not know three synthesis workers" && exit 1; }
  sleep 0.5
done
for curve in bn254 bls12_381; do
  say "proving on $curve"
  prove_on "$curve" || { "${compose[@]}" logs --tail=60 && exit 1; }
done
client status
say "proved and verified in containers, three synthesis workers"
echo "1 passed, 0 failed"
