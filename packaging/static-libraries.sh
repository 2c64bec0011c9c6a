#!/usr/bin/env bash
# Makes the linker use the static archives of libraries that few machines have, instead of the shared ones:
# libarchive and zstd. Only libarchive's tar reader is used, which needs none of the libraries that the shared
# libarchive depends on (XML, ICU, LZMA, ACL …).
# Usage: static-libraries.sh FOLDER, then PKG_CONFIG_PATH=FOLDER …
# The linker uses the first match, and pkg-config's folders come before all others. So every library that the
# package requests from pkg-config gets a .pc file in FOLDER that names a folder with only the static archives.
set -euo pipefail
if [ $# != 1 ]; then echo "Usage: static-libraries.sh FOLDER" >&2; exit 64; fi
mkdir -p "$1/archives"
folder=$(realpath "$1")
for library in libarchive libzstd; do
  # The folder that the library's own .pc file names is not used: zstd's names one that Debian does not use.
  archives=$(dirname "$(pkg-config --variable=pcfiledir "$library")")
  if [ ! -f "$archives/$library.a" ]; then
    echo "static-libraries.sh: $archives has no $library.a; the command will need the shared library." >&2
    continue
  fi
  ln -sf "$archives/$library.a" "$folder/archives/"
done
for library in $(grep -o 'pkgConfig: "[^"]*"' "$(dirname "$0")/../Package.swift" | cut -d'"' -f2); do
  sed "s|^Libs:|Libs: -L$folder/archives|" "$(pkg-config --variable=pcfiledir "$library")/$library.pc" \
    >"$folder/$library.pc"
done
