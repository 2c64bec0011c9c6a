#!/usr/bin/env bash
# `swift test`, and where it fails its failures once more at the end: among thousands of lines nobody finds them.
# Arguments go to `swift test`.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift test "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if [ "$status" != 0 ]; then
  echo
  echo "── What failed"
  grep -aE 'recorded an issue|Fatal error|error: |unexpected signal|signal code' "$log" | cut -c1-400 | head -40
fi
exit "$status"
