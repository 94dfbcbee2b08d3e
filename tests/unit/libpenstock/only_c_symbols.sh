#!/bin/sh
# Every symbol that the library defines for others begins with penstock_ or groth16_.
symbols=$(nm --dynamic --defined-only "$1" | awk '{print $3}')
surplus=$(echo "$symbols" | grep -v -e '^penstock_' -e '^groth16_')
if [ -n "$surplus" ]; then
  echo "exported by accident: $surplus"
  echo "0 passed, 1 failed"
  exit 1
fi
echo "$(echo "$symbols" | wc -l) symbols, all ours"
echo "1 passed, 0 failed"
