"""Makes a bundle that is not shaped like our own output, and imports it with Python's sqlite3 and orjson.

    import_peer.py make COUNT BUNDLE.jsonl        checklists with random ids, members in random order, a third Russian
    import_peer.py import BUNDLE.jsonl LIBRARY    parse each record and write its rows, in one transaction
    import_peer.py new BUNDLE.jsonl LIKE LIBRARY  the same into a new library with the tables and indexes of LIKE

For `import`, LIBRARY must exist and have the app's tables. The peer checks nothing, merges nothing and keeps nothing
for an undo.
"""

import json
import os
import random
import sqlite3
import sys
import uuid

ENGLISH = "Check the oil, coolant and belt before each start and note the engine hours in the log book".split()
RUSSIAN = "Проверьте масло, охлаждающую жидкость и ремень перед каждым запуском двигателя и запишите моточасы".split()


def make(count, path):
    rng = random.Random(int(count))

    def identifier():
        return str(uuid.UUID(int=rng.getrandbits(128), version=4)).upper()

    def words(number, source):
        return " ".join(rng.choice(source) for _ in range(number))

    def shuffled(members):
        keys = list(members)
        rng.shuffle(keys)
        return {key: members[key] for key in keys}

    with open(path, "w", encoding="utf-8") as file:
        file.write('{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}\n')
        for index in range(int(count)):
            source = RUSSIAN if index % 3 == 0 else ENGLISH
            own = identifier()
            title = f"{words(3, source)} {index}"
            stamp = f"2026-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}T0{rng.randint(0, 9)}:15:30.{rng.randint(100, 999)}Z"
            sections = [
                shuffled({
                    "id": identifier(),
                    "title": words(2, source),
                    "items": [
                        shuffled({
                            "id": identifier(),
                            "title": words(5, source),
                            "itemDescription": words(6, source),
                            "isOptional": False,
                            "isRequired": rng.random() < 0.5,
                            "tags": [],
                            "estimatedMinutes": rng.randint(1, 30),
                            "sortOrder": order,
                        })
                        for order in range(4)
                    ],
                    "sortOrder": position,
                })
                for position in range(2)
            ]
            record = {
                "id": own,
                "content_type": "checklist",
                "title": title,
                "description": words(8, source),
                "tags": ["bench"],
                "language": "ru" if source is RUSSIAN else "en",
                "visibility": "private",
                "sync_status": "pending",
                "created_at": stamp,
                "updated_at": stamp,
                "content_data": shuffled({
                    "id": own,
                    "title": title,
                    "checklistType": "general",
                    "sections": sections,
                    "tags": ["bench"],
                    "createdAt": stamp,
                    "updatedAt": stamp,
                    "syncStatus": "pending",
                }),
            }
            file.write(json.dumps({"kind": "item", **shuffled(record)}, ensure_ascii=False, separators=(",", ":")) + "\n")


ITEM = (
    "INSERT INTO library_content (id, title, description, type, visibility, tags, language, createdAt, updatedAt, syncStatus) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
CHECKLIST = (
    "INSERT INTO checklists (id, title, description, checklistType, tags, content, createdAt, updatedAt, syncStatus) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
GUIDE = (
    "INSERT INTO practice_guides (id, title, description, markdown, tags, createdAt, updatedAt, syncStatus) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)


def rows(line):
    import orjson

    record = orjson.loads(line)
    data = record["content_data"]
    tags = orjson.dumps(record["tags"]).decode()
    created, updated = (record[name].replace("T", " ").rstrip("Z") for name in ("created_at", "updated_at"))
    common = record["id"], record["title"], record["description"]
    item = *common, record["content_type"], record["visibility"], tags, record["language"], created, updated, "pending"
    if record["content_type"] == "practice_guide":
        return item, GUIDE, (*common, data["markdown"], tags, created, updated, "pending")
    text = orjson.dumps(data["sections"]).decode()
    return item, CHECKLIST, (*common, data["checklistType"], tags, text, created, updated, "pending")


def insert(path, database):
    with open(path, "rb") as file:
        next(file)  # the header
        database.execute("BEGIN IMMEDIATE")
        for item, body, values in map(rows, file):
            database.execute(ITEM, item)
            database.execute(body, values)
        database.execute("COMMIT")


def load(path, library):
    database = sqlite3.connect(library, isolation_level=None)
    insert(path, database)
    database.close()


def new(path, like, library):
    source = sqlite3.connect(like)
    statement = "SELECT sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
    tables, indexes = ([row[0] for row in source.execute(statement, (kind,))] for kind in ("table", "index"))
    database = sqlite3.connect(library, isolation_level=None)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + ";".join(tables))
    insert(path, database)
    database.executescript(";".join(indexes))
    database.close()
    descriptor = os.open(library, os.O_RDWR)
    os.fsync(descriptor)
    os.close(descriptor)


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    if verb == "make":
        make(*rest)
    elif verb == "new":
        new(*rest)
    else:
        load(*rest)
