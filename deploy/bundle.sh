#!/usr/bin/env bash
# Makes a relocatable folder: binaries of a build with the shared libraries they need, to run on a machine that has neither
# compiler nor packages (a GPU machine, say).
# Usage: deploy/bundle.sh BUILD_DIR OUT_DIR [BINARY ...]       default binaries: all of BUILD_DIR/bin
# The binaries find their libraries in OUT_DIR/lib through the wrappers in OUT_DIR/bin.
set -euo pipefail
build=${1:?usage: deploy/bundle.sh BUILD_DIR OUT_DIR [BINARY ...]}
out=${2:?usage: deploy/bundle.sh BUILD_DIR OUT_DIR [BINARY ...]}
shift 2
binaries=("$@")
[ ${#binaries[@]} -gt 0 ] || mapfile -t binaries < <(find "$build/bin" -maxdepth 1 -type f -executable -printf '%f\n')
mkdir -p "$out/bin" "$out/lib" "$out/libexec"

for name in "${binaries[@]}"; do
  cp "$build/bin/$name" "$out/libexec/$name"
  strip --strip-unneeded "$out/libexec/$name" 2>/dev/null || true
  # The C library and the loader belong to the target machine; everything else travels.
  ldd "$build/bin/$name" | awk '/=> \//{print $3}' |
    grep -vE '/(ld-linux|libc|libm|libpthread|libdl|librt|libresolv)[-.]' | while read -r library; do
      cp -Lu "$library" "$out/lib/"
    done
  cat >"$out/bin/$name" <<'WRAPPER'
#!/bin/sh
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/libexec/$(basename -- "$0")" "$@"
WRAPPER
  chmod +x "$out/bin/$name"
done
du -sh "$out" | awk '{print "bundle: " $1}'
