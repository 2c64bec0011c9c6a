"""Compares the registry on PostgreSQL with its peer (FastAPI, uvicorn with 2 workers, asyncpg).

    postgresql.py REGISTRY PEER_PYTHON [--seconds 10]

wrk sends the same requests to one after the other, over loopback, with 64 connections. Prints requests per second, p95,
and requests per CPU-second of the server's processes (without PostgreSQL's). Fails if the registry serves fewer than
2.5 times the peer's requests per CPU-second.
"""

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from cluster import Cluster, start_registry

ITEMS = 1000
NAMES = {"item": "GET one item", "list": "GET a list of 20", "share": "POST share"}
here = os.path.dirname(os.path.abspath(__file__))


def cpu_seconds(pid):
  """Returns the CPU time of a process and its children, including those that have ended."""
  with open(f"/proc/{pid}/stat") as file:
    fields = file.read().rsplit(")", 1)[1].split()
  total = sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
  with open(f"/proc/{pid}/task/{pid}/children") as file:
    children = file.read().split()
  return total + sum(cpu_seconds(child) for child in children)


def run_load(load, pid, port, token, seconds):
  before = cpu_seconds(pid)
  run = subprocess.run(
    ["wrk", "-t2", "-c64", f"-d{seconds}s", "-s", f"{here}/load.lua", f"http://127.0.0.1:{port}"],
    env={**os.environ, "LOAD": load, "PACE": "0", "TOKEN": token, "ITEMS": str(ITEMS), "RUN": f"run-{time.time_ns()}"},
    check=True, capture_output=True, text=True)
  used = cpu_seconds(pid) - before
  rate, _, p95, _, errors = map(float, re.search(r"^RESULT (.*)$", run.stdout, re.M).group(1).split())
  return {"rate": rate, "p95": p95, "errors": errors, "per CPU-second": rate * seconds / used}


def measure(pid, port, token, seconds, cluster, database):
  subprocess.run([sys.executable, f"{here}/seed.py", str(port), token, str(ITEMS)], check=True)
  # Autovacuum does this within a minute. Plans that were made for empty tables are then replaced.
  cluster.sql(database, "VACUUM ANALYZE")
  run_load("item", pid, port, token, 2)
  return {load: run_load(load, pid, port, token, seconds) for load in NAMES}


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("registry")
  parser.add_argument("python", help="a Python with the packages of requirements.txt")
  parser.add_argument("--seconds", type=int, default=10)
  options = parser.parse_args()
  registry, python = os.path.abspath(options.registry), os.path.abspath(options.python)
  environment = {**os.environ, "JWT_SECRET_KEY": "benchmark-benchmark-benchmark-benchmark"}
  cluster = Cluster()
  log = tempfile.TemporaryFile()
  try:
    for name in ["registry", "peer"]:
      cluster.sql("postgres", f"CREATE DATABASE {name}")
    server, port, token = start_registry(registry, cluster.address("registry"), log)
    ours = measure(server.pid, port, token, options.seconds, cluster, "registry")
    server.terminate()
    server.wait()

    environment["DATABASE"] = cluster.address("peer")
    token = subprocess.run(
      [python, "postgresql.py", environment["DATABASE"]], cwd=f"{here}/peer", env=environment, check=True,
      capture_output=True, text=True).stdout.strip()
    with socket.socket() as free:
      free.bind(("127.0.0.1", 0))
      port = free.getsockname()[1]
    peer = subprocess.Popen(
      [python, "-m", "uvicorn", "postgresql:app", "--port", str(port), "--workers", "2", "--no-access-log", "--log-level",
       "error"], cwd=f"{here}/peer", env=environment, stderr=log)
    for _ in range(100):
      try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/content/public").read()
        break
      except OSError:
        time.sleep(0.1)
    theirs = measure(peer.pid, port, token, options.seconds, cluster, "peer")
    peer.terminate()
    peer.wait()
  finally:
    cluster.stop()

  print("| load | registry req/s | p95 | per CPU-second | peer req/s | p95 | per CPU-second | ratio |")
  print("|---|--:|--:|--:|--:|--:|--:|--:|")
  failures = []
  for load, name in NAMES.items():
    mine, other = ours[load], theirs[load]
    ratio = mine["per CPU-second"] / other["per CPU-second"]
    print(f"| {name} | {mine['rate']:,.0f} | {mine['p95']:.2f} ms | {mine['per CPU-second']:,.0f} "
          f"| {other['rate']:,.0f} | {other['p95']:.2f} ms | {other['per CPU-second']:,.0f} | {ratio:.1f} × |")
    if mine["errors"] or other["errors"]:
      failures.append(f"{name}: requests failed: {mine['errors']:.0f} of the registry, {other['errors']:.0f} of the peer")
    if ratio < 2.5:
      failures.append(f"{name}: {ratio:.1f} times the peer's requests per CPU-second; the goal is 2.5")
  for failure in failures:
    print(failure, file=sys.stderr)
  sys.exit(1 if failures else 0)


if __name__ == "__main__":
  main()
