#!/bin/bash
# Builds fleetkit-fuzz in release mode, with AddressSanitizer and libFuzzer's counters in every module. Prints the path
# of the program.
# Arguments are passed on to `swift build`.
set -euo pipefail
cd "$(dirname "$0")"
counters=trace-cmp,indirect-calls,inline-8bit-counters,pc-table
swift build -c release --sanitize=address "$@" \
  -Xswiftc -sanitize-coverage=edge,$counters -Xcc -fsanitize-coverage=$counters >&2
echo "$PWD/.build/release/fleetkit-fuzz"
