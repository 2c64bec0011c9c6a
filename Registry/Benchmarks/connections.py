"""Measures the memory of a registry on PostgreSQL while 500 connections read and publish.

    connections.py REGISTRY [--minutes 10]

Fails if the process ever needs more than 100 MB, or if it needs a tenth more in the second half of the time than in the
first.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from cluster import Cluster, start_registry

here = os.path.dirname(os.path.abspath(__file__))


def resident(pid):
  """Returns the memory of a process, in MB."""
  with open(f"/proc/{pid}/status") as file:
    return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) / 1000


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("registry")
  parser.add_argument("--minutes", type=float, default=10)
  options = parser.parse_args()
  cluster = Cluster()
  try:
    cluster.sql("postgres", "CREATE DATABASE registry")
    with tempfile.TemporaryFile() as log:
      server, port, token = start_registry(os.path.abspath(options.registry), cluster.address("registry"), log)
      subprocess.run([sys.executable, f"{here}/seed.py", str(port), token, "1000"], check=True)
      # Half a second between the requests of a connection: 1,000 requests per second.
      load = subprocess.Popen(
        ["wrk", "-t2", "-c500", f"-d{int(options.minutes * 60)}s", "-s", f"{here}/load.lua", f"http://127.0.0.1:{port}"],
        env={**os.environ, "LOAD": "mixed", "PACE": "500", "TOKEN": token, "ITEMS": "1000", "RUN": f"run-{time.time_ns()}"},
        stdout=subprocess.PIPE, text=True)
      time.sleep(5)
      sizes = []
      while load.poll() is None:
        sizes.append(resident(server.pid))
        time.sleep(1)
      rate, _, p95, _, errors = map(float, re.search(r"^RESULT (.*)$", load.stdout.read(), re.M).group(1).split())
      server.terminate()
      server.wait()
  finally:
    cluster.stop()
  half = len(sizes) // 2
  first, second = statistics.mean(sizes[:half]), statistics.mean(sizes[half:])
  print(f"500 connections for {options.minutes:g} minutes, {rate:,.0f} requests/s, p95 {p95:.1f} ms, {errors:.0f} errors")
  print(f"memory: at most {max(sizes):.0f} MB; mean of the halves {first:.0f} MB and {second:.0f} MB")
  sys.exit(0 if max(sizes) <= 100 and second <= 1.1 * first and errors == 0 else 1)


if __name__ == "__main__":
  main()
