"""Measures what it costs the registry to refuse documents in batches, compared with accepting them.

Usage: python3 batch.py [COMMAND]

Starts the registry, sends batches of 500 operations, and prints the processor time of a batch of each kind, as the
median of five. Fails if refusing documents costs more than accepting the same number of them.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import urllib.request
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = sys.argv[1] if len(sys.argv) > 1 else f"{HERE}/../.build/release/fleetkit-registry"
COUNT = 500
ROUNDS = 5


def document(sections=4, items=6, step=None):
    step = step or {"title": "Look, listen, and write down what you found", "isRequired": True}
    return {
        "title": "Before departure",
        "sections": [
            {"title": f"Section {number}", "items": [dict(step) for _ in range(items)]} for number in range(sections)
        ],
    }


def publication(data, **more):
    body = {
        "title": "Before departure",
        "description": "What to check before the lines come off",
        "content_type": "checklist",
        "content_data": data,
        "tags": ["safety", "departure"],
        "public_id": f"batch-{uuid.uuid4()}",
    }
    body.update(more)
    return {"operation": "publish", "payload": body}


# Each kind of refusal has a different error. A document that is wrong everywhere gives the most findings.
KINDS = {
    "taken": lambda: publication(document()),
    "no title": lambda: publication(document(), title=""),
    "no slug": lambda: publication(document(), public_id="a b"),
    "wrong type": lambda: publication(document(), content_type="song"),
    "other type": lambda: publication({"markdown": "Fog", "own": document()}),
    "wrong everywhere": lambda: publication(document(step={"title": 7, "isRequired": "yes", "estimatedMinutes": 1.5})),
    "no time": lambda: publication(dict(document(), createdAt=1e300)),
    "ids twice": lambda: publication(document(step={"title": "Look", "id": "2663557A-0B7E-4C5D-8A51-6D1F0C3E7A10"})),
    "NUL everywhere": lambda: publication(document(step={"title": "a\0b"})),
    "text, no object": lambda: publication(json.dumps(document())[:-1]),
    "text, wrong": lambda: publication(json.dumps(document(step={"title": 7}))),
    "slug taken": lambda: publication(document(), public_id="taken"),
    "not there": lambda: {
        "operation": "update", "payload": {"public_id": "not-there", "content_data": document(), "content_type": "checklist"}
    },
    "large, taken": lambda: publication(document(sections=20, items=12)),
    "large, wrong": lambda: publication(document(sections=20, items=12, step={"title": 7, "isRequired": "yes"})),
    "small, taken": lambda: publication({"sections": []}),
    "small, wrong": lambda: publication({"sections": 1, "id": True, "tags": 1, "createdAt": "soon"}, title=1, tags=1),
    "members, taken": lambda: publication({"sections": [], **{f"own{n}": n for n in range(700)}}),
    "members twice": lambda: publication(
        {"sections": [], **{f"own{n}": n for n in range(700)}, "own_last": "\0"}),
}
# The accepted batch with which each of these refusals is compared, because it has the same size.
TAKEN = {"large, wrong": "large, taken", "small, wrong": "small, taken", "members twice": "members, taken"}


def mixed():
    kinds = [kind for name, kind in KINDS.items() if name not in TAKEN and name not in TAKEN.values() and name != "taken"]
    return [kinds[number % len(kinds)]() for number in range(COUNT)]


class Registry:
    def __init__(self, folder):
        arguments = ["--database", f"{folder}/r.sqlite", "--dev", "--no-rate-limit", "--port", "0", "--log-level", "error"]
        self.process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, text=True)
        self.base = self.process.stdout.readline().split()[-1]
        self.token = self.send("/api/v1/auth/test-signin?email=bench@example.com")["access_token"]

    def send(self, path, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        headers = {"Content-Type": "application/json"}
        if body is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.base + path, data=data, headers=headers, method="POST")
        with urllib.request.urlopen(request, timeout=120) as answer:
            text = answer.read()
            self.length = len(text)
            return json.loads(text)

    def cpu(self):
        """Returns the processor time that all threads of the process have used, in seconds."""
        total = 0
        folder = f"/proc/{self.process.pid}/task"
        for thread in os.listdir(folder):
            with open(f"{folder}/{thread}/schedstat") as file:
                total += int(file.read().split()[0])
        return total / 1e9

    def batch(self, operations):
        # Slugs are new in every batch, so that documents that were accepted once are accepted again.
        before = self.cpu()
        answer = self.send("/api/v1/content/batch", {"operations": operations})
        return self.cpu() - before, [result["status"] for result in answer["results"]]


with tempfile.TemporaryDirectory() as folder:
    registry = Registry(folder)
    try:
        registry.send("/api/v1/content/share", publication(document(), public_id="taken")["payload"])
        makers = {name: (lambda kind=kind: [kind() for _ in range(COUNT)]) for name, kind in KINDS.items()}
        makers["mixed refusals"] = mixed
        for make in makers.values():
            registry.batch(make())
        costs = {}
        print("| batch of 500 | statuses | answer | processor time | beside taking |")
        print("|---|---|--:|--:|--:|")
        failures = []
        for name, make in makers.items():
            rounds = [registry.batch(make()) for _ in range(ROUNDS)]
            statuses = sorted({status for _, all_statuses in rounds for status in all_statuses})
            costs[name] = statistics.median(cost for cost, _ in rounds)
            ratio = costs[name] / costs[TAKEN.get(name, name if name.endswith("taken") and "slug" not in name else "taken")]
            print(f"| {name} | {statuses} | {registry.length // 1024} KiB | {costs[name] * 1000:.0f} ms | {ratio:.2f} × |")
            if 201 not in statuses and ratio > 1.05:
                failures.append(f"{name}: refusing costs {ratio:.2f} times what taking costs")
        for failure in failures:
            print(failure, file=sys.stderr)
    finally:
        registry.process.terminate()
        registry.process.wait(20)
sys.exit(1 if failures else 0)
