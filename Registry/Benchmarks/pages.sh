#!/usr/bin/env bash
# Measures the pages: 300 requests/s to a registry with 10 000 items, and the weight of a page with its stylesheet, script
# and icon. Fails if p95 is not below 30 ms, or if a page weighs more than 50 KB.
# FLEETKIT_BENCH_SECONDS is the length of the run (30).
set -euo pipefail
cd "$(dirname "$0")"
registry=${FLEETKIT_REGISTRY_COMMAND:-../.build/release/fleetkit-registry}
seconds=${FLEETKIT_BENCH_SECONDS:-30}
items=10000
command -v wrk > /dev/null || { echo "wrk is missing: apt-get install wrk"; exit 2; }
[ -x "$registry" ] || { echo "$registry is missing: make registry"; exit 2; }

work=$(mktemp -d)
pid=
stop() {
  if [ -n "$pid" ]; then kill "$pid" 2> /dev/null || true; wait "$pid" 2> /dev/null || true; fi
  rm -rf "$work"
}
trap stop EXIT
export JWT_SECRET_KEY=benchmark-benchmark-benchmark-benchmark
"$registry" --database "$work/registry.sqlite" --dev --no-rate-limit --port 0 --log-level warning > "$work/out" 2> "$work/log" &
pid=$!
for _ in $(seq 100); do grep -q listening "$work/out" && break; sleep 0.1; done
url=$(sed -n 's/^listening on //p' "$work/out")
token=$(curl -s -X POST "$url/api/v1/auth/test-signin?email=bench@example.com" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')
python3 seed.py "${url##*:}" "$token" $items

# Without the pauses of 99 ms on average, 30 connections would send as fast as they can.
LOAD=page PACE=99 ITEMS=$items wrk -t2 -c30 -d"${seconds}s" -s load.lua "$url" |
  awk '/^RESULT/ { print $2, $3, $4, $5, $6 }' > "$work/result"
read -r rate p50 p95 p99 errors < "$work/result"
echo "$rate requests/s · p50 $p50 ms · p95 $p95 ms · p99 $p99 ms · errors $errors"

status=0
assets=0
for path in style.css script.js icon.svg; do assets=$((assets + $(curl -s "$url/assets/$path" | wc -c))); done
for path in / '/?q=departure' /c/bench-1-0A1B2C3D /u/bench; do
  weight=$(($(curl -s "$url$path" | wc -c) + assets))
  echo "$path weighs $weight bytes"
  [ "$weight" -le 50000 ] || { echo "$path weighs more than 50 KB" >&2; status=1; }
done
awk "BEGIN { exit !($p95 < 30 && $errors == 0 && $rate > 250) }" ||
  { echo "below 30 ms without errors at 300 requests/s is asked for" >&2; status=1; }
exit $status
