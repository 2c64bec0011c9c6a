#!/usr/bin/env bash
# Tests/run.sh [--beside REGEX] ARGUMENTS…: `swift test ARGUMENTS…`, and where some fail, their names once more at the
# end: among thousands of lines nobody finds them.
#
# --beside: the tests that REGEX names run in a process of their own beside the others. A process has as many threads
# for its tests as there are processors, and tests that start commands only wait for them: by themselves they would
# leave the processors idle.
set -uo pipefail
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
status=0
if [ "${1:-}" = --beside ]; then
  beside=$2
  shift 2
  swift build --build-tests || exit 1
  swift test --skip-build --ignore-lock --filter "$beside" "$@" > "$logs/beside" 2>&1 &
  swift test --skip-build --ignore-lock --skip "$beside" "$@" 2>&1 | tee "$logs/others" || status=1
  wait $! || status=1
  cat "$logs/beside"
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
