#!/usr/bin/env bash
# Prints the time of all packaged files, in seconds since 1970: SOURCE_DATE_EPOCH, or else the time of the last commit.
# Outside of a repository, this is the modification time of the changelog, which every release changes.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
  [[ $SOURCE_DATE_EPOCH =~ ^[0-9]+$ ]] || { echo "epoch.sh: SOURCE_DATE_EPOCH must be a number of seconds." >&2; exit 64; }
  echo "$SOURCE_DATE_EPOCH"
else
  git log -1 --format=%ct 2>/dev/null || python3 -c 'import os; print(int(os.stat("CHANGELOG.md").st_mtime))'
fi
