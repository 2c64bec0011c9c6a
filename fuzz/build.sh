#!/bin/bash
# Builds fleetkit-fuzz in release with AddressSanitizer and libFuzzer's counters in every module; prints its path.
# Arguments are passed on to `swift build`.
set -euo pipefail
cd "$(dirname "$0")"
counters=trace-cmp,indirect-calls,inline-8bit-counters,pc-table
swift build -c release --sanitize=address "$@" \
  -Xswiftc -sanitize-coverage=edge,$counters -Xcc -fsanitize-coverage=$counters >&2
echo "$PWD/.build/release/fleetkit-fuzz"
