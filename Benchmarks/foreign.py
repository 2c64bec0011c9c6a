#!/usr/bin/env python3
"""Compares FleetKit with its peers on data that is not shaped like FleetKit's output (docs/benchmarks.md).

    foreign.py FOLDER [--counts 10000,100000] [--rounds 5] [--previous COMMAND] [--only TEXT]

The records have random ids, and members in the order of the bundle, sorted by name, or in random order. A third of them
are in Russian, and some are guides of 1 to 30 KB. One data set consists of 10,000 files. The programs run in turn, as
whole processes, and the table shows medians. A ratio is the peer's time ÷ ours: above 1, FleetKit is faster. With
--previous, a second fleetkit command runs in the same rounds. The data is written to FOLDER and stays there.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BENCH = ROOT / ".build/release/fleetkit-bench"
FLEETKIT = pathlib.Path(os.environ.get("FLEETKIT", ROOT / ".build-dist/release/fleetkit"))
PYTHON = pathlib.Path(os.environ.get("FLEETKIT_JUDGES", ROOT / ".build/judges")) / "bin/python"
PEERS = ROOT / "Benchmarks/peers"


class Run:
    """A run of one process, or of several in sequence: the time in seconds, and the peak anonymous memory."""

    def __init__(self, *words, ok=(0,), shell=None, env=None):
        words = ["sh", "-ec", shell] if shell else [str(word) for word in words]
        start = time.perf_counter()
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})})
        self.memory = 0
        while process.poll() is None:
            self.look(process.pid)
            time.sleep(0.002)
        self.seconds = time.perf_counter() - start
        self.output = process.stdout.read().decode()
        if process.returncode not in ok:
            raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")

    def look(self, pid):
        try:
            with open(f"/proc/{pid}/status") as status:
                for line in status:
                    if line.startswith("RssAnon:"):
                        self.memory = max(self.memory, int(line.split()[1]) * 1024)
        except (OSError, ProcessLookupError):
            pass


class Loop:
    """A loop of fleetkit-bench, which measures its own time: its rows are in memory before the clock starts."""

    def __init__(self, name, source, target):
        self.seconds = float(Run(BENCH, name, source, target).output)
        self.memory = 0


def remove(*paths):
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


class Table:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.commands = {"fleetkit": FLEETKIT}
        if options.previous:
            self.commands["previous"] = pathlib.Path(options.previous).resolve()

    def at(self, name):
        return self.folder / name

    def job(self, name, ours, peers, before=lambda: None, rounds=None):
        """Runs every side once per round, calling `before` each time, and prints a row."""
        if self.options.only and self.options.only not in name:
            return
        sides = {side: (lambda command=command: ours(command)) for side, command in self.commands.items()} | peers
        times = {side: [] for side in sides}
        memory = 0
        for _ in range(rounds or self.options.rounds):
            for side, action in sides.items():
                before()
                os.sync()
                run = action()
                times[side].append(run.seconds)
                if side == "fleetkit":
                    memory = max(memory, run.memory)
        mine = statistics.median(times["fleetkit"])
        cells = [f"{mine:.3f} s", f"{memory / 1e6:.0f} MB" if memory else ""]
        for side in list(sides)[1:]:
            ratios = [theirs / own for theirs, own in zip(times[side], times["fleetkit"])]
            median = statistics.median(times[side])
            cells.append(f"{side} {median:.3f} s: {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)

    # The data

    def data(self, count):
        lines, document = self.at(f"f{count}.jsonl"), self.at(f"f{count}.json")
        for path in (lines, document):
            if not path.exists():
                Run(BENCH, "generate-foreign", count, path)
        library = self.at(f"f{count}.sqlite")
        if not library.exists():
            Run(FLEETKIT, "convert", lines, "--to", library, "-q")
        return lines, document, library

    def files(self, count):
        folder = self.at(f"files{count}")
        if not folder.exists():
            Run(BENCH, "generate-foreign", count, f"{folder}/")
        return folder

    # The jobs

    def libraries(self, count):
        lines, document, library = self.data(count)
        new, bare, copy = self.at("new.sqlite"), self.at("bare.sqlite"), self.at("copy.jsonl")
        loop = {"bare loop": lambda: Loop("bare-write", library, bare)}
        before = lambda: remove(new, f"{new}.fleetkit", bare, copy)
        self.job(
            f"jsonl → new library, {count}", lambda command: Run(command, "convert", lines, "--to", new, "-q"),
            loop | {"Python + orjson": lambda: Run(PYTHON, PEERS / "import_peer.py", "new", lines, library, new)}, before)
        self.job(
            f"json → new library, {count}", lambda command: Run(command, "convert", document, "--to", new, "-q"), loop,
            before)
        shell = (
            f"sqlite3 {library} \"SELECT json_object('id', l.id, 'title', l.title, 'description', l.description,"
            " 'type', l.type, 'tags', json(l.tags), 'language', l.language, 'created_at', l.createdAt, 'updated_at',"
            " l.updatedAt, 'sections', json(c.content), 'markdown', g.markdown) FROM library_content l LEFT JOIN"
            f" checklists c ON c.id = l.id LEFT JOIN practice_guides g ON g.id = l.id\" > {copy}; sync {copy}")
        self.job(
            f"library → jsonl, {count}", lambda command: Run(command, "convert", library, "--to", copy, "-q"), {
                "bare loop": lambda: Loop("bare-read", library, bare),
                "sqlite3": lambda: Run(shell=shell),
            }, before)

    def imports(self, count):
        lines, _, _ = self.data(count)
        few, base, into = self.at("few.jsonl"), self.at("base.sqlite"), self.at("into.sqlite")
        Run(PYTHON, PEERS / "import_peer.py", "make", 100, few)
        remove(base, f"{base}.fleetkit")
        Run(FLEETKIT, "import", few, "--into", base, "--create", "-q")

        def before():
            remove(into, f"{into}.fleetkit")
            shutil.copy(base, into)

        self.job(
            f"import into a library, {count}", lambda command: Run(command, "import", lines, "--into", into, "-q"),
            {"Python + orjson": lambda: Run(PYTHON, PEERS / "import_peer.py", "import", lines, into)}, before)

    def schema(self):
        schema = self.at("whole.schema.json")
        if not schema.exists():
            Run(PYTHON, PEERS / "validate_peers.py", "bundle", ROOT / "formats/schemas", schema)
        return schema

    def validation(self, count):
        lines, _, _ = self.data(count)
        peer = lambda: Run(PYTHON, PEERS / "validate_peers.py", "rs", self.schema(), lines)
        ours = lambda command: Run(command, "validate", lines, "--fail-on", "none", "-q")
        self.job(f"validate jsonl, lint on, {count}", ours, {"jsonschema-rs": peer})

    def small_files(self, count):
        folder = self.files(count)
        quiet = self.at("nolint.yml")
        quiet.write_text("version: 1\nselect: []\n")
        check = lambda command, *words: Run(command, "validate", folder, "--fail-on", "none", "-q", *words)
        peers = {"jsonschema-rs": lambda: Run(PYTHON, PEERS / "validate_peers.py", "rs-files", self.schema(), folder)}
        self.job(f"validate {count} files, lint on", check, peers)
        self.job(f"validate {count} files, lint off", lambda command: check(command, "--config", quiet), peers)
        pack, tar, unpacked = self.at("p.fleetpack"), self.at("p.tar.zst"), self.at("unpacked")
        before = lambda: remove(pack, tar)
        settings = self.at("pack.yml")
        settings.write_text("name: bench\nversion: 1.0.0\npublisher: B\nlicence: CC0-1.0\ndescription: d\n")
        build = lambda command: Run(command, "pack", "build", folder, "--config", settings, "--to", pack, "-q")
        self.job(
            f"pack {count} files", build,
            {"GNU tar + zstd": lambda: Run("tar", "-C", folder, "-I", "zstd -3", "-cf", tar, ".")}, before)
        kept = self.at("kept.fleetpack")
        remove(kept)
        Run(FLEETKIT, "pack", "build", folder, "--config", settings, "--to", kept, "-q")

        # ext4 is slow to reuse space that has just been freed, so folders are deleted at the end.
        remove(unpacked)
        unpacked.mkdir()

        def fresh():
            return unpacked / str(len(list(unpacked.iterdir())))

        def unpack():
            (folder := fresh()).mkdir()
            return Run("bsdtar", "-C", folder, "-xf", kept)

        self.job(
            f"unpack into {count} notes", lambda command: Run(command, "convert", kept, "--to", f"{fresh()}/", "-q"),
            {"bsdtar": unpack})
        remove(unpacked)

    def migration(self, count):
        _, _, library = self.data(count)
        old, copy = self.at("old.sqlite"), self.at("migrating.sqlite")
        remove(old)
        Run(FLEETKIT, "convert", self.at(f"f{count}.jsonl"), "--to", old, "--schema-version", "1.4.0", "-q")

        def before():
            for path in self.folder.glob("migrating.sqlite*"):
                remove(path)
            shutil.copy(old, copy)

        shell = PEERS / "migrate.sh"
        self.job(
            f"migrate, {count}", lambda command: Run(command, "migrate", copy, "--yes", "-q"),
            {"shell": lambda: Run("sh", shell, copy, library)}, before)

    def backups(self, count):
        _, _, library = self.data(count)
        repository, ours, back = self.at("restic"), self.at("backups"), self.at("back")
        key = {"RESTIC_PASSWORD": "x", "RESTIC_REPOSITORY": str(repository), "RESTIC_CACHE_DIR": str(self.at("cache"))}

        def before():
            remove(repository, ours, back, self.at("cache"))
            Run("restic", "init", env=key)

        def filled():
            before()
            Run("restic", "backup", library, env=key)
            Run(FLEETKIT, "backup", library, "--to", f"{ours}/", "-q")
            back.mkdir()

        newest = lambda: next(ours.iterdir())
        self.job(
            f"backup, {count}", lambda command: Run(command, "backup", library, "--to", f"{ours}/", "-q"),
            {"restic": lambda: Run("restic", "backup", library, env=key)}, before)
        self.job(
            f"verify, {count}", lambda command: Run(command, "verify", newest(), "-q"),
            {"restic": lambda: Run("restic", "check", "--read-data", env=key)}, filled)
        self.job(
            f"restore, {count}", lambda command: Run(command, "restore", newest(), "--to", back / "l.sqlite", "-q"),
            {"restic": lambda: Run("restic", "restore", "latest", "--target", back, env=key)}, filled)

    def starts(self):
        one, library = self.at("one.json"), self.at("one.sqlite")
        Run(BENCH, "generate-foreign", 1, one)
        remove(library)
        Run(FLEETKIT, "convert", one, "--to", library, "-q")
        for name, words in [("--version", ["--version"]), ("list", ["list", library]), ("validate", ["validate", one])]:
            self.job(f"start: {name}", lambda command, words=words: Run(command, *words), {}, rounds=20)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--counts", default="10000,100000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--previous")
    parser.add_argument("--only", default="")
    table = Table(parser.parse_args())
    print("| job | fleetkit | memory | peers: seconds, ratio |\n|---|---|---|---|", flush=True)
    for count in map(int, table.options.counts.split(",")):
        for part in (table.libraries, table.imports, table.validation, table.migration, table.backups):
            part(count)
    table.small_files(10000)
    table.starts()


if __name__ == "__main__":
    main()
