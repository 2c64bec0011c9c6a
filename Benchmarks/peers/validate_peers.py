"""Does the same work with other validators: jsonschema-rs with orjson, and check-jsonschema.

    validate_peers.py bundle SCHEMAS OUT.json        write one schema with everything that it refers to
    validate_peers.py rs SCHEMA.json BUNDLE.jsonl    parse and validate every record, print how many are valid
    validate_peers.py rs-files SCHEMA.json FOLDER    the same for every file below a folder
    validate_peers.py files BUNDLE.jsonl FOLDER N    write each of the first N records to its own file
"""

import json
import os
import pathlib
import sys


def bundle(folder, out):
    schemas = {}
    for path in sorted(pathlib.Path(folder).glob("*.schema.json")):
        schemas[path.name] = json.loads(path.read_text(encoding="utf-8"))
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": schemas["library-item.schema.json"]["$id"],
        "$defs": {name: schema for name, schema in schemas.items()},
    }
    pathlib.Path(out).write_text(json.dumps(whole), encoding="utf-8")


def records(path):
    with open(path, "rb") as file:
        next(file)  # the header
        yield from file


def file_texts(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                yield file.read()


def rs(schema, texts):
    import jsonschema_rs
    import orjson

    validator = jsonschema_rs.Draft202012Validator(orjson.loads(pathlib.Path(schema).read_bytes()))
    valid = 0
    for text in texts:
        valid += validator.is_valid(orjson.loads(text))
    print(valid)


def files(path, folder, count):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for index, line in enumerate(records(path)):
        if index == count:
            break
        pathlib.Path(folder, f"{index:06}.json").write_bytes(line)


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    if verb == "bundle":
        bundle(*rest)
    elif verb == "rs":
        rs(rest[0], records(rest[1]))
    elif verb == "rs-files":
        rs(rest[0], file_texts(rest[1]))
    else:
        files(rest[0], rest[1], int(rest[2]))
