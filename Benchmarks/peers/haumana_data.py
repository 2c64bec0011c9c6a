"""Makes Haumana pieces as DynamoDB items, one per line, with random ids and texts, and attributes in random order.

    haumana_data.py COUNT ITEMS.jsonl
    haumana_data.py order ITEMS.jsonl BUNDLE.jsonl ORDERED.jsonl

The second command puts the records of a bundle into the order of the items that they were made from.
"""

import json
import random
import sys
import uuid

WORDS = "ke kai uli holo ka waʻa i ka moana ʻo ka hōkū ke alakaʻi pā mai ka makani ʻoluʻolu hāʻule ka pō".split()


def text(lines):
    return "\n".join(" ".join(random.choices(WORDS, k=random.randint(3, 8))) for _ in range(lines))


def order(items, bundle, ordered):
    with open(items, "rb") as lines:
        places = {json.loads(line)["pieceId"]["S"]: place for place, line in enumerate(lines)}
    with open(bundle, "rb") as lines:
        head, *records = lines.readlines()
    records.sort(key=lambda line: places.get(json.loads(line).get("id"), len(places)))
    with open(ordered, "wb") as out:
        out.writelines([head, *records])


def main():
    if sys.argv[1] == "order":
        return order(*sys.argv[2:])
    random.seed(1)
    count, path = int(sys.argv[1]), sys.argv[2]
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(count):
            lines = random.randint(2, 12)
            second = random.randint(0, 59)
            item = {
                "userId": {"S": "191"},
                "pieceId": {"S": str(uuid.UUID(int=random.getrandbits(128), version=4)).upper()},
                "title": {"S": text(1)},
                "category": {"S": random.choice(["oli", "mele"])},
                "lyrics": {"S": text(lines)},
                "englishTranslation": {"S": text(lines)},
                "language": {"S": "haw"},
                "includeInPractice": {"BOOL": True},
                "isFavorite": {"BOOL": False},
                "createdAt": {"S": f"2025-07-20T05:54:{second:02}Z"},
                "modifiedAt": {"S": f"2025-08-20T05:54:{second:02}.065Z"},
                "version": {"N": str(random.randint(1, 9))},
                "locallyModified": {"BOOL": False},
            }
            members = list(item.items())
            random.shuffle(members)
            out.write(json.dumps(dict(members), ensure_ascii=False, separators=(",", ":")) + "\n")


main()
