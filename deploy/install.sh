#!/bin/bash
# Installs what Penstock needs from Debian 12's packages. Idempotent: when nothing is missing it asks nobody
# and ends within a second. No service of an installed package is started.
#   deploy/install.sh --minimal    to build and run (the demo)
#   deploy/install.sh --dev        and what bash tests/run.sh needs (the default)
#   deploy/install.sh --all        and what bash tests/run.sh --all needs
#   deploy/install.sh --run        only what the built programs need (the run-time images)
#   --list prints the packages and installs nothing
set -euo pipefail

run_packages="ca-certificates curl libcapnp-0.9.2 libzmq5 libsodium23 libprometheus-cpp-core1.0 libprometheus-cpp-pull1.0
  libspdlog1.10 libfmt9 libsqlite3-0 libssl3 libhwloc15 libseccomp2 libcpp-httplib0.11
  libtomlplusplus3"
build_packages="ca-certificates curl git g++ cmake ninja-build ccache pkg-config capnproto libcapnp-dev
  libzmq3-dev cppzmq-dev libsodium-dev prometheus-cpp-dev libcli11-dev libtomlplusplus-dev libspdlog-dev
  libfmt-dev nlohmann-json3-dev libcpp-httplib-dev libboost-dev libboost-system-dev libsqlite3-dev libssl-dev wabt libhwloc-dev
  libseccomp-dev xz-utils"
test_packages="libgtest-dev libgmock-dev libbenchmark-dev libgmp-dev clang-format python3 prometheus
  procps"
full_packages="clang clang-tidy libclang-rt-14-dev"

usage() { sed -n '2,8s/^# \{0,1\}//p' "$0"; }

tier=dev list_only=no
for argument in "$@"; do
  case $argument in
    --minimal) tier=minimal ;;
    --dev) tier=dev ;;
    --all) tier=all ;;
    --run) tier=run ;;
    --list) list_only=yes ;;
    --help | -h) usage && exit 0 ;;
    *) echo "install.sh: unknown argument $argument; --help lists them" >&2 && exit 2 ;;
  esac
done

wanted() {
  case $tier in
    run) echo "$run_packages" ;;
    minimal) echo "$build_packages" ;;
    dev) echo "$build_packages $test_packages" ;;
    all) echo "$build_packages $test_packages $full_packages" ;;
  esac
  # npm conflicts with a node that came from elsewhere: both only where node is missing.
  if [ "$tier" = dev ] || [ "$tier" = all ]; then command -v node >/dev/null || echo nodejs npm; fi
}

missing() {
  local package
  for package in $(wanted); do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
    echo "install.sh: not root and no sudo; run this as root: $*" >&2
    return 1
  fi
}

# Debian starts the services of what it installs unless policy-rc.d says 101; ours goes away again.
policy=/usr/sbin/policy-rc.d
install_without_services() {
  local placed=no status=0
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
    placed=yes
  fi
  # A check's machine is thrown away afterwards: no fsync per file there.
  local options=(-y -qq --no-install-recommends)
  [ "${CI:-}" != true ] || options+=(-o Dpkg::Options::=--force-unsafe-io)
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install "${options[@]}" "$@" </dev/null || status=$?
  [ "$placed" = no ] || as_root rm -f "$policy"
  return $status
}

command -v apt-get >/dev/null || { echo "install.sh: needs Debian (no apt-get here)" >&2 && exit 1; }
if [ "$list_only" = yes ]; then wanted | xargs -n 1 && exit 0; fi
packages=$(missing)
if [ -z "$packages" ]; then echo "install: nothing missing ($tier)" && exit 0; fi
echo "install: $(echo $packages | wc -w) packages ($tier): $(echo $packages)"
started=$SECONDS
install_without_services $packages >/tmp/penstock-install.$$ 2>&1 || {
  tail -30 /tmp/penstock-install.$$ >&2
  rm -f /tmp/penstock-install.$$
  echo "install.sh: apt-get failed (above)" >&2
  exit 1
}
rm -f /tmp/penstock-install.$$
# A test tool, not a service of this machine: neither now nor at the next boot.
case " $(echo $packages) " in
  *" prometheus "*) as_root systemctl disable --now prometheus >/dev/null 2>&1 || true ;;
esac
echo "install: done in $((SECONDS - started)) s"
