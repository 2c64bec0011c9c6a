"""Converts an outline to JSON lines with Python's ElementTree, in a stream: the peer of `fleetkit convert x.opml`.

    opml_peer.py OUTLINE.opml LINES.jsonl

Make the outline with `fleetkit convert LIBRARY --to OUTLINE.opml`. The peer checks nothing and does not track
positions.
"""

import json
import sys
from xml.etree import ElementTree

PREFIX = "{https://anyfleet.app/fleetkit/opml}"


def tags(attributes):
    return [tag for tag in attributes.get("category", "").split(",") if tag]


def step(outline, number):
    own = outline.attrib
    return {
        "id": own.get(PREFIX + "id"),
        "title": own.get("text"),
        "itemDescription": own.get("_note"),
        "isOptional": own.get(PREFIX + "optional") == "true",
        "isRequired": own.get(PREFIX + "required") == "true",
        "tags": tags(own),
        "sortOrder": number,
    }


def section(outline, number):
    own = outline.attrib
    steps = [step(child, index) for index, child in enumerate(outline)]
    return {"id": own.get(PREFIX + "id"), "title": own.get("text"), "items": steps, "sortOrder": number}


def item(outline):
    own = outline.attrib
    return {
        "kind": "item",
        "id": own.get(PREFIX + "id"),
        "content_type": own.get("type"),
        "title": own.get("text"),
        "description": own.get("_note"),
        "tags": tags(own),
        "created_at": own.get(PREFIX + "created"),
        "content_data": {"sections": [section(child, index) for index, child in enumerate(outline)]},
    }


def main(source, target):
    depth = 0
    with open(target, "w", encoding="utf-8") as out:
        for event, outline in ElementTree.iterparse(source, events=("start", "end")):
            if outline.tag != "outline":
                continue
            depth += 1 if event == "start" else -1
            if event == "end" and depth == 0:
                json.dump(item(outline), out, ensure_ascii=False)
                out.write("\n")
                outline.clear()


main(*sys.argv[1:])
