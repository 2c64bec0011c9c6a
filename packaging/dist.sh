#!/usr/bin/env bash
# Packages the command: a tar.gz that works wherever it is unpacked, a .deb, and SHA256SUMS of both.
# Usage: dist.sh BINARY FOLDER
# The binary must contain Swift's runtime, as built by make dist. The same binary, sources and epoch give the same
# bytes: names are sorted, root is the owner, and all files have the same time.
set -euo pipefail
if [ $# != 2 ]; then echo "Usage: dist.sh BINARY FOLDER" >&2; exit 64; fi
for tool in dpkg-deb dpkg-shlibdeps strip sha256sum; do
  if ! command -v $tool >/dev/null; then
    echo "dist.sh: $tool is missing. Packages are made on Debian or Ubuntu: apt-get install dpkg-dev binutils" >&2
    exit 1
  fi
done
binary=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")/.."
umask 022
version=$(packaging/version.sh)
SOURCE_DATE_EPOCH=$(packaging/epoch.sh)
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/stripped"
strip --strip-all -o "$work/stripped/fleetkit" "$binary"
name=fleetkit-$version-linux-$(uname -m)
packaging/stage.sh "$work/stripped/fleetkit" "$work/$name"
# The versions of the Swift packages in the binary, from which it can be built again (docs/adr/0019).
if [ -f Package.resolved ]; then install -m 644 Package.resolved "$work/$name/share/doc/fleetkit/"; fi

tar --create --directory "$work" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner \
  --mtime="@$SOURCE_DATE_EPOCH" "$name" | gzip -9 --no-name >"$work/$name.tar.gz"

# The same tree, with the files that Debian requires.
root=$work/deb
mkdir -p "$root/DEBIAN" "$work/debian"
cp -a "$work/$name" "$root/usr"
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
gzip -9 --no-name "$root/usr/share/doc/fleetkit/CHANGELOG.md"
mv "$root/usr/share/doc/fleetkit/CHANGELOG.md.gz" "$root/usr/share/doc/fleetkit/changelog.gz"
if [ -f "$root/usr/share/doc/fleetkit/LICENSE" ]; then mv "$root/usr/share/doc/fleetkit/"{LICENSE,copyright}; fi
# dpkg-shlibdeps reads the binary's shared libraries and finds the Debian packages and versions that provide them.
echo 'Source: fleetkit' >"$work/debian/control"
if ! depends=$(cd "$work" && dpkg-shlibdeps -O -edeb/usr/bin/fleetkit 2>"$work/shlibdeps"); then
  cat "$work/shlibdeps" >&2
  exit 1
fi
# libxml2 is loaded when the first XML file is opened, which dpkg-shlibdeps does not see. Newer systems have libxml2-16.
depends="$depends, libxml2 | libxml2-16"
architecture=$(dpkg --print-architecture)
cat >"$root/DEBIAN/control" <<CONTROL
Package: fleetkit
Version: $version
Architecture: $architecture
Maintainer: ${FLEETKIT_MAINTAINER:-FleetKit contributors}
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: ${depends#shlibs:Depends=}
Recommends: libcurl4 | libcurl3-gnutls
Section: utils
Priority: optional
Description: moves sailing content between AnyFleet libraries and text files
 FleetKit makes backups of AnyFleet libraries that restore, brings old libraries
 to today's schema, loads curated checklists and guides, validates content for
 CI, and heals damaged libraries. Every finding points at its exact place, and
 nothing is lost silently.
CONTROL
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
deb=fleetkit_${version}_$architecture.deb
# One thread: with more, the bytes would depend on the number of cores.
export DPKG_DEB_THREADS_MAX=1
dpkg-deb --root-owner-group -Zxz --build "$root" "$work/$deb" >/dev/null

mv "$work/$name.tar.gz" "$work/$deb" "$out/"
(cd "$out" && sha256sum "$name.tar.gz" "$deb" >SHA256SUMS)
cd "$out" && du -h --apparent-size "$name.tar.gz" "$deb"
