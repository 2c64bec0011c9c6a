#!/usr/bin/env bash
# Tests the registry with schemathesis (PyPI): valid and invalid requests made from the OpenAPI document, and requests
# that follow from answers. Fails if an answer is not as described, or if there were fewer cases than requested.
#
#   FLEETKIT_SCHEMATHESIS_CASES   the minimum number of cases (300)
#   FLEETKIT_REGISTRY             the server's binary (.build/debug/fleetkit-registry)
#   FLEETKIT_TEST_DATABASE        the address of an empty PostgreSQL database (a new SQLite file)
#   FLEETKIT_JUDGES               the judges' Python (../.build/judges; make judges)
set -euo pipefail
cd "$(dirname "$0")/.."
cases=${FLEETKIT_SCHEMATHESIS_CASES:-300}
registry=${FLEETKIT_REGISTRY:-$PWD/.build/debug/fleetkit-registry}
judges=${FLEETKIT_JUDGES:-$PWD/../.build/judges}
if [ ! -x "$judges/bin/schemathesis" ]; then
  echo "schemathesis is not installed (make judges)" >&2
  [ "${FLEETKIT_REQUIRE_JUDGES:-}" = 1 ] && exit 1
  exit 0
fi

folder=$(mktemp -d)
server=
stop() {
  [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
  rm -rf "$folder"
}
trap stop EXIT

# Sign-in with Apple is tested, too, against an empty set of keys.
echo '{"keys":[]}' > "$folder/jwks.json"
RATE_LIMIT_ENABLED=false APPLE_CLIENT_ID=app.example APPLE_JWKS="$folder/jwks.json" \
JWT_SECRET_KEY=schemathesis-schemathesis-schemathesis "$registry" --dev --port 0 \
  --database "${FLEETKIT_TEST_DATABASE:-$folder/registry.sqlite}" --log-level error \
  > "$folder/address" 2> "$folder/log" &
server=$!
for _ in $(seq 100); do
  grep -q listening "$folder/address" && break
  sleep 0.1
done
url=$(sed -n 's/^listening on //p' "$folder/address")
if [ -z "$url" ]; then
  cat "$folder/log" >&2
  exit 1
fi

operations=$(grep -c '"operationId"' Sources/RegistryAPI/Description/openapi.json)
each=$((cases * 3 / (operations * 2) + 1))
# Short runs leave out the cases that enumerate the document, whose number grows with the document.
phases=examples,fuzzing,stateful
[ "$cases" -ge 1000 ] && phases=examples,coverage,fuzzing,stateful
status=0
# The tool runs in a copy of its folder, because it writes notes next to its configuration, and the notes do not belong
# in the sources.
cp -R Tests/schemathesis "$folder/run"
(cd "$folder/run" && PYTHONDONTWRITEBYTECODE=1 "$judges/bin/schemathesis" --config-file schemathesis.toml run "$url/openapi.json" \
  --max-examples "$each" --phases "$phases" --checks all --exclude-checks object_level_authorization \
  --seed "${FLEETKIT_SEED:-1}" --generation-database none --no-color \
  ${FLEETKIT_SCHEMATHESIS_OPTIONS:-}) > "$folder/report" 2>&1 || status=$?
if [ "$status" != 0 ]; then
  cat "$folder/report" "$folder/log"
  exit 1
fi
tail -n 40 "$folder/report"
made=$(sed -nE 's/^ *([0-9]+) generated.*/\1/p' "$folder/report" | head -n 1)
if [ "${made:-0}" -lt "$cases" ]; then
  echo "only ${made:-0} cases instead of $cases" >&2
  exit 1
fi
