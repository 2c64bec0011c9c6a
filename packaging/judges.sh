#!/usr/bin/env bash
# Makes .build/judges, a Python environment with the tools of judges.txt, and installs Debian's judges.
# Does nothing if everything is installed. Tests also run without it; FLEETKIT_REQUIRE_JUDGES=1 makes a missing judge a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
judges=${FLEETKIT_JUDGES:-.build/judges}

packages=(git libxml2-utils man-db mandoc nodejs python3-venv bash-completion zsh fish
  minisign libarchive-tools sqlite3-tools zstd unzip zip age gnupg wrk)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "Installing: ${missing[*]}"
  sudo=()
  if [ "$(id -u)" != 0 ]; then sudo=(sudo); fi
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

# The copy of the list records what the environment was made from.
if cmp -s packaging/judges.txt "$judges/judges.txt" && "$judges/bin/python" -c '' 2>/dev/null; then exit 0; fi
echo "Making $judges"
if ! "$judges/bin/python" -c '' 2>/dev/null; then python3 -m venv --clear "$judges"; fi
"$judges/bin/python" -m pip install --quiet --disable-pip-version-check --requirement packaging/judges.txt
# The examples of the CommonMark specification are in the source package of markdown-it-py.
parser=$(grep '^markdown-it-py==' packaging/judges.txt)
"$judges/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
  --dest "$judges/source" "$parser"
tar --extract --gzip --to-stdout --wildcards --file "$judges"/source/markdown_it_py-*.tar.gz \
  '*/test_cmark_spec/commonmark.json' >"$judges/commonmark.json"
rm -r "$judges/source"
cp packaging/judges.txt "$judges/judges.txt"
