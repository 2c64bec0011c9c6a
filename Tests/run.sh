#!/usr/bin/env bash
# Usage: Tests/run.sh [--beside REGEX]… ARGUMENTS…
# Runs `swift test ARGUMENTS…`. If tests fail, prints their names again at the end, because they are hard to find in
# thousands of lines.
#
# --beside: run the tests that match REGEX in a separate process, at the same time as the others. A process has as many
# threads for its tests as there are processors, and tests that start commands only wait for them: in the same process
# they would leave processors idle.
set -uo pipefail
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
status=0
groups=()
while [ "${1:-}" = --beside ]; do
  groups+=("$2")
  shift 2
done
if [ ${#groups[@]} -gt 0 ]; then
  swift build --build-tests "$@" || exit 1
  processes=()
  skip=()
  for group in "${groups[@]}"; do
    swift test --skip-build --ignore-lock --filter "$group" "$@" > "$logs/beside-${#processes[@]}" 2>&1 &
    processes+=($!)
    skip+=(--skip "$group")
  done
  swift test --skip-build --ignore-lock "${skip[@]}" "$@" 2>&1 | tee "$logs/others" || status=1
  for process in "${processes[@]}"; do wait "$process" || status=1; done
  cat "$logs"/beside-*
else
  swift test "$@" 2>&1 | tee "$logs/all" || status=1
fi
if [ "$status" != 0 ]; then
  echo
  echo "── What failed"
  grep -ahE 'recorded an issue|Fatal error|error: |unexpected signal|signal code' "$logs"/* | cut -c1-400 | head -40
fi
grep -ahE 'Test run with' "$logs"/*
exit "$status"
