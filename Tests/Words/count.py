#!/usr/bin/env python3
"""Counts words that mark unclear English (docs/GLOSSARY.md) in comments, messages and pages.

    count.py            fails if there are more than Tests/Words/counts.txt allows
    count.py --list     also prints every line that is counted
    count.py --record   writes the current counts to Tests/Words/counts.txt

Each line is counted at most once. Code in backquotes and strings of fewer than three words are not counted.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTS = ROOT / "Tests/Words/counts.txt"
WORDS = re.compile(
    r"\b(nobody|somebody|whoever|no one|resides?|stands?|stood|lies|lay|says?|said|beside|is none|are none|of theirs"
    r"|anew|word for word)\b", re.IGNORECASE)
COMMENT = re.compile(r'(?:^|[^:"])//+(.*)$')
STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
CODE = re.compile(r"`[^`]*`")
SWIFT = [
    "Sources", "Tests", "Benchmarks", "fuzz/Sources", "Registry/Sources", "Registry/Tests", "Registry/Benchmarks",
    "Packages/JSONSchema/Sources", "Packages/JSONSchema/Tests", "Packages/JSONSchema/Benchmarks",
]
# The wording of official licence texts and of generated listings is not ours, so they are not counted.
PAGES = ["*.md", "docs/**/*.md", "Packages/*/*.md", "formats/**/*.md", "samples/**/*.md", "Tests/**/README.md", "fuzz/*.md", "rehearsal/*.md"]
NOT_OURS = ["samples/vault/", "samples/ci/", "docs/ci/"]


def swift():
    """Yields (kind, path, number, text) of every comment and message."""
    for folder in SWIFT:
        for path in sorted((ROOT / folder).rglob("*.swift")):
            is_message = "Tests" not in path.parts
            in_text = False
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line.count('"""') % 2:
                    in_text = not in_text
                    continue
                if in_text:
                    if is_message and len(line.split()) >= 3:
                        yield "messages", path, number, line
                    continue
                comment = COMMENT.search(line)
                if comment:
                    yield "comments", path, number, comment.group(1)
                    line = line[: comment.start()]
                for text in STRING.findall(line):
                    if is_message and len(text.split()) >= 3:
                        yield "messages", path, number, text


def pages():
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            if any(str(path.relative_to(ROOT)).startswith(name) for name in NOT_OURS):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line.strip():
                    yield "pages", path, number, line


def main():
    totals, found = {}, {}
    for source in (swift(), pages()):
        for kind, path, number, text in source:
            totals[kind] = totals.get(kind, 0) + 1
            if WORDS.search(CODE.sub("", text)):
                found.setdefault(kind, []).append(f"{path.relative_to(ROOT)}:{number}: {text.strip()}")
    counts = {kind: len(found.get(kind, [])) for kind in sorted(totals)}
    if "--list" in sys.argv:
        for kind in counts:
            print("\n".join(f"{kind}: {line}" for line in found.get(kind, [])))
    for kind, count in counts.items():
        print(f"{kind}: {count} of {totals[kind]} lines ({100 * count / totals[kind]:.1f} %)")
    if "--record" in sys.argv:
        COUNTS.write_text("".join(f"{kind} {count}\n" for kind, count in counts.items()))
        return 0
    limits = dict(line.split() for line in COUNTS.read_text().splitlines())
    more = [kind for kind, count in counts.items() if count > int(limits[kind])]
    for kind in more:
        print(f"error: {kind} have {counts[kind]} such lines, {limits[kind]} are allowed; see: "
              "python3 Tests/Words/count.py --list", file=sys.stderr)
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
