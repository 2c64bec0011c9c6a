#!/usr/bin/env bash
# Tests/run.sh [--beside REGEX]… ARGUMENTS…: `swift test ARGUMENTS…`, and where some fail, their names once more at the
# end: among thousands of lines nobody finds them.
#
# --beside: the tests that REGEX names run in a process of their own beside the others. A process has as many threads
# for its tests as there are processors, and tests that start commands only wait for them: by themselves they would
# leave the processors idle.
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
  swift build --build-tests || exit 1
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
