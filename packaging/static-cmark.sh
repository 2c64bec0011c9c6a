#!/usr/bin/env bash
# Makes the linker take the archive of cmark-gfm, which few machines have, instead of its shared library.
# Usage: PKG_CONFIG_PATH=FOLDER … after static-cmark.sh FOLDER
# The linker takes what it finds first, and pkg-config's folders come before all others. So every library that the
# package asks pkg-config for gets a file of its own in FOLDER that names a folder with the archives alone.
set -euo pipefail
if [ $# != 1 ]; then echo "Usage: static-cmark.sh FOLDER" >&2; exit 64; fi
archives=$(pkg-config --variable=libdir libcmark-gfm)
if [ ! -f "$archives/libcmark-gfm.a" ]; then
  echo "static-cmark.sh: $archives has no libcmark-gfm.a; the command will need the shared library." >&2
  exit 0
fi
mkdir -p "$1/archives"
folder=$(realpath "$1")
ln -sf "$archives"/libcmark-gfm*.a "$folder/archives/"
for library in $(grep -o 'pkgConfig: "[^"]*"' "$(dirname "$0")/../Package.swift" | cut -d'"' -f2); do
  sed "s|^Libs:|Libs: -L$folder/archives|" "$(pkg-config --variable=pcfiledir "$library")/$library.pc" \
    >"$folder/$library.pc"
done
