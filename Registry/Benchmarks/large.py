"""Measures the registry on PostgreSQL with many small items.

    large.py REGISTRY [--items 200000,2000000] [--rate 500] [--seconds 20]

Loads a bundle with `fleetkit-registry load`, copies the same rows into the same tables with psql's \\copy, and sends
requests of each kind at a fixed rate. Fails if a goal is missed:

  load                   at least half as fast as \\copy
  p95 of each kind       20 ms; search 100 ms (two words at 20 requests per second)
  sequential scans       none of shared_content while requests are answered
  2 million items        at most 1.3 times the time per request of 200,000 items (the median)
"""

import argparse
import http.client
import json
import os
import queue
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import uuid

from cluster import Cluster

TAGS = [f"tag{number}" for number in range(200)]


# Two words that each match tens of thousands of items, but rarely the same one, take 30 ms of processor time with 2
# million items.
TWO_WORDS_RATE = 20


def vocabulary(rng):
  consonants, vowels = "bcdfghklmnprstvz", "aeiou"
  words = set()
  while len(words) < 20_000:
    words.add("".join(rng.choice(consonants) + rng.choice(vowels) for _ in range(rng.randint(2, 4))))
  return sorted(words)


def write_bundle(path, count):
  """Writes items whose words and tags are as unevenly frequent as in real texts."""
  rng = random.Random(count)
  words = vocabulary(random.Random(1))
  weights = [1 / (rank + 1) for rank in range(len(words))]
  picked = rng.choices(words, weights, k=1_000_000)
  tags = rng.choices(TAGS, [1 / (rank + 1) for rank in range(len(TAGS))], k=100_000)
  with open(path, "w") as out:
    out.write('{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}\n')
    for number in range(count):
      start = rng.randrange(len(picked) - 60)
      text = picked[start:start + 40]
      if number % (count // 5) == 0:
        text.append("xylophonical")
      item = {
        "kind": "item", "content_type": "practice_guide", "title": " ".join(text[:4]),
        "language": "ru" if number % 7 == 0 else "en", "tags": sorted({tags[start % 100_000], tags[number % 100_000]}),
        "public_id": f"item-{number}-{count}",
        "content_data": {"id": str(uuid.UUID(int=rng.getrandbits(128), version=4)).upper(), "markdown": " ".join(text)},
      }
      out.write(json.dumps(item, ensure_ascii=False, separators=(",", ":")) + "\n")


def copy_again(cluster, registry, source, folder):
  """Copies the rows with psql into a second database with the same tables, and returns the seconds."""
  cluster.sql("postgres", "CREATE DATABASE copied")
  subprocess.run([registry, "migrate", "--to-latest", "--database", cluster.address("copied")], check=True,
                 stdout=subprocess.DEVNULL)
  tables = ["users", "shared_content", "content_documents", "content_tags"]
  for table in tables:
    cluster.sql(source, f"\\copy {table} to '{folder}/{table}' (format binary)")
  begin = time.monotonic()
  cluster.sql("copied", "BEGIN", *[f"\\copy {table} from '{folder}/{table}' (format binary)" for table in tables], "COMMIT")
  seconds = time.monotonic() - begin
  for table in tables:
    os.remove(f"{folder}/{table}")
  cluster.sql("postgres", "DROP DATABASE copied")
  return seconds


def send(port, paths, rate, seconds):
  """Sends requests at a fixed rate and returns their times in ms, measured from the moment they were due."""
  due = queue.Queue()
  times, wrong, lock = [], [], threading.Lock()

  def work():
    connection = http.client.HTTPConnection("127.0.0.1", port)
    while (entry := due.get()) is not None:
      moment, path = entry
      connection.request("GET", path)
      answer = connection.getresponse()
      answer.read()
      elapsed = (time.monotonic() - moment) * 1000
      with lock:
        times.append(elapsed)
        if answer.status != 200:
          wrong.append((answer.status, path))
  workers = [threading.Thread(target=work) for _ in range(32)]
  for worker in workers:
    worker.start()
  begin = time.monotonic()
  for number in range(int(rate * seconds)):
    moment = begin + number / rate
    if (wait := moment - time.monotonic()) > 0:
      time.sleep(wait)
    due.put((moment, paths[number % len(paths)]))
  for _ in workers:
    due.put(None)
  for worker in workers:
    worker.join()
  assert not wrong, wrong[:3]
  return sorted(times)


def cursor_of_page(port, page):
  """Returns the address of a page, by following the links from the first one."""
  path = "/api/v1/content/public?limit=20&cursor="
  connection = http.client.HTTPConnection("127.0.0.1", port)
  for _ in range(page - 1):
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    link = answer.getheader("Link")
    target = next(part for part in link.split(",") if 'rel="next"' in part).split(";")[0].strip(" <>")
    split = urllib.parse.urlsplit(target)
    path = split.path + "?" + split.query
  return path


def measure(registry, count, options):
  cluster = Cluster()
  folder = tempfile.mkdtemp(prefix="fleetkit-bundle-")
  try:
    bundle = f"{folder}/bundle.jsonl"
    write_bundle(bundle, count)
    cluster.sql("postgres", "CREATE DATABASE registry")
    address = cluster.address("registry")
    begin = time.monotonic()
    subprocess.run([registry, "load", bundle, "--owner", "mate", "--create-owner", "--database", address], check=True)
    loaded = time.monotonic() - begin
    copied = copy_again(cluster, registry, "registry", folder)
    print(f"{count:,} items, {os.path.getsize(bundle) / 1e6:,.0f} MB: load {loaded:.1f} s ({count / loaded:,.0f}/s), "
          f"copy {copied:.1f} s, ratio {copied / loaded:.2f}", flush=True)
    os.remove(bundle)
    # A bundle has no copies. As in real use, most items have none, and few have many.
    cluster.sql("registry", "UPDATE shared_content SET fork_count = 1000 / (1 + number % 1000) WHERE number % 7 = 0")
    cluster.sql("registry", "VACUUM ANALYZE")
    size = int(cluster.sql("registry", "SELECT pg_database_size('registry')"))
    print(f"database {size / 1e6:,.0f} MB, {size / count:,.0f} bytes per item", flush=True)

    server = subprocess.Popen(
      [registry, "--port", "0", "--no-rate-limit", "--log-level", "error", "--database", address],
      env={**os.environ, "JWT_SECRET_KEY": "k" * 40}, stdout=subprocess.PIPE, text=True)
    port = int(server.stdout.readline().rsplit(":", 1)[1])
    rng = random.Random(2)
    words = vocabulary(random.Random(1))
    public = "/api/v1/content/public?limit=20"
    kinds = {
      "list": [public], "page 1,000": [f"{public}&page=1000"],
      "page 1,000 by cursor": [cursor_of_page(port, 1000)],
      "item": [f"/api/v1/content/item-{rng.randrange(count)}-{count}" for _ in range(5000)],
      "search, common word": [f"{public}&q={words[0]}"], "search, rare word": [f"{public}&q=xylophonical"],
      "search, two words": [f"{public}&q={words[rank]}+{words[rank + 1]}" for rank in range(10, 400, 7)],
      "tag, common": [f"{public}&tag={TAGS[0]}"], "tag, rare": [f"{public}&tag={TAGS[-1]}"],
      "most copied": [f"{public}&sort=most_forked"],
      "most copied, of a type": [f"{public}&sort=most_forked&type=checklist"],
      "most copied, common tag": [f"{public}&sort=most_forked&tag={TAGS[0]}"],
      "most copied, rare tag": [f"{public}&sort=most_forked&tag={TAGS[-1]}"],
      "search, most copied": [f"{public}&sort=most_forked&q={words[0]}"],
    }
    scans = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'shared_content'"
    time.sleep(1)
    before = int(cluster.sql("registry", scans))
    results = {}
    for kind, paths in kinds.items():
      rate = TWO_WORDS_RATE if kind == "search, two words" else options.rate
      send(port, paths, rate, 2)
      times = send(port, paths, rate, options.seconds)
      results[kind] = (statistics.median(times), times[int(len(times) * 0.95)])
      print(f"  {kind:24} median {results[kind][0]:7.2f} ms, p95 {results[kind][1]:7.2f} ms", flush=True)
    for path in ["/sitemap.xml", "/sitemap.xml?cursor="]:
      begin = time.monotonic()
      with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
        size = len(answer.read())
      print(f"  {path}: {1000 * (time.monotonic() - begin):.0f} ms, {size:,} bytes", flush=True)
    server.terminate()
    server.wait()
    time.sleep(1.5)
    scanned = int(cluster.sql("registry", scans)) - before
    print(f"  sequential scans of shared_content: {scanned}", flush=True)
    return {"ratio": copied / loaded, "results": results, "scans": scanned}
  finally:
    cluster.stop()
    shutil.rmtree(folder, ignore_errors=True)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("registry")
  parser.add_argument("--items", default="200000,2000000")
  parser.add_argument("--rate", type=float, default=500)
  parser.add_argument("--seconds", type=float, default=20)
  options = parser.parse_args()
  counts = [int(text) for text in options.items.split(",")]
  runs = {count: measure(os.path.abspath(options.registry), count, options) for count in counts}
  missed = []
  for count, run in runs.items():
    if run["ratio"] < 0.5:
      missed.append(f"{count:,}: load at {run['ratio']:.2f} of \\copy")
    if run["scans"]:
      missed.append(f"{count:,}: {run['scans']} sequential scans")
    for kind, (_, p95) in run["results"].items():
      if p95 > (100 if kind.startswith("search") else 20):
        missed.append(f"{count:,}: {kind}: p95 {p95:.1f} ms")
  first, last = runs[counts[0]], runs[counts[-1]]
  for kind in first["results"] if len(counts) > 1 else []:
    growth = last["results"][kind][0] / first["results"][kind][0]
    print(f"{kind:24} {growth:.2f} × per request from {counts[0]:,} to {counts[-1]:,}")
    if growth > 1.3:
      missed.append(f"{kind}: {growth:.2f} × per request")
  for line in missed:
    print("missed: " + line)
  sys.exit(1 if missed else 0)


if __name__ == "__main__":
  main()
