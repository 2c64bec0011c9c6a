#!/usr/bin/env python3
"""Starts a registry with the samples on a free port, prints a tour and the address, and stops at Ctrl-C.

    demo.py [REGISTRY]     the server's binary (Registry/.build/release/fleetkit-registry; make registry)

The registry's data is in a temporary folder, which is removed at the end.
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
API = "/api/v1"


class Registry:
    """A registry for development on a free port, in a temporary folder."""

    def __init__(self, program=None):
        self.program = program or ROOT / "Registry/.build/release/fleetkit-registry"

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [str(self.program), "--dev", "--no-rate-limit", "--port", "0", "--log-level", "error", "--database",
             self.folder.name + "/registry.sqlite"],
            stdout=subprocess.PIPE, text=True, start_new_session=True)
        line = self.process.stdout.readline()
        if "listening on " not in line:
            raise SystemExit(f"{self.program} did not start")
        self.address = line.split()[-1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def send(self, method, path, body=None, token=None):
        """Returns the JSON of an answer."""
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"null")

    def sign_in(self, name):
        """Returns a token of the account with a name."""
        email = urllib.parse.quote(f"{name}@example.org")
        return self.send("POST", f"{API}/auth/test-signin?email={email}")["access_token"]

    def publish(self, token, item, public_id, **more):
        """Publishes an item of a bundle, and returns the registry's id."""
        body = {name: item[name] for name in ("title", "description", "content_type", "content_data") if name in item}
        body |= {"tags": item.get("tags", []), "language": item.get("language") or "en", "public_id": public_id} | more
        return self.send("POST", f"{API}/content/share", body, token)["id"]


def samples():
    """Yields the items of the samples."""
    for line in (ROOT / "samples/curated-checklists.jsonl").read_text().splitlines():
        if json.loads(line)["kind"] == "item":
            yield json.loads(line)
    for path in [ROOT / "samples/crew-handbook.json", *sorted((ROOT / "samples/ci").glob("*/*.json"))]:
        yield from json.loads(path.read_text())["items"]


def publish_samples(registry):
    """Publishes the samples as one author, and a copy of the first one as another; returns slugs by title."""
    harbour, skipper = registry.sign_in("harbourmaster"), registry.sign_in("skipper")
    registry.send(
        "PUT", f"{API}/auth/me",
        {"bio": "Checklists and guides for charter crews.", "location": "Kiel"}, harbour)
    slugs, first = {}, None
    for number, item in enumerate(samples(), 1):
        words = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in item["title"].lower())
        slug = "-".join(filter(None, words.split("-")))[:50] or "item"
        slug = f"{slug}-{number:08X}"
        id = registry.publish(harbour, item, slug)
        slugs[item["title"]] = slug
        first = first or (item, id)
    copy = "our-check-in-0A1B2C3D"
    registry.publish(skipper, first[0] | {"title": "Our check-in"}, copy, forked_from_id=first[1])
    slugs["Our check-in"] = copy
    return slugs


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Registry(*sys.argv[1:2]) as registry:
        slugs = publish_samples(registry)
        at = registry.address
        print(f"""A registry with {len(slugs)} samples is running. Open these addresses in a browser:

  {at}/
    all items, newest first. Search for "fire", or choose a type, a language or a tag.
  {at}/c/{slugs["Fog and restricted visibility"]}
    a checklist. Print it: every step has a box to tick.
  {at}/c/{slugs["Keeping an anchor watch"]}
    a guide
  {at}/c/{slugs["Cardinal marks"]}
    flashcards. Click a card to turn it over.
  {at}/c/{slugs["Our check-in"]}?hl=ru
    a copy with its lineage, on a page in Russian
  {at}/u/harbourmaster
    an author with all items
  {at}/feed.atom?tag=safety
    the feed of one tag

Each item has a command that makes your own copy. Press Ctrl-C to stop.""", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
