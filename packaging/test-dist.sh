#!/usr/bin/env bash
# Tests the packages as on a user's machine: no Swift on the PATH, only the unpacked files.
# Usage: test-dist.sh FOLDER   (the folder that dist.sh wrote to)
# As root it also installs the .deb with apt and removes it again. Missing shells and linters are skipped
# and named; FLEETKIT_REQUIRE_JUDGES=1 makes them failures.
set -euo pipefail
if [ $# != 1 ]; then echo "Usage: test-dist.sh FOLDER" >&2; exit 64; fi
dist=$(realpath "$1")
cd "$(dirname "$0")/.."
root=$PWD
version=$(packaging/version.sh)
archive=$dist/fleetkit-$version-linux-$(uname -m).tar.gz
deb=$dist/fleetkit_${version}_$(dpkg --print-architecture).deb
work=$(mktemp -d)
installed=no
finish() {
  if [ $installed = yes ]; then apt-get remove -y -qq fleetkit >/dev/null 2>&1 || true; fi
  rm -rf "$work"
}
trap finish EXIT

# Prints the name of the next test; a later failure is reported under that name.
step=""
try() { step=$1; printf '  %s\n' "$step"; }
trap 'echo "test-dist.sh: failed: $step (line $LINENO)" >&2' ERR
fail() { echo "test-dist.sh: failed: $step: $1" >&2; exit 1; }
# Succeeds if a judge is installed. If judges are required, a missing one is a failure.
judge() {
  if command -v "$1" >/dev/null || [ -f "$1" ]; then return 0; fi
  if [ "${FLEETKIT_REQUIRE_JUDGES:-}" = 1 ]; then fail "$1 is missing (make judges)"; fi
  echo "    passed over: $1 is not here"
  return 1
}
# Runs a program in the environment of a user who has just logged in.
clean() { (cd "$work" && env -i PATH=/usr/bin:/bin HOME="$work" LC_ALL=C.UTF-8 TERM=dumb "$@"); }

# Tests an installed command, however it was installed.
works() { # BINARY
  local out=$work/out.jsonl
  rm -f "$out"
  [ "$(clean "$1" --version)" = "$version" ] || fail "$1 is not of version $version"
  clean "$1" inspect "$root/samples/phase1-library.sqlite" | grep -q 'Sound: no problems found'
  clean "$1" export "$root/samples/phase1-library.sqlite" --to "$out" >/dev/null 2>&1
  clean "$1" diff "$root/samples/phase1-library.sqlite" "$out" >/dev/null
  # Packs of every kind, to prove that the libraries for archives are present.
  local ending
  for ending in fleetpack zip tar.gz; do
    rm -f "$work/out.$ending"
    clean "$1" convert "$root/samples/phase1-library.sqlite" --to "$work/out.$ending" --to-format fleetpack >/dev/null 2>&1
    clean "$1" pack verify "$work/out.$ending" 2>/dev/null
    clean "$1" diff "$out" "$work/out.$ending" >/dev/null
  done
}

try "The checksums are right"
(cd "$dist" && sha256sum --quiet --check SHA256SUMS)
[ "$(cut -d' ' -f3 "$dist/SHA256SUMS" | sort)" = "$(basename -a "$archive" "$deb" | sort)" ] || fail "SHA256SUMS"

try "The archive holds one folder, owned by root, one time for all"
tar --list --verbose --numeric-owner --file "$archive" >"$work/listing"
[ "$(awk '{ print $2 }' "$work/listing" | sort -u)" = 0/0 ] || fail "owners"
[ "$(awk '{ print $4, $5 }' "$work/listing" | sort -u | wc -l)" = 1 ] || fail "times"
[ "$(awk '{ print $6 }' "$work/listing" | cut -d/ -f1 | sort -u)" = "$(basename "$archive" .tar.gz)" ] || fail "folder"
mkdir "$work/tar"
tar --extract --file "$archive" --directory "$work/tar" --strip-components=1
tree=$work/tar

try "The archive's command works where it was unpacked, and after it was moved"
works "$tree/bin/fleetkit"
mkdir "$work/elsewhere" && mv "$tree" "$work/elsewhere/" && tree=$work/elsewhere/tar
works "$tree/bin/fleetkit"

try "It needs no library of Swift's, no libarchive or zstd, and none is missing"
clean ldd "$tree/bin/fleetkit" >"$work/libraries"
if grep -E 'libswift|libFoundation|lib_Foundation|libarchive|libzstd|libxml2|libicu|not found' "$work/libraries"; then fail "libraries"; fi

try "It starts without libxml2, and names the package when a workbook is opened"
clean "$tree/bin/fleetkit" convert "$root/samples/tables/spring-service.csv" --to "$work/book.xlsx" >/dev/null 2>&1 || true
[ -f "$work/book.xlsx" ] || fail "no workbook to try"
mkdir "$work/no-xml"
for library in libxml2.so.2 libxml2.so.16; do echo none >"$work/no-xml/$library"; done
[ "$(clean env LD_LIBRARY_PATH="$work/no-xml" "$tree/bin/fleetkit" --version)" = "$version" ] || fail "it does not start"
status=0
clean env LD_LIBRARY_PATH="$work/no-xml" "$tree/bin/fleetkit" convert book.xlsx --to book.jsonl 2>"$work/missing" || status=$?
[ "$status" = 69 ] || fail "exit $status without libxml2: $(cat "$work/missing")"
grep -q 'apt-get install libxml2' "$work/missing" || fail "$(cat "$work/missing")"

try "It names no folder of the machine that built it"
if grep -a -c -F "$root/" "$tree/bin/fleetkit" >/dev/null; then fail "the binary holds $root"; fi

try "Every command has a man page that renders without a warning"
"$tree/bin/fleetkit" --experimental-dump-help | python3 -c '
import json, sys
def pages(command, prefix):
    name = prefix + command["commandName"]
    return [name] + [p for c in command.get("subcommands", []) for p in pages(c, name + "-")]
print("\n".join(page for page in pages(json.load(sys.stdin)["command"], "") if page != "fleetkit-help"))
' >"$work/pages"
[ "$(wc -l <"$work/pages")" -gt 5 ] || fail "too few commands"
renders=no lints=no
if judge man; then renders=yes; fi
if judge mandoc; then lints=yes; fi
while read -r name; do
  file=$tree/share/man/man1/$name.1.gz
  [ -f "$file" ] || fail "$name.1 is missing"
  if [ $renders = yes ]; then
    clean man --warnings --local-file "$file" >"$work/page" 2>"$work/warnings"
    [ ! -s "$work/warnings" ] || fail "$name.1: $(head -1 "$work/warnings")"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' 'SEE ALSO'; do
      grep -q "^$section" "$work/page" || fail "$name.1 has no $section"
    done
  fi
  if [ $lints = yes ]; then gzip -dc "$file" | mandoc -T lint -W warning || fail "$name.1"; fi
done <"$work/pages"

# The completion of "fleetkit insp" in each shell must be the verb.
try "bash completes a verb"
completions=$tree/share/bash-completion/completions/fleetkit
offered=$(clean bash --norc --noprofile -c '
  source "$1"
  COMP_WORDS=(fleetkit insp) COMP_CWORD=1 COMP_LINE="fleetkit insp" COMP_POINT=13 COMP_TYPE=9 COMP_KEY=9
  _fleetkit fleetkit insp fleetkit
  echo "${COMPREPLY[@]}"
' bash "$completions" | xargs)
[ "$offered" = inspect ] || fail "it offers '$offered'"

try "bash-completion loads it by itself"
if judge /usr/share/bash-completion/bash_completion; then
  clean env XDG_DATA_DIRS="$tree/share" BASH_COMPLETION_USER_DIR=/nonexistent bash --norc --noprofile -c '
    source /usr/share/bash-completion/bash_completion
    _completion_loader fleetkit
    complete -p fleetkit' | grep -qw _fleetkit
fi

try "fish completes a verb"
if judge fish; then
  offered=$(clean fish --no-config -c 'set -p PATH $argv[2]; source $argv[1]; complete -C "fleetkit insp"' \
    "$tree/share/fish/vendor_completions.d/fleetkit.fish" "$tree/bin" | cut -f1)
  [ "$offered" = inspect ] || fail "it offers '$offered'"
fi

try "zsh completes a verb"
if judge zsh; then
  clean zsh -f "$root/packaging/zsh-offers.zsh" "$tree/share/zsh/site-functions" "$tree/bin" \
    "fleetkit insp" "leetkit inspect" 2>"$work/zsh" || fail "$(cat "$work/zsh")"
fi

try "The .deb's files and fields are as they should be"
dpkg-deb --extract "$deb" "$work/deb"
works "$work/deb/usr/bin/fleetkit"
cmp "$work/deb/usr/bin/fleetkit" "$tree/bin/fleetkit"
(cd "$work/deb" && dpkg-deb --control "$deb" "$work/control" && md5sum --quiet --check "$work/control/md5sums")
[ "$(dpkg-deb --field "$deb" Version)" = "$version" ] || fail "version"
dpkg-deb --field "$deb" Depends | grep -q curl && fail "it depends on libcurl, which only sending needs"
dpkg-deb --field "$deb" Recommends | grep -qw libcurl4 || fail "it does not recommend libcurl4"
for library in libc6 libsqlite3-0 libssl3 zlib1g libxml2; do
  dpkg-deb --field "$deb" Depends | grep -qw "$library" || fail "it does not depend on $library"
done
if dpkg-deb --field "$deb" Depends | grep -E 'archive|zstd'; then fail "it depends on what it has inside"; fi

try "apt installs the .deb and removes it"
if [ "$(id -u)" != 0 ]; then
  echo "    passed over: only root can install"
elif dpkg-query -W fleetkit >/dev/null 2>&1; then
  echo "    passed over: a fleetkit is installed here already"
else
  cp "$deb" "$work/fleetkit.deb"
  chmod 755 "$work" && chmod 644 "$work/fleetkit.deb"
  installed=yes
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$work/fleetkit.deb" >"$work/apt" 2>&1 ||
    fail "$(tail -3 "$work/apt")"
  works /usr/bin/fleetkit
  apt-get remove -y -qq fleetkit >"$work/apt" 2>&1 || fail "$(tail -3 "$work/apt")"
  installed=no
  [ ! -e /usr/bin/fleetkit ] || fail "it is still there"
fi

# The commands are read from the files that people copy; curl reads the packages from a local folder.
try "The workflows of docs/ci find a release's packages and install them"
mkdir -p "$work/releases/v$version" "$work/runner"
cp "$archive" "$deb" "$work/releases/v$version/"
sum_of() { awk -v name="$(basename "$1")" '$2 == name { print $1 }' "$dist/SHA256SUMS"; }
python=${FLEETKIT_JUDGES:-.build/judges}/bin/python
if judge curl && judge "$python"; then
  "$python" - docs/ci "$work" <<'PYTHON'
import sys
from ruamel.yaml import YAML
folder, work = sys.argv[1:]
github = YAML(typ="safe").load(open(folder + "/github-actions.yml"))
steps = github["jobs"]["validate"]["steps"]
open(work + "/github.sh", "w").write(next(s["run"] for s in steps if s.get("name") == "Install FleetKit"))
gitlab = YAML(typ="safe").load(open(folder + "/gitlab-ci.yml"))
# apt is tested above; here it would install.
lines = [line for line in gitlab["validate-content"]["before_script"] if not line.startswith("apt-get")]
open(work + "/gitlab.sh", "w").write("\n".join(lines).replace("/tmp/", work + "/runner/"))
PYTHON
  clean env FLEETKIT_VERSION="$version" FLEETKIT_RELEASES="file://$work/releases" FLEETKIT_SHA256="$(sum_of "$archive")" \
    RUNNER_TEMP="$work/runner" GITHUB_PATH="$work/path" bash -e "$work/github.sh" >/dev/null
  works "$(cat "$work/path")/fleetkit"
  clean env FLEETKIT_VERSION="$version" FLEETKIT_RELEASES="file://$work/releases" FLEETKIT_SHA256="$(sum_of "$deb")" \
    bash -e "$work/gitlab.sh" >/dev/null
  cmp "$deb" "$work/runner/$(basename "$deb")"
fi

try "make install and make uninstall leave nothing behind"
mkdir "$work/stage"
make --silent install PREFIX=/opt/fleetkit DESTDIR="$work/stage" >/dev/null
works "$work/stage/opt/fleetkit/bin/fleetkit"
echo mine >"$work/stage/opt/fleetkit/bin/mine"
make --silent install PREFIX=/opt/fleetkit DESTDIR="$work/stage" >/dev/null
make --silent uninstall PREFIX=/opt/fleetkit DESTDIR="$work/stage" >/dev/null
[ "$(cd "$work/stage" && find . -type f)" = ./opt/fleetkit/bin/mine ] || fail "$(find "$work/stage" -type f)"

try "Packing again gives the same bytes"
SOURCE_DATE_EPOCH=$(stat -c %Y "$tree/bin/fleetkit") make --silent dist DIST="$work/again" >/dev/null
cmp "$dist/SHA256SUMS" "$work/again/SHA256SUMS" || fail "other bytes, unless something changed since (make dist)"

echo "All of it works."
