"""Makes the peer's database with one signed-in user, and prints the user's token."""

import os
import time
import uuid

import jwt
import service

db = service.connect()
db.executescript(service.SCHEMA)
user, session = str(uuid.uuid4()), str(uuid.uuid4())
db.execute("INSERT INTO users VALUES (?, 'captain@example.com', 'captain')", (user,))
db.execute("INSERT INTO sessions VALUES (?, ?)", (session, user))
now = int(time.time())
claims = {"sub": user, "sid": session, "iat": now, "exp": now + 3600, "iss": "registry", "aud": "registry"}
print(jwt.encode(claims, os.environ["JWT_SECRET_KEY"], algorithm="HS256"))
