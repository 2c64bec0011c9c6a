#!/usr/bin/env bash
# Compares the registry with its peer (FastAPI, uvicorn with 2 workers, orjson, SQLite): wrk sends the same requests to
# one after the other, over loopback. Prints requests per second, latencies and the ratio. Fails if the registry is
# slower than its peer, or if p95 at 1 000 requests per second is not below 20 ms.
# FLEETKIT_BENCH_SECONDS is the length of each run (10). With PEER_VIEWS=gathered, each of the peer's workers collects
# views in its own memory instead of counting them in the database.
set -euo pipefail
cd "$(dirname "$0")"
registry=${FLEETKIT_REGISTRY_COMMAND:-../.build/release/fleetkit-registry}
seconds=${FLEETKIT_BENCH_SECONDS:-10}
items=1000
command -v wrk > /dev/null || { echo "wrk is missing: apt-get install wrk"; exit 2; }
[ -x "$registry" ] || { echo "$registry is missing: make registry"; exit 2; }

venv=../.build/bench-peer
[ -x $venv/bin/uvicorn ] || { python3 -m venv $venv && $venv/bin/pip install --quiet -r requirements.txt; }
work=$(mktemp -d)
pid=
stop() { [ -z "$pid" ] || { kill "$pid" 2> /dev/null || true; wait "$pid" 2> /dev/null || true; pid=; }; }
trap 'stop; rm -rf "$work"' EXIT
export JWT_SECRET_KEY=benchmark-benchmark-benchmark-benchmark

# measure NAME PORT LOAD CONNECTIONS [PACE]: prints one line "rate p50 p95 p99 errors".
measure() {
  LOAD=$3 PACE=${5:-0} TOKEN=$token ITEMS=$items RUN="$3-$RANDOM$RANDOM" \
    wrk -t2 -c"$4" -d"${seconds}s" -s load.lua "http://127.0.0.1:$2" | awk '/^RESULT/ { print $2, $3, $4, $5, $6 }'
}

# all NAME PORT: seeds, warms up and measures.
all() {
  python3 seed.py "$2" "$token" $items
  seconds=2 measure "$1" "$2" item 64 > /dev/null
  for load in item list share; do measure "$1" "$2" $load 64 > "$work/$1.$load"; done
  measure "$1" "$2" mixed 50 49 > "$work/$1.paced"
}

"$registry" --database "$work/registry.sqlite" --dev --no-rate-limit --port 0 --log-level warning > "$work/out" 2> "$work/log" &
pid=$!
for _ in $(seq 100); do grep -q listening "$work/out" && break; sleep 0.1; done
port=$(sed -n 's/.*:\([0-9]*\)$/\1/p' "$work/out")
token=$(curl -s -X POST "http://127.0.0.1:$port/api/v1/auth/test-signin?email=bench@example.com" |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')
all registry "$port"
stop

export DATABASE="$work/peer.sqlite"
token=$(cd peer && ../$venv/bin/python prepare.py)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
(cd peer && exec ../$venv/bin/uvicorn service:app --port "$port" --workers 2 --no-access-log --log-level warning) \
  > "$work/peer.log" 2>&1 &
pid=$!
for _ in $(seq 100); do curl -s -o /dev/null "http://127.0.0.1:$port/api/v1/content/public" && break; sleep 0.1; done
all peer "$port"
stop

WORK=$work python3 report.py
