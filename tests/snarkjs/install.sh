#!/bin/bash
# Installs the peers (snarkjs, circom2, circomlib) into build/npm, which git ignores. Prints nothing when there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$here/../../build/npm
mkdir -p "$target"
exec 9>"$target/.lock"
flock 9
if cmp -s "$here/package-lock.json" "$target/installed.json"; then exit 0; fi
command -v npm >/dev/null || { echo "npm is missing: deploy/install.sh --dev installs it" >&2 && exit 1; }
cp "$here/package.json" "$here/package-lock.json" "$target/"
cd "$target"
for attempt in 1 2 3; do
  if npm ci --no-audit --no-fund --ignore-scripts --loglevel=error </dev/null; then
    cp package-lock.json installed.json
    exit 0
  fi
  echo "npm ci failed (attempt $attempt of 3)" >&2
done
exit 1
