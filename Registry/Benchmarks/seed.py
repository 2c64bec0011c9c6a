"""Publishes the items that the benchmark reads: seed.py PORT TOKEN COUNT."""

import http.client
import json
import sys

port, token, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
connection = http.client.HTTPConnection("127.0.0.1", port)
sections = [
    {
        "title": f"Section {section}",
        "items": [
            {"title": f"Check number {entry} of section {section}", "itemDescription": "Look, listen, and write it down",
             "isRequired": True, "isOptional": False}
            for entry in range(6)
        ],
    }
    for section in range(4)
]
for number in range(1, count + 1):
    body = {
        "title": f"Before departure {number}", "description": "What to check before the lines come off",
        "content_type": "checklist", "content_data": {"title": "Before departure", "sections": sections},
        "tags": ["safety", "departure"], "language": "en", "public_id": f"bench-{number}-0A1B2C3D", "can_fork": True,
    }
    connection.request(
        "POST", "/api/v1/content/share", json.dumps(body),
        {"Content-Type": "application/json", "Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 201:
        sys.exit(f"share answered {answer.status}: {text[:300]!r}")
