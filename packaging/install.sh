#!/usr/bin/env bash
# Installs the command below a prefix, and records every file in share/fleetkit/installed-files for `make uninstall`.
# Usage: install.sh BINARY PREFIX
# PREFIX may begin with a staging folder (DESTDIR): no installed file depends on its location.
set -euo pipefail
if [ $# != 2 ]; then echo "Usage: install.sh BINARY PREFIX" >&2; exit 64; fi
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/stage.sh" "$1" "$work/tree"
mkdir -p "$work/tree/share/fleetkit"
list=share/fleetkit/installed-files
(cd "$work/tree" && find . -type f | sed 's|^\./||' && echo "$list") | LC_ALL=C sort >"$work/list"
mv "$work/list" "$work/tree/$list"
chmod 644 "$work/tree/$list"

# An older version may have had files that this one does not have.
if [ -f "$2/$list" ]; then "$here/uninstall.sh" "$2" >/dev/null; fi
while read -r file; do
  mkdir -p "$2/$(dirname "$file")"
  # Each file is first copied under another name in the same folder, so that a running fleetkit keeps its file and no
# process sees a partial one.
  cp -p "$work/tree/$file" "$2/$file.new"
  mv -f "$2/$file.new" "$2/$file"
done <"$work/tree/$list"
echo "Installed fleetkit $("$here/version.sh") in $2."
