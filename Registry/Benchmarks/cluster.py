"""A PostgreSQL server for benchmarks and tests.

    cluster.py COMMAND…   runs a command with the address of an empty database in FLEETKIT_TEST_DATABASE
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request


class Cluster:
  """A PostgreSQL server in a temporary folder."""

  def __init__(self):
    versions = sorted(os.listdir("/usr/lib/postgresql"), key=int)
    self.programs = f"/usr/lib/postgresql/{versions[-1]}/bin"
    self.folder = tempfile.mkdtemp(prefix="fleetkit-large-")
    self.user = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    if self.user:
      shutil.chown(self.folder, "nobody", "nogroup")
    subprocess.run(
      [*self.user, f"{self.programs}/initdb", "-D", f"{self.folder}/data", "-U", "registry", "-A", "trust", "-E", "UTF8",
       "--locale=C"], check=True, stdout=subprocess.DEVNULL, cwd="/tmp")
    with socket.socket() as free:
      free.bind(("127.0.0.1", 0))
      self.port = free.getsockname()[1]
    self.process = subprocess.Popen(
      [*self.user, f"{self.programs}/postgres", "-D", f"{self.folder}/data", "-p", str(self.port), "-k", self.folder,
       "-c", "shared_buffers=1GB", "-c", "max_wal_size=8GB", "-c", "maintenance_work_mem=512MB"],
      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/tmp")
    for _ in range(100):
      if subprocess.run(["psql", self.address("postgres"), "-c", ""], capture_output=True).returncode == 0:
        return
      time.sleep(0.1)
    sys.exit("PostgreSQL did not start")

  def address(self, database):
    return f"postgresql://registry@127.0.0.1:{self.port}/{database}"

  def sql(self, database, *statements):
    words = [word for statement in statements for word in ("-c", statement)]
    return subprocess.run(
      ["psql", self.address(database), "-XqAt", "-v", "ON_ERROR_STOP=1", *words], check=True, capture_output=True,
      text=True).stdout.strip()

  def stop(self):
    self.process.terminate()
    self.process.wait()
    shutil.rmtree(self.folder, ignore_errors=True)


def start_registry(registry, address, log):
  """Starts a registry in which anybody can sign in, and returns its process, its port, and a user's token."""
  server = subprocess.Popen(
    [registry, "--dev", "--no-rate-limit", "--port", "0", "--log-level", "error", "--database", address],
    env={**os.environ, "JWT_SECRET_KEY": "benchmark-benchmark-benchmark-benchmark"}, stdout=subprocess.PIPE, stderr=log,
    text=True)
  port = int(next(line for line in server.stdout if "listening" in line).rsplit(":", 1)[1])
  request = urllib.request.Request(
    f"http://127.0.0.1:{port}/api/v1/auth/test-signin?email=bench@example.com", method="POST")
  with urllib.request.urlopen(request) as answer:
    return server, port, json.load(answer)["access_token"]


if __name__ == "__main__":
  cluster = Cluster()
  try:
    cluster.sql("postgres", "CREATE DATABASE registry")
    command = subprocess.run(sys.argv[1:], env={**os.environ, "FLEETKIT_TEST_DATABASE": cluster.address("registry")})
    sys.exit(command.returncode)
  finally:
    cluster.stop()
