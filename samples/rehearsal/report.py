"""Reads the numbers of fleetkit's --json for run.sh, checks them, and writes its report."""

import json
import os
import sys

OUTCOMES = ("created", "updated", "unchanged", "rejected")
TITLES = {
    "charter": "charters", "item": "items", "execution": "executions", "attachment": "attachments",
    "practice_session": "practice sessions", "foreign": "foreign records", "sync_operation": "queued operations",
}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip()]


def skipped(counts):
    return sum(counts["skipped"].values())


def row(counts):
    return [counts["read"], *(counts[name] for name in OUTCOMES), skipped(counts)]


def balance(path):
    """Returns the numbers of an import, and whether every number of records read is the sum of their outcomes."""
    report = load(path)
    total = row(report["total"])
    words = ", ".join(f"{count} {name}" for count, name in zip(total[1:], (*OUTCOMES, "skipped")))
    groups = [report["total"], *report["kinds"].values()]
    holds = report["balances"] and all(row(one)[0] == sum(row(one)[1:]) for one in groups)
    sums = [sum(column) for column in zip(*(row(one) for one in report["kinds"].values()))]
    return f"{total[0]} read = {words}", holds and (sums == total or not report["kinds"])


def proof(path):
    found = load(path).get("proof")
    if not found:
        return "there is no proof", False
    text = f"{found['records']} records compared in {found['fields']} fields, {found['differences']} differences"
    return text, found["proved"] and found["differences"] == 0


def arrived(path):
    """Returns whether any record of the source is in the library now: a source without such a record is a mistake."""
    total = load(path)["total"]
    used = sum(total[name] for name in ("created", "updated", "unchanged"))
    return f"{used} of {total['read']} records", used > 0


def expected(table, key, path):
    """Returns whether a sample gives the recorded numbers."""
    for line in lines(table):
        name, *numbers = line.split("\t")
        if name == key:
            found = row(load(path)["total"])
            wanted = [int(number) for number in numbers]
            return f"{found} found, {wanted} expected", found == wanted
    return "no numbers are written down", False


def migrated(path):
    report = load(path)
    if not report.get("migrated"):
        return "nothing to do", True
    rows = sum(table["rows"] for table in report["tables"])
    return f"schema {report['from']} to {report['to']}, {rows} rows compared with the original", True


def reads(path, name):
    return "yes" if any(one["name"] == name and one["reads"] for one in load(path)) else "no", True


def created(folder):
    sums = {}
    for line in lines(f"{folder}/json/imports.tsv"):
        for kind, counts in load(line.split("\t")[1])["kinds"].items():
            sums[kind] = sums.get(kind, 0) + counts["created"]
    return sums


def counts(folder, before, after, listed, rows):
    """Compares the library's content with its earlier content plus what the imports created: by kind and by table."""
    had, has, new = load(before)["kinds"], load(after)["kinds"], created(folder)
    table, holds = [], True
    for kind in sorted({*had, *has, *new}, key=[*TITLES, *had, *has, *new].index):
        one = {"kind": kind, "before": had.get(kind, 0), "created": new.get(kind, 0), "found": has.get(kind, 0)}
        holds = holds and one["before"] + one["created"] == one["found"]
        table.append(one)
    with open(f"{folder}/json/counts.json", "w", encoding="utf-8") as file:
        json.dump(table, file, indent=1)
    text = ", ".join(f"{one['found']} {TITLES.get(one['kind'], one['kind'])}" for one in table) or "empty"
    charters, items, executions = (int(number) for number in rows.split())
    decks = load(after)["types"].get("flashcard_deck", 0)
    tables = [charters, items + decks, executions]
    if tables != [has.get(kind, 0) for kind in ("charter", "item", "execution")]:
        text, holds = f"{text}; the app's tables have {charters} charters, {items} items, {executions} executions", False
    if len(load(listed)) != has.get("item", 0):
        text, holds = f"{text}; list has {len(load(listed))} items", False
    return text, holds


def runs(path):
    found = [str(run["id"]) for run in load(path)["runs"] if run["command"] == "import" and run["can_undo"]]
    return "\n".join(sorted(found, key=int, reverse=True)), True


def undone(folder, runs):
    """Returns whether each import that created or updated something is among the runs that were undone."""
    reports = [load(line.split("\t")[1]) for line in lines(f"{folder}/json/imports.tsv")]
    wanted = {str(one["run"]) for one in reports if one["total"]["created"] + one["total"]["updated"] > 0}
    left = sorted(wanted - set(runs.split()), key=int)
    return f"runs left: {', '.join(left) or 'none'}", not left


def equal(left, right):
    return "by kind and type", all(load(left)[name] == load(right)[name] for name in ("kinds", "types"))


def cells(values):
    return "| " + " | ".join(str(value).replace("|", "\\|") for value in values) + " |"


def write(folder):
    checks = [line.split("\t") for line in lines(f"{folder}/json/checks.tsv")]
    failed = [one for one in checks if one[0] != "ok"]
    imports = [line.split("\t") for line in lines(f"{folder}/json/imports.tsv")]
    text = ["# Rehearsal of a migration", ""]
    if failed:
        text += [f"**{len(failed)} of {len(checks)} checks failed:**", ""]
        text += [f"- FAILED: {name} ({detail})" for _, name, detail in failed]
    else:
        lost = sum(load(path)["total"]["rejected"] for _, path in imports)
        text += [f"All {len(checks)} checks held. {'Everything' if lost == 0 else f'Everything but {lost} rejected records'} "
                 "arrived in one library, and everything could be undone."]
    text += ["", "## What was imported", ""]
    text += [cells(["source", "read", *OUTCOMES, "skipped", "losses", "proof"]), "|---|" + "--:|" * 7 + "---|"]
    totals = [0] * 7
    for label, path in imports:
        report = load(path)
        numbers = [*row(report["total"]), report["losses"]["total"]]
        totals = [left + right for left, right in zip(totals, numbers)]
        text.append(cells([label, *numbers, "holds" if proof(path)[1] else "FAILED"]))
    text.append(cells(["total", *totals, ""]))
    rejects = [(label, load(path)) for label, path in imports if load(path)["rejects"]]
    if rejects:
        text += ["", "Rejected records are kept as they came, with their reasons:", ""]
        for label, report in rejects:
            text.append(f"- {label}: {report['total']['rejected']} in {report['rejects']}")
    if os.path.exists(f"{folder}/json/counts.json"):
        text += ["", "## What the library had then", ""]
        text += [cells(["records", "before", "created", "expected", "found"]), "|---|--:|--:|--:|--:|"]
        for one in load(f"{folder}/json/counts.json"):
            text.append(cells([TITLES.get(one["kind"], one["kind"]), one["before"], one["created"],
                               one["before"] + one["created"], one["found"]]))
    text += ["", "## What else was done", "", *(f"- {line}" for line in lines(f"{folder}/json/facts.txt"))]
    text += ["", "## Checks", ""]
    text += [f"- {state}: {name} ({detail})" for state, name, detail in checks]
    text += ["", "## Where to look", ""]
    if os.path.exists(f"{folder}/restored/library.sqlite"):
        text += [
            f"- {folder}/restored/library.sqlite has everything; it came out of the backup {folder}/backup.fleetpack.",
            f"- {folder}/library.sqlite is the library after the undo; fleetkit runs lists what was done to it.",
        ]
    text += [
        f"- {folder}/sources has the copies that were read.",
        f"- {folder}/json has the answer of every command, in order (.json), and its messages (.err).",
        "", f"Result: {'FAILED' if failed else 'ok'}, {len(checks) - len(failed)} of {len(checks)} checks held.",
    ]
    return "\n".join(text), not failed


if __name__ == "__main__":
    asked = {one.__name__: one for one in (balance, proof, arrived, expected, migrated, reads, counts, runs, undone, equal, write)}
    answer, holds = asked[sys.argv[1]](*sys.argv[2:])
    if answer:
        print(answer)
    sys.exit(0 if holds else 1)
