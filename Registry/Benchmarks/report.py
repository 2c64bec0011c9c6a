"""Prints the measurements of run.sh as a table, and fails if a requirement is not met."""

import os
import sys


def read(who: str, load: str) -> list[float]:
    with open(f"{os.environ['WORK']}/{who}.{load}") as file:
        return [float(word) for word in file.read().split()]


names = {"item": "GET one item", "list": "GET a list of 20", "share": "POST share", "paced": "1 000 requests/s, mixed"}
print("| load | registry req/s | p50 | p95 | p99 | peer req/s | p95 | ratio |")
print("|---|--:|--:|--:|--:|--:|--:|--:|")
failures = []
for load, name in names.items():
    ours, theirs = read("registry", load), read("peer", load)
    ratio = ours[0] / theirs[0]
    print(
        f"| {name} | {ours[0]:,.0f} | {ours[1]:.2f} ms | {ours[2]:.2f} ms | {ours[3]:.2f} ms"
        f" | {theirs[0]:,.0f} | {theirs[2]:.2f} ms | {'' if load == 'paced' else f'{ratio:.1f} ×'} |"
    )
    if theirs[4]:
        failures.append(f"{name}: {theirs[4]:.0f} of the peer's requests failed: nothing is compared")
    if ours[4]:
        failures.append(f"{name}: {ours[4]:.0f} requests failed")
    if load != "paced" and ratio < 1:
        failures.append(f"{name}: slower than the peer, {ratio:.1f} times its requests")
    if load == "paced" and ours[2] >= 20:
        failures.append(f"{name}: p95 is {ours[2]:.1f} ms; the goal is below 20")
for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(1 if failures else 0)
