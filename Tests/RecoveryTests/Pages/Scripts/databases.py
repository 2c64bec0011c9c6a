"""Makes databases for the tests, and describes their content.

describe DB            prints the shapes, rows and index entries as SQLite sees them, as JSON
make KIND DB           makes a database
"""
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import uuid


def value(v):
    if v is None:
        return "n"
    if isinstance(v, int):
        return "i%d" % v
    if isinstance(v, float):
        return "r" + struct.pack(">d", v).hex()
    if isinstance(v, str):
        return "t" + v.encode("utf-8", "surrogatepass").hex()
    return "b" + bytes(v).hex()


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def describe(path):
    # A library of the tests may be in a folder that is not writable.
    if not os.access(os.path.dirname(path) or ".", os.W_OK) or path.startswith("/work/shared"):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(path, folder + "/x")
            return describe_copy(folder + "/x")
    describe_copy(path)


def describe_copy(path):
    # SQLite may roll back a journal, or move a log into the file, so it opens a copy.
    copy = path + ".described"
    for suffix in ("", "-wal", "-journal"):
        if os.path.exists(path + suffix):
            shutil.copy(path + suffix, copy + suffix)
            os.chmod(copy + suffix, 0o644)
    db = sqlite3.connect(copy)
    tables, indexes, rows, entries = [], [], [], []
    master = db.execute("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master").fetchall()
    for type, name, table, root, sql in master:
        if type != "table" or not root or re.search(r"WITHOUT\s+ROWID", sql or "", re.I):
            continue
        columns = []
        infos = db.execute("PRAGMA table_info(%s)" % quoted(name)).fetchall()
        keys = [i for i in infos if i[5]]
        for _, column, kind, notnull, default, key in infos:
            kind = kind.upper()
            rowid = key == 1 and len(keys) == 1 and kind == "INTEGER"
            classes = ["integer", "real", "text", "blob"]
            real = False
            if "INT" in kind:
                classes = ["integer"]
            elif "TEXT" in kind or "CHAR" in kind:
                classes = ["text"]
            elif "REAL" in kind or "DOUB" in kind:
                classes, real = ["real"], True
            if not notnull and not rowid:
                classes.append("null")
            columns.append({"classes": classes, "isRowid": rowid, "isReal": real,
                            "default": value(db.execute("SELECT " + (default or "NULL")).fetchone()[0])})
        tables.append({"name": name, "root": root, "columns": columns})
        for row in db.execute("SELECT rowid, * FROM %s" % quoted(name)):
            rows.append("|".join([name, str(row[0])] + [value(v) for v in row[1:]]))
        for _, index, *_ in db.execute("PRAGMA index_list(%s)" % quoted(name)).fetchall():
            info = db.execute("PRAGMA index_info(%s)" % quoted(index)).fetchall()
            root, sql = db.execute(
                "SELECT rootpage, sql FROM sqlite_master WHERE type='index' AND name=?", (index,)).fetchone()
            where = re.search(r"\sWHERE\s.*$", sql or "", re.I | re.S)
            names = [i[2] for i in info]
            indexes.append({"table": name, "name": index, "root": root, "keyCount": len(names)})
            for row in db.execute("SELECT rowid, %s FROM %s %s" % (
                    ", ".join(map(quoted, names)), quoted(name), where.group(0) if where else "")):
                entries.append("|".join([index, str(row[0])] + [value(v) for v in row[1:]]))
    json.dump({"tables": tables, "indexes": indexes, "rows": rows, "entries": entries}, sys.stdout)


def text(r, n):
    return "".join(r.choice("abc dé—ü漢😀\n0123") for _ in range(n))


def fill(db, r, rows, long=3000):
    db.execute("CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, score REAL, size INTEGER, raw BLOB)")
    db.execute("CREATE TABLE counters (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    db.execute("CREATE TABLE pairs (a TEXT, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID")
    db.execute("CREATE INDEX byTitle ON notes(title, size)")
    for i in range(rows):
        n = r.randrange(long) if i % 7 == 0 else r.randrange(40)
        blob = r.randbytes(r.randrange(20)) if i % 3 else None
        db.execute("INSERT INTO notes VALUES (?,?,?,?,?)", (
            str(uuid.UUID(int=r.getrandbits(128))).upper(), text(r, n), r.choice([None, 3.0, r.random(), -1e300]),
            r.choice([None, 0, 1, -1, 127, 128, -32769, 2 ** 31, 2 ** 47, -2 ** 63, 2 ** 63 - 1]), blob))
        db.execute("INSERT INTO counters (name) VALUES (?)", (text(r, r.randrange(30)),))
        db.execute("INSERT OR IGNORE INTO pairs VALUES (?,?)", (text(r, 5), i))
    db.execute("ALTER TABLE counters ADD COLUMN later TEXT")
    db.execute("INSERT INTO counters (name, later) VALUES ('x', 'y')")


def new(path, *pragmas):
    for suffix in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in pragmas:
        db.execute("PRAGMA " + pragma)
    return db


def simple(path, rows, *pragmas):
    db = new(path, *pragmas)
    db.execute("BEGIN")
    fill(db, random.Random(7), rows)
    db.execute("COMMIT")
    db.close()


def wal(path):
    """Makes a log, copied while the database is open: committed and overwritten pages, then an open transaction."""
    other = path + ".open"
    db = new(other, "page_size=1024", "journal_mode=WAL", "wal_autocheckpoint=0")
    db.execute("BEGIN")
    fill(db, random.Random(3), 100)
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute("UPDATE notes SET title = 'changed ' || title WHERE rowid % 2")
    db.execute("DELETE FROM notes WHERE rowid % 5 = 0")
    db.execute("PRAGMA cache_size=1")
    db.execute("BEGIN")
    for i in range(300):
        db.execute("INSERT INTO counters (name, later) VALUES (?, 'uncommitted')", ("open %d" % i,))
    for suffix in ("", "-wal"):
        shutil.copy(other + suffix, path + suffix)
    db.execute("ROLLBACK")
    db.close()


def journal(path, synchronous="OFF"):
    """Makes a hot journal: the process is killed in a transaction whose pages are already in the file."""
    simple(path, 200, "page_size=1024")
    subprocess.run([sys.executable, __file__, "killed", path, synchronous])
    assert os.path.getsize(path + "-journal") > 512


def killed(path, synchronous):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=" + synchronous)
    db.execute("PRAGMA cache_size=2")
    db.execute("PRAGMA cache_spill=1")
    db.execute("BEGIN")
    db.execute("UPDATE notes SET title = 'uncommitted ' || title")
    db.execute("DELETE FROM counters WHERE number % 3 = 0")
    for i in range(400):
        db.execute("INSERT INTO counters (name, later) VALUES (?, 'uncommitted')", ("open %d" % i,))
    os.kill(os.getpid(), signal.SIGKILL)


def spoiled(path):
    """Makes a log in which the newest committed frame of a page is garbage with the right checksums."""
    wal(path)
    log = bytearray(open(path + "-wal", "rb").read())
    frames = range(32, len(log) - 1023, 24 + 1024)
    last = max(i for i in frames if log[i + 4:i + 8] != bytes(4))
    target = max(i for i in frames if i <= last and log[i + 24] == 13 and b"changed" in log[i + 24:i + 1048])
    log[target + 24:target + 1048] = random.Random(1).randbytes(1024)
    order = ">" if log[3] & 1 else "<"
    sums = struct.unpack(">II", log[24:32])
    for i in frames:
        for part in (log[i:i + 8], log[i + 24:i + 1048]):
            a, b = sums
            words = struct.unpack(order + "%dI" % (len(part) // 4), part)
            for x, y in zip(words[::2], words[1::2]):
                a = (a + x + b) & 0xFFFFFFFF
                b = (b + y + a) & 0xFFFFFFFF
            sums = a, b
        log[i + 16:i + 24] = struct.pack(">II", *sums)
    open(path + "-wal", "wb").write(log)


def superseded(path):
    """Makes a journal that names a super-journal that no longer exists."""
    journal(path)
    name = b"/somewhere/gone.sqlite-mj12345"
    with open(path + "-journal", "ab") as file:
        file.write(name + struct.pack(">II", len(name), sum(name)) + bytes.fromhex("d9d505f920a163d7"))


def deleted(path):
    db = new(path, "page_size=1024", "secure_delete=OFF")
    db.execute("CREATE TABLE counters (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    db.execute("BEGIN")
    for i in range(500):
        db.execute("INSERT INTO counters (name) VALUES (?)", ("name %d " % i * (1 + 200 * (i % 50 == 0)),))
    db.execute("COMMIT")
    db.execute("DELETE FROM counters WHERE number BETWEEN 100 AND 400")
    db.close()


def grow(source, path, size):
    """Makes a library with many records: copies of the source's records, with new IDs."""
    shutil.copy(source, path)
    os.chmod(path, 0o644)
    r = random.Random(5)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=OFF")
    tables = ["charters", "library_content", "checklists", "practice_guides"]
    rows = {t: db.execute("SELECT * FROM " + t).fetchall() for t in tables}
    db.execute("BEGIN")
    while db.execute("PRAGMA page_count").fetchone()[0] * 4096 < size:
        for t in tables:
            for row in rows[t]:
                row = (str(uuid.UUID(int=r.getrandbits(128))).upper(),) + row[1:]
                db.execute("INSERT INTO %s VALUES (%s)" % (t, ",".join("?" * len(row))), row)
    db.execute("COMMIT")
    db.close()


def main():
    verb, *arguments = sys.argv[1:]
    if verb == "describe":
        describe(*arguments)
    elif verb == "killed":
        killed(*arguments)
    elif verb == "grow":
        grow(arguments[0], arguments[1], int(arguments[2]))
    else:
        kind, path = arguments
        {
            "p512": lambda: simple(path, 200, "page_size=512"),
            "p4096": lambda: simple(path, 2000, "page_size=4096"),
            "p65536": lambda: simple(path, 2000, "page_size=65536"),
            "small": lambda: simple(path, 60, "page_size=1024"),
            "utf16le": lambda: simple(path, 500, "page_size=1024", "encoding='UTF-16le'"),
            "utf16be": lambda: simple(path, 500, "page_size=1024", "encoding='UTF-16be'"),
            "vacuum": lambda: simple(path, 2000, "page_size=512", "auto_vacuum=FULL"),
            "wal": lambda: wal(path),
            "journal": lambda: journal(path),
            "journalsynced": lambda: journal(path, "FULL"),
            "superseded": lambda: superseded(path),
            "spoiled": lambda: spoiled(path),
            "deleted": lambda: deleted(path),
        }[kind]()


main()
