#!/usr/bin/env python3
"""Counts the source files that one record passes through.

    record-path.py [--list] [--no-build] [REPOSITORY]

Builds the command with coverage in REPOSITORY/.build-coverage and runs it on one record for each path. A file counts
if at least one of its functions ran. By default, REPOSITORY is the repository of this script; name another one to
compare two versions. --list prints the files. --no-build uses the command from an earlier build.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HEADER = '{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}\n'
NOTE = """\
---
type: checklist
title: Leaving the berth
tags: [departure, lines]
---

## Engine

- [ ] Open the sea cock
- [ ] Check the oil
  Dip it twice.

## Lines

- [ ] Single up
"""
ROWS = "checklist,section,item,required,minutes\nLeaving the berth,Engine,Open the sea cock,yes,2\n"


def tool(name):
    """Returns the path of an LLVM tool from Swift's own toolchain: others cannot read its profiles."""
    beside = pathlib.Path(shutil.which("swift") or "swift").resolve().parent / name
    return beside if beside.exists() else name


def build(repository):
    subprocess.run(
        [
            "swift", "build", "--scratch-path", ".build-coverage", "--product", "fleetkit",
            "-debug-info-format", "none", "-Xswiftc", "-profile-generate", "-Xswiftc", "-profile-coverage-mapping",
        ],
        cwd=repository, check=True, stdout=sys.stderr,
    )


class Measurement:
    """A built command, and a temporary folder to run it in."""

    def __init__(self, repository, folder):
        self.repository = repository
        self.command = repository / ".build-coverage/debug/fleetkit"
        self.folder = folder

    def run(self, *arguments, profile=os.devnull):
        environment = dict(os.environ, LLVM_PROFILE_FILE=str(profile), NO_COLOR="1")
        done = subprocess.run(
            [self.command, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"fleetkit {' '.join(arguments)}: status {done.returncode}\n{done.stderr}")

    def prepare(self):
        """Makes a library with one item, two libraries to import into, a note and a table."""
        bundle = self.repository / "samples/curated-checklists.jsonl"
        items = bundle.read_text(encoding="utf-8").splitlines(keepends=True)[1:3]
        for name, item in [("one", items[0]), ("notes", items[1]), ("rows", items[1])]:
            (self.folder / f"{name}.jsonl").write_text(HEADER + item, encoding="utf-8")
            self.run("convert", f"{name}.jsonl", "--to", f"{name}.sqlite")
        (self.folder / "one.md").write_text(NOTE, encoding="utf-8")
        (self.folder / "one.csv").write_text(ROWS, encoding="utf-8")

    def files(self, name, *arguments):
        """Returns the source files in which at least one function ran, relative to the repository."""
        raw, profile = self.folder / f"{name}.profraw", self.folder / f"{name}.profdata"
        self.run(*arguments, profile=raw)
        subprocess.run([tool("llvm-profdata"), "merge", "-sparse", raw, "-o", profile], check=True)
        export = subprocess.run(
            [tool("llvm-cov"), "export", "-summary-only", "-instr-profile", profile, self.command],
            check=True, capture_output=True)
        sources = str(self.repository / "Sources") + "/"
        return sorted(
            file["filename"].removeprefix(str(self.repository) + "/")
            for file in json.loads(export.stdout)["data"][0]["files"]
            if file["filename"].startswith(sources) and file["summary"]["functions"]["covered"] > 0)


def module(file):
    parts = file.split("/")
    return "/".join(parts[1:3] if parts[1] in ("Codecs", "Formats") else parts[1:2])


def main():
    parser = argparse.ArgumentParser(description="Counts the source files that one record passes through.")
    parser.add_argument("--list", action="store_true", help="print the files")
    parser.add_argument("--no-build", action="store_true", help="use the command as it was built before")
    parser.add_argument("repository", nargs="?", default=pathlib.Path(__file__).parent.parent, type=pathlib.Path)
    options = parser.parse_args()
    repository = options.repository.resolve()
    if not options.no_build:
        build(repository)
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        measurement = Measurement(repository, folder)
        measurement.prepare()
        paths = {
            "library → jsonl": measurement.files("library", "convert", "one.sqlite", "--to", "out.jsonl"),
            "note → library": measurement.files("note", "import", "one.md", "--into", "notes.sqlite"),
            "CSV row → library": measurement.files("row", "import", "one.csv", "--into", "rows.sqlite"),
        }
    finally:
        shutil.rmtree(folder)
    for path, files in paths.items():
        inner = [file for file in files if module(file) != "Command"]
        print(f"{path}: {len(inner)} files, {len(files)} with Command")
        modules = collections.defaultdict(list)
        for file in files:
            modules[module(file)].append(file)
        for name, members in sorted(modules.items(), key=lambda entry: (-len(entry[1]), entry[0])):
            print(f"  {len(members):4} {name}")
            if options.list:
                for file in members:
                    print(f"         {file}")
        print()


if __name__ == "__main__":
    main()
