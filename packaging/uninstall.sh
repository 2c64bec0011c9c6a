#!/usr/bin/env bash
# Removes what install.sh installed below a prefix, and the folders that only FleetKit used.
# Usage: uninstall.sh PREFIX
set -euo pipefail
if [ $# != 1 ]; then echo "Usage: uninstall.sh PREFIX" >&2; exit 64; fi
list=$1/share/fleetkit/installed-files
if [ ! -f "$list" ]; then
  echo "uninstall.sh: $list is not there, so it is not known what was installed." >&2
  exit 1
fi
while read -r file; do
  # The list may have been edited: its paths must not lead out of the prefix.
  case "/$file/" in
    // | //* | */../*) echo "uninstall.sh: $list names '$file', which is no file of FleetKit." >&2; exit 1 ;;
  esac
  rm -f "$1/$file"
done < <(cat "$list")
for folder in share/fleetkit share/doc/fleetkit; do
  if [ -d "$1/$folder" ]; then find "$1/$folder" -depth -type d -empty -delete; fi
done
echo "Removed fleetkit from $1."
