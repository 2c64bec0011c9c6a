#!/usr/bin/env bash
# Prints FleetKit's version, which is defined only in the command.
set -euo pipefail
cd "$(dirname "$0")/.."
found=$(sed -n 's/^ *version: "\([0-9][^"]*\)",$/\1/p' Sources/Command/FleetKitCommand.swift)
if [ "$(wc -w <<<"$found")" != 1 ]; then
  echo "version.sh: Sources/Command/FleetKitCommand.swift must give the version exactly once." >&2
  exit 1
fi
echo "$found"
