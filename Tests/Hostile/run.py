"""Runs fleetkit on hostile files of growing size and measures memory, time and status.

run.py FLEETKIT [KIND[/NAME]...]

FLEETKIT_HOSTILE_SIZES  sizes in MB, each twice the one before ("4 8 16")

Fails if a command takes more than 300 MB of anonymous memory or more than five minutes, does not end with a documented
status, or takes more than 2.2 times the memory or 2.5 times the processor time for twice the input.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import inputs

MOST_MEMORY = 300 << 20
MOST_SECONDS = 300
MOST_GROWTH = 2.2
# When a table no longer fits into a cache of the processor, the same steps take more time.
MOST_GROWTH_OF_TIME = 2.5
# Growth below these limits is due to the process itself and the resolution of the clock.
LEAST_MEMORY = 48 << 20
# The growth of buffers, which double in size.
SLACK = 16 << 20
LEAST_SECONDS = 1.0
# Every documented status except those for crashes and interruptions.
STATUSES = {0, 1, 2, 3, 5, 64}
PAGE = os.sysconf("SC_PAGE_SIZE")

IMPORT = ["import", "{in}", "--into", "{dir}/library.sqlite", "--create"]
CONVERT = ["convert", "{in}", "--to", "{dir}/out.jsonl"]
VALIDATE = ["validate", "{in}"]
COMMANDS = {
    "note": [VALIDATE, IMPORT, CONVERT, ["inspect", "{in}"]],
    "table": [VALIDATE, IMPORT, CONVERT],
    "workbook": [VALIDATE, IMPORT],
    "document": [
        VALIDATE, IMPORT, CONVERT, ["convert", "{in}", "--to", "{dir}/vault/"], ["list", "{in}"], ["inspect", "{in}"]],
    "lines": [VALIDATE, IMPORT, ["list", "{in}"]],
    "configuration": [["validate", "{samples}", "--config", "{in}"]],
    "image": [
        VALIDATE, IMPORT, CONVERT, ["convert", "{in}", "--to", "{dir}/vault/"], ["list", "{in}"], ["inspect", "{in}"],
        ["doctor", "{in}"], ["doctor", "{in}", "--repair", "--yes"]],
    "pages": [["doctor", "{in}", "--recover", "{dir}/new.sqlite"]],
    "archive": [IMPORT, ["list", "{in}"]],
}
SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../samples/ci")


def measure(command, folder):
    """Returns the status (None if the run was ended), the peak anonymous memory in bytes, and the processor seconds."""
    most, start = 0, time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(folder + "/stdout", "wb") as out, open(folder + "/stderr", "wb") as err:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        killed = False
        while process.poll() is None:
            try:
                with open("/proc/%d/statm" % process.pid) as file:
                    fields = file.read().split()
                most = max(most, (int(fields[1]) - int(fields[2])) * PAGE)
            except (OSError, IndexError):
                pass
            if not killed and (time.monotonic() - start > MOST_SECONDS or most > 4 * MOST_MEMORY):
                killed = True
                process.kill()
            time.sleep(0.004)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return None if killed else process.returncode, most, used


def problems(results):
    found = []
    for status, most, _ in results:
        if status not in STATUSES:
            found.append("status %s" % status)
        if most > MOST_MEMORY:
            found.append("memory")
    for (_, less, fast), (_, more, slow) in zip(results, results[1:]):
        if more > LEAST_MEMORY and more > MOST_GROWTH * less + SLACK:
            found.append("growth of memory")
        if slow > LEAST_SECONDS and slow > MOST_GROWTH_OF_TIME * max(fast, LEAST_SECONDS / 2):
            found.append("growth of time")
    return sorted(set(found))


def runs_of(fleetkit, kind, file, name, command, sizes):
    """Runs one command on one input in every size, and returns the results."""
    results = []
    for size in sizes:
        folder = tempfile.mkdtemp(prefix="fleetkit-hostile.")
        try:
            places = {"in": folder + "/" + file, "dir": folder, "samples": SAMPLES}
            inputs.write(kind, name, size, places["in"])
            results.append(measure([fleetkit, *[word.format(**places) for word in command]], folder))
        finally:
            shutil.rmtree(folder)
    return results


def main(fleetkit, wanted):
    fleetkit = os.path.abspath(fleetkit)
    sizes = [int(float(size) * (1 << 20)) for size in os.environ.get("FLEETKIT_HOSTILE_SIZES", "4 8 16").split()]
    runs = failures = 0
    for kind, (file, names, _) in inputs.KINDS.items():
        for name in names:
            if wanted and kind not in wanted and "%s/%s" % (kind, name) not in wanted:
                continue
            for command in COMMANDS[kind]:
                results = runs_of(fleetkit, kind, file, name, command, sizes)
                found = problems(results)
                if found == ["growth of time"]:
                    # Other programs may have slowed one of the runs.
                    again = runs_of(fleetkit, kind, file, name, command, sizes)
                    results = [(*one[:2], min(one[2], two[2])) for one, two in zip(results, again)]
                    found = problems(results)
                runs += 1
                failures += bool(found)
                what = command[0] + (" to a vault" if command[-1].endswith("/") else "")
                figures = "".join("%5s %4d MB %6.2f s" % (s, m >> 20, t) for s, m, t in results)
                print("%-4s %-28s %-20s%s  %s" % (
                    "FAIL" if found else "ok", "%s/%s" % (kind, name), what, figures, ", ".join(found)), flush=True)
    print("%d commands, %d failed" % (runs, failures))
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
