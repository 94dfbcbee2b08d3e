#!/bin/bash
# Cross-checks with snarkjs: tests/snarkjs/run.sh BIN_DIR SCRIPT.js; the last line is `N passed, N failed`.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$here/install.sh"
NODE_PATH=$(cd "$here/../../build/npm" && pwd)/node_modules
export NODE_PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PENSTOCK_BIN_DIR=$1 PENSTOCK_SCRATCH=$scratch node "$here/$2" </dev/null
