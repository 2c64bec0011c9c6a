"""Makes property lists from the JSON files in this folder with plistlib: python3 make.py FOLDER

`make.swift` writes the JSON. The damaged lists are made from other rows of the same lists.
"""
import json
import pathlib
import plistlib
import sys

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
keys = ["CharterStore.v1", "ChecklistStore.v1", "CharterChecklistStates.v1", "FlashcardStore.v1"]
values = {key: (folder / (key + ".json")).read_bytes() for key in keys}


def write(name, content, format=plistlib.FMT_BINARY):
    (folder / name).write_bytes(plistlib.dumps(content, fmt=format))


# In a backup, the file's name is a hash.
write("8f3a7c0e1d2b4a5968778695a4b3c2d1e0f01234", values | {"Launches": 42})
write("python-xml.plist", values, plistlib.FMT_XML)
# The values are strings instead of data, indented and with CRLF. Two lists are missing.
text = {key: json.dumps(json.loads(values[key]), indent=2, ensure_ascii=False) for key in keys[:2]}
write("texts.plist", {key: value.replace("\n", "\r\n") for key, value in text.items()})

# For the matrix: Todoist has no list without tasks.
full = json.dumps(json.loads(values["ChecklistStore.v1"])[:2]).encode()
write("../matrix/predecessor.plist", values | {"ChecklistStore.v1": full})

charters = json.loads(values["CharterStore.v1"])
lists = json.loads(values["ChecklistStore.v1"])
decks = json.loads(values["FlashcardStore.v1"])
states = json.loads(values["CharterChecklistStates.v1"])
states = states[states.index(charters[0]["id"]) :][:2]
rows = states[1]["checklistStates"]
odd_charters = [
    charters[0] | {"crew": ["Ana", "Ben"]},
    charters[1] | {"startDate": "next week"},
    7,
    {"id": "not-a-uuid", "name": "By hand", "startDate": "2024-02-29T10:00:00+02:00", "createdAt": -1.5, "endDate": None},
]
odd_lists = [
    lists[0] | {"charterType": "mid_charter", "colour": "blue"},
    lists[1] | {"sections": {"a": 1}},
]
odd_states = [
    states[0],
    {
        "charterId": charters[1]["id"],
        "checklistStates": rows + [lists[1]["id"].lower(), {"checklistId": lists[1]["id"], "itemStates": {
            lists[1]["sections"][0]["subsections"][0]["items"][0]["id"].lower(): {"isChecked": 1}}}, "5A11ED00-0000-4000-8000-00000000FFFF"],
    },
    charters[1]["id"],
]
write(
    "odd-rows.plist",
    {
        "CharterStore.v1": json.dumps(odd_charters, indent=1).encode(),
        "ChecklistStore.v2": json.dumps(odd_lists, indent=1).encode(),
        "CharterChecklistStates.v1": json.dumps(odd_states, indent=1).encode(),
        "FlashcardStore.v1": values["FlashcardStore.v1"][:-40],
    },
    plistlib.FMT_XML,
)
write("wrong-types.plist", {"CharterStore.v1": [1, 2], "ChecklistStore.v1": 5, "FlashcardStore.v1": json.dumps(decks)})
