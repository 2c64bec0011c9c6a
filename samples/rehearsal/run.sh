#!/usr/bin/env bash
# Rehearses a whole migration: every source into one library, with proof, and everything undone again.
# docs/rehearsal.md describes the checks and the report.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: run.sh [OPTION ...] [FOLDER]

Rehearses a whole migration in FOLDER (rehearsal/ by default) and writes FOLDER/report.md.
Sources are copied first; the originals are never changed. Without a source, the samples are used.

  --library FILE       a library of AnyFleet; the first one becomes the library that gets all the rest
  --predecessor PATH   the property list or the lists of the app before AnyFleet
  --vault FOLDER       a folder of notes
  --haumana PATH       a store or an export of Haumana
  --user ID            the user whose data is read from Haumana, where there are several
  --chravel PATH       a dump of Chravel
  -h, --help           show this text

Each option but --user may be given again. FLEETKIT names the command (.build/release/fleetkit by default).
Exit status: 0 every check held, 1 a check failed, 2 something is missing, 4 the folder is not a rehearsal, 64 wrong usage.
TEXT
}

stop() { # status, message
  echo "run.sh: $2" >&2
  exit "$1"
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fleetkit=${FLEETKIT:-$here/../../.build/release/fleetkit}
# The folder is hidden, so that it is skipped when samples/ is read as a folder.
sources=$here/.sources
mark=".fleetkit-rehearsal"
folder="" user="" samples=no
kinds=() paths=()

add() { # kind, path
  kinds+=("$1")
  paths+=("$2")
}

while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --library | --predecessor | --vault | --haumana | --chravel | --user)
      if [ $# -lt 2 ] || [ -z "$2" ]; then stop 64 "$1 needs a value"; fi
      if [ "$1" = --user ]; then user=$2; else add "${1#--}" "$2"; fi
      shift 2
      ;;
    -*) stop 64 "unknown option $1; --help lists the options" ;;
    *)
      if [ -n "$folder" ]; then stop 64 "one folder only: $folder or $1"; fi
      folder=${1%/}
      shift
      ;;
  esac
done
folder=${folder:-rehearsal}
case $folder in -*) folder=./$folder ;; esac

if [ ${#kinds[@]} = 0 ]; then
  samples=yes
  for file in "$sources"/libraries/*.sqlite; do add library "$file"; done
  add predecessor "$sources/predecessor.plist"
  add predecessor "$sources/predecessor-damaged.plist"
  add vault "$here/../vault"
  add haumana "$sources/haumana.store"
  add chravel "$sources/chravel"
fi

for tool in "$fleetkit" python3 sqlite3; do
  command -v "$tool" >/dev/null || stop 2 "$tool is not there; 'make build' builds fleetkit, and FLEETKIT names another one"
done
for path in "${paths[@]}"; do
  [ -e "$path" ] || stop 2 "$path does not exist"
done
# A library can undo its last 20 runs.
if [ ${#paths[@]} -gt 20 ]; then stop 64 "at most 20 sources: a library can undo its last 20 runs"; fi

# A source must not be in the folder, which is removed, and the folder must not be in a source, which is copied.
resolved() { # a path, whose last parts may not exist yet
  python3 -c 'import os, sys; print(os.path.realpath(sys.argv[1]))' "$1"
}
target=$(resolved "$folder")
for path in "${paths[@]}"; do
  source=$(resolved "$path")
  case $source/ in "$target"/*) stop 64 "$path is in $folder, which the rehearsal writes; name another folder" ;; esac
  case $target/ in "$source"/*) stop 64 "$folder would be in $path; name a folder outside of it" ;; esac
done

if [ -e "$folder/$mark" ]; then
  rm -rf -- "$folder"
elif [ -d "$folder" ] && [ -z "$(ls -A -- "$folder")" ]; then
  :
elif [ -e "$folder" ] || [ -L "$folder" ]; then
  stop 4 "$folder is there and is not a rehearsal; name another folder"
fi
mkdir -p -- "$folder/json" "$folder/sources"
: >"$folder/$mark"

library=$folder/library.sqlite
step=0

number() { # what is asked, arguments: report.py reads the numbers of --json
  python3 "$here/report.py" "$@"
}

say() { printf '%s\n' "$1"; }

fact() { # a line of the report
  printf '%s\n' "$1" >>"$folder/json/facts.txt"
}

check() { # ok or FAILED, the name of the check, a detail
  printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$folder/json/checks.tsv"
  if [ "$1" = FAILED ]; then say "  FAILED: $2 ($3)"; fi
}

# Runs fleetkit with --json; the answer is in $answer, the exit status in $status.
ask() { # a word for the file's name, the arguments
  local word=$1
  shift
  step=$((step + 1))
  answer=$folder/json/$(printf '%03d' "$step")-$word.json
  status=0
  "$fleetkit" "$@" --json >"$answer" 2>"${answer%.json}.err" || status=$?
}

expect() { # the status that is right, the name of the check
  if [ "$status" = "$1" ]; then
    check ok "$2" "exit status $status"
  else
    local reason
    reason=$(sed -n 's/^fleetkit: /: /p' "${answer%.json}.err" | head -n 1 | tr '\t' ' ')
    check FAILED "$2" "exit status $status in place of $1$reason; see $answer"
  fi
}

# Copies a file with its times, and the files that SQLite keeps next to a database.
copy_file() { # from, to
  local end
  for end in "" -wal -journal; do
    if [ -f "$1$end" ]; then cp -p -- "$1$end" "$2$end"; fi
  done
}

# Copies a source; the copy is in $copy.
take() { # its number, its kind, its path
  local place
  place=$folder/sources/$(printf '%02d' "$1")-$2
  mkdir -p -- "$place"
  if [ -d "$3" ]; then
    copy=$place/$(basename -- "$(cd -- "$3" && pwd)")
    cp -RHp -- "$3" "$copy"
  else
    copy=$place/$(basename -- "$3")
    copy_file "$3" "$copy"
  fi
  chmod -R u+w -- "$place"
}

dump() { # a library: a checksum of its schema and all of its rows
  sqlite3 -readonly "$1" .dump | python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'
}

same() { # the name of the check, two libraries
  ask diff diff "$2" "$3"
  expect 0 "$1: diff finds no difference"
}

sound() { # when
  ask doctor doctor "$library"
  expect 0 "doctor, $1: the library is sound"
}

migrate() { # a library, its label: to today's schema, in place
  ask migrate migrate "$1" --yes
  expect 0 "$2: the migration is proved, and nothing is lost"
  if [ "$status" = 0 ] || [ "$status" = 3 ]; then
    say "$2: migrated, $(number migrated "$answer")"
    fact "$2: $(number migrated "$answer")."
  fi
}

bring() { # label, key of the expected numbers, path, options of import
  local label=$1 key=$2 path=$3 line
  shift 3
  ask import import "$path" --into "$library" --prove "$@"
  # Status 3: some records were rejected and saved to a file; the rest were imported.
  if [ "$status" != 0 ] && [ "$status" != 3 ]; then
    expect 0 "$label: the import ends"
    say "$label: not imported"
    return
  fi
  check ok "$label: the import ends" "exit status $status"
  printf '%s\t%s\n' "$label" "$answer" >>"$folder/json/imports.tsv"
  if line=$(number balance "$answer"); then
    check ok "$label: the numbers balance" "$line"
  else
    check FAILED "$label: the numbers balance" "$line"
  fi
  say "$label: $line"
  if line=$(number proof "$answer"); then
    check ok "$label: the proof holds" "$line"
  else
    check FAILED "$label: the proof holds" "$line"
  fi
  if line=$(number arrived "$answer"); then
    check ok "$label: something arrived" "$line"
  else
    check FAILED "$label: something arrived" "$line"
  fi
  if [ $samples = yes ] && grep -q "^$key"$'\t' "$sources/expected.tsv"; then
    if line=$(number expected "$sources/expected.tsv" "$key" "$answer"); then
      check ok "$label: the numbers are those of the sample" "$line"
    else
      check FAILED "$label: the numbers are those of the sample" "$line"
    fi
  fi
  sound "after $label"
}

# Writes the report and exits.
finish() {
  status=0
  number write "$folder" >"$folder/report.md" || status=$?
  printf '\n'
  cat -- "$folder/report.md"
  exit "$status"
}

# 1. The library that gets everything. At the end, it has to be the same as its original again.

say "Rehearsing in $folder with $("$fleetkit" --version)."
first=none
for index in "${!kinds[@]}"; do
  if [ "${kinds[index]}" = library ]; then first=$index && break; fi
done
if [ "$first" = none ]; then
  printf '%s\n' '{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}' >"$folder/sources/empty.jsonl"
  ask convert convert "$folder/sources/empty.jsonl" --to "$library"
  expect 0 "an empty library is made"
  fact "The library: new and empty, because no --library was given."
else
  take "$first" library "${paths[first]}"
  original=$copy
  copy_file "$original" "$library"
  migrate "$library" "library $(basename -- "$original"), which gets all the rest"
fi
# A migration ends with 3 if a part of a damaged value was lost; the library is migrated nevertheless.
if [ "$status" != 0 ] && [ "$status" != 3 ]; then finish; fi
copy_file "$library" "$folder/before.sqlite"
ask before inspect "$library"
expect 0 "the library can be read before"
before=$answer
sound "before the imports"

# 2. Every source, in the order of the command line.

for index in "${!kinds[@]}"; do
  kind=${kinds[index]} path=${paths[index]}
  if [ "$index" = "$first" ]; then continue; fi
  take "$index" "$kind" "$path"
  key=$(basename -- "$copy")
  label="$kind $key"
  if [ "$key" = "$kind" ]; then label=$kind; fi
  case $kind in
    library)
      migrate "$copy" "$label"
      if [ "$status" = 0 ] || [ "$status" = 3 ]; then bring "$label" "$key" "$copy"; fi
      ;;
    haumana)
      if [ -n "$user" ]; then
        bring "$label" "$key" "$copy" --decks --user "$user"
      else
        bring "$label" "$key" "$copy" --decks
      fi
      ;;
    chravel)
      ask formats formats
      known=$(number reads "$answer" chravel)
      if [ "$known" != yes ]; then
        say "Chravel: this build does not read it"
        fact "Chravel: this build does not read it."
        continue
      fi
      case $("$fleetkit" import --help) in
        *--now*) bring "$label" "$key" "$copy" --now 2026-01-15T12:00:00Z ;;
        *) bring "$label" "$key" "$copy" ;;
      esac
      ;;
    *) bring "$label" "$key" "$copy" ;;
  esac
done

# 3. Everything is in one library, and the app's own tables have the same numbers of records.

ask after inspect "$library"
expect 0 "the library can be read afterwards"
after=$answer
ask list list "$library"
expect 0 "the library can be listed"
rows=$(sqlite3 -readonly -separator ' ' "$library" \
  'SELECT (SELECT count(*) FROM charters), (SELECT count(*) FROM library_content), (SELECT count(*) FROM checklistExecutionStates)')
if line=$(number counts "$folder" "$before" "$after" "$answer" "$rows"); then
  check ok "the library has what it had and what was created" "$line"
else
  check FAILED "the library has what it had and what was created" "$line"
fi
say "The library: $line"

# 4. A backup is made, verified and restored.

backup=$folder/backup.fleetpack
ask backup backup "$library" --to "$backup" --prove
expect 0 "a backup is made and proved"
ask verify verify "$backup" --restore
expect 0 "the backup is verified"
mkdir -p -- "$folder/restored"
ask restore restore "$backup" --to "$folder/restored/library.sqlite"
expect 0 "the backup is restored elsewhere"
same "the restored library" "$library" "$folder/restored/library.sqlite"
say "Backup: made, verified, restored to $folder/restored/library.sqlite and compared."

# 5. Every run is undone, the last one first.

ask runs runs "$library"
expect 0 "the runs can be listed"
runs=$(number runs "$answer")
undone=0
for run in $runs; do
  ask undo undo "$run" --library "$library"
  expect 0 "run $run is undone"
  if [ "$status" = 0 ]; then undone=$((undone + 1)); fi
done
say "Undo: $undone runs undone."
if line=$(number undone "$folder" "$runs"); then
  check ok "every import that changed the library is undone" "$line"
else
  check FAILED "every import that changed the library is undone" "$line"
fi
fact "Runs undone: $undone, the last one first."
same "after the undo, the library from before" "$library" "$folder/before.sqlite"
if [ "$(dump "$library")" = "$(dump "$folder/before.sqlite")" ]; then
  check ok "after the undo: every row is the one from before" "SQLite's dumps are equal"
else
  check FAILED "after the undo: every row is the one from before" "SQLite's dumps differ"
fi
ask undone inspect "$library"
if line=$(number equal "$before" "$answer"); then
  check ok "after the undo: the counts are those from before" "$line"
else
  check FAILED "after the undo: the counts are those from before" "$line"
fi
sound "after the undo"

# 6. The migration is undone, too. Imports and their undos count as changes since the migration, hence
# --discard-changes: the checks above have shown that nothing remains of them.

if [ "$first" != none ] && [ "$(number migrated "$folder/json/001-migrate.json")" != "nothing to do" ]; then
  ask undo-migrate migrate "$library" --undo --discard-changes --yes
  expect 0 "the migration is undone"
  same "after the migration is undone, the original library" "$library" "$original"
  if [ "$(dump "$library")" = "$(dump "$original")" ]; then
    check ok "after the migration is undone: every row is the original's" "SQLite's dumps are equal"
  else
    check FAILED "after the migration is undone: every row is the original's" "SQLite's dumps differ"
  fi
  say "Undo: the migration is undone."
fi

finish
