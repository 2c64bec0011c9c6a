#!/usr/bin/env bash
# Copies everything that is installed below a folder: the command, man pages, completions, pages, schemas.
# Usage: stage.sh BINARY FOLDER
# The output depends only on the binary, the sources and epoch.sh, so the same input gives the same bytes.
set -euo pipefail
if [ $# != 2 ]; then echo "Usage: stage.sh BINARY FOLDER" >&2; exit 64; fi
binary=$(realpath "$1")
mkdir -p "$2"
to=$(realpath "$2")
cd "$(dirname "$0")/.."
umask 022
SOURCE_DATE_EPOCH=$(packaging/epoch.sh)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copies files with the right mode, independent of the source's mode.
place() { # MODE FOLDER FILE…
  local mode=$1 folder=$to/$2
  shift 2
  mkdir -p "$folder"
  install -m "$mode" "$@" "$folder/"
}

if [ "$("$binary" --version)" != "$(packaging/version.sh)" ]; then
  echo "stage.sh: $1 is not of version $(packaging/version.sh); build it anew." >&2
  exit 1
fi
place 755 bin "$binary"

"$binary" --experimental-dump-help | python3 packaging/manpages.py "$(packaging/version.sh)" "$work/man"
gzip -9 --no-name "$work"/man/*.1
place 644 share/man/man1 "$work"/man/*.1.gz

"$binary" --generate-completion-script bash >"$work/fleetkit"
place 644 share/bash-completion/completions "$work/fleetkit"
"$binary" --generate-completion-script zsh >"$work/_fleetkit"
place 644 share/zsh/site-functions "$work/_fleetkit"
"$binary" --generate-completion-script fish >"$work/fleetkit.fish"
place 644 share/fish/vendor_completions.d "$work/fleetkit.fish"

for page in README.md CHANGELOG.md LICENSE; do
  if [ -f "$page" ]; then place 644 share/doc/fleetkit "$page"; fi
done
if [ -d formats/schemas ]; then
  (cd formats/schemas && find . -type f \( -name '*.json' -o -name '*.md' \)) | sort | while read -r schema; do
    place 644 "share/fleetkit/schemas/$(dirname "$schema")" "formats/schemas/$schema"
  done
fi
