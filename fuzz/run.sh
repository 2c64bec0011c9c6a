#!/bin/bash
# Runs the targets, two at a time, and prints the executions and coverage of each.
# Usage: fuzz/run.sh [TARGET…]
#
# FLEETKIT_FUZZ_SECONDS  time for each target (1200)
# FLEETKIT_FUZZ_JOBS     targets at a time (2)
# Exits with 1 if there is a finding, and saves its input in fuzz/findings.
set -euo pipefail
fuzz=$(cd "$(dirname "$0")" && pwd)
export fuzz seconds=${FLEETKIT_FUZZ_SECONDS:-1200} program=$fuzz/.build/release/fleetkit-fuzz
mkdir -p "$fuzz/findings" "$fuzz/.build/corpus" "$fuzz/.build/logs"

# The runtime's own backtraces read stacks in a way that AddressSanitizer reports, and may not end.
# With a small quarantine, the memory use stays close to what the target itself uses.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=quarantine_size_mb=32:allocator_may_return_null=1

# Files are written for every input, so they are kept in memory if the system has a folder for that.
TMPDIR=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")" fleetkit-fuzz.XXXXXX)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

fuzz_one() {
  local target=$1 log=$fuzz/.build/logs/$1.log status=0
  mkdir -p "$fuzz/.build/corpus/$target"
  "$program" "$target" "$fuzz/.build/corpus/$target" "$fuzz/corpus/$target" \
    -max_total_time="$seconds" -max_len=$((1 << 18)) -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512 \
    -print_final_stats=1 -artifact_prefix="$fuzz/findings/$target-" >"$log" 2>&1 </dev/null || status=$?
  # After a finding, libFuzzer prints no final coverage line, so the last one that it did print is used.
  local coverage executions
  coverage=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -1 || true)
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
  printf '%-10s %10s executions  %-24s %s\n' "$target" "${executions:-?}" "$coverage" \
    "$([ $status = 0 ] && echo "no finding" || echo "FINDING, see ${log#"$PWD/"} and fuzz/findings")"
  return $status
}
export -f fuzz_one

if [ $# = 0 ]; then mapfile -t targets < <("$program"); else targets=("$@"); fi
# xargs exits with 123 if one of the commands failed.
printf '%s\n' "${targets[@]}" | xargs -n 1 -P "${FLEETKIT_FUZZ_JOBS:-2}" bash -c 'fuzz_one "$0"' || exit 1
