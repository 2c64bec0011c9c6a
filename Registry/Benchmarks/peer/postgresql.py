"""The same three calls (service.py) on PostgreSQL with asyncpg.

asyncpg is the fastest driver for Python: it speaks PostgreSQL's binary protocol and keeps prepared statements. As in the
registry, each worker collects views and writes them every 0.4 s, so that a read takes one SELECT.

    postgresql.py ADDRESS   makes the tables with one signed-in user, and prints the user's token
"""

import asyncio
import os
import sys
import time
import uuid
from contextlib import asynccontextmanager
from typing import Any, Optional

import asyncpg
import jwt
import orjson
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request, Response
from service import SECRET, Share, checked, claims_of, iso, json_answer, published

SCHEMA = """
CREATE TABLE users (id uuid PRIMARY KEY, email text UNIQUE, username text UNIQUE);
CREATE TABLE sessions (id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users);
CREATE TABLE shared_content (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES users, author_username text, title text NOT NULL, description text,
  content_type text NOT NULL, tags text[] NOT NULL, language text NOT NULL, public_id text NOT NULL UNIQUE,
  can_fork boolean NOT NULL, forked_from_id uuid, view_count bigint NOT NULL DEFAULT 0,
  fork_count bigint NOT NULL DEFAULT 0, created_at bigint NOT NULL, updated_at bigint NOT NULL, deleted_at bigint,
  digest text NOT NULL, words tsvector NOT NULL);
CREATE INDEX ON shared_content (created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX ON shared_content USING gin (words);
CREATE INDEX ON shared_content USING gin (tags);
CREATE TABLE content_documents (number bigint PRIMARY KEY REFERENCES shared_content, content_data bytea NOT NULL);
"""
COLUMNS = ("id::text, title, description, content_type, tags, language, public_id, author_username, view_count, fork_count, "
           "created_at, updated_at")
LIST = (f"SELECT {COLUMNS} FROM shared_content WHERE deleted_at IS NULL ORDER BY created_at DESC, id DESC "
        "LIMIT $1 OFFSET $2")
READ = (f"SELECT {COLUMNS}, can_fork, forked_from_id::text, digest, user_id::text, content_data, number "
        "FROM shared_content JOIN content_documents USING (number) WHERE public_id = $1 AND deleted_at IS NULL")
INSERT = """
WITH content AS (
  INSERT INTO shared_content (id, user_id, author_username, title, description, content_type, tags, language, public_id,
    can_fork, forked_from_id, created_at, updated_at, digest, words)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, to_tsvector('english', $14))
  RETURNING number)
INSERT INTO content_documents SELECT number, $15 FROM content
"""
SENDER = "SELECT u.id, u.username FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND u.id = $2"
VIEWS = """
UPDATE shared_content c SET view_count = c.view_count + v.added
FROM unnest($1::bigint[], $2::bigint[]) AS v (number, added) WHERE c.number = v.number
"""


class State:
    pool: asyncpg.Pool
    views: dict[int, int] = {}


state = State()


async def write_views() -> None:
    while True:
        await asyncio.sleep(0.4)
        views, state.views = state.views, {}
        if views:
            numbers = sorted(views)
            await state.pool.execute(VIEWS, numbers, [views[number] for number in numbers])


@asynccontextmanager
async def lifespan(_: FastAPI):
    state.pool = await asyncpg.create_pool(os.environ["DATABASE"], min_size=8, max_size=8)
    task = asyncio.create_task(write_views())
    yield
    task.cancel()


app = FastAPI(lifespan=lifespan)


async def sender(authorization: Optional[str] = Header(default=None)) -> Any:
    claims = claims_of(authorization)
    row = await state.pool.fetchrow(SENDER, claims["sid"], claims["sub"])
    if row is None:
        raise HTTPException(401, "session ended")
    return row


@app.post("/api/v1/content/share")
async def share(share: Share, who: Any = Depends(sender)) -> Response:
    document, digest, words = checked(share)
    words = "\n".join([share.title, share.description or "", *share.tags, words])
    identity, now = uuid.uuid4(), int(time.time() * 1000)
    try:
        await state.pool.execute(
            INSERT, identity, who[0], who[1], share.title, share.description, share.content_type, share.tags,
            share.language, share.public_id, share.can_fork, share.forked_from_id, now, digest, words, document)
    except asyncpg.UniqueViolationError as error:
        raise HTTPException(409, "public_id is taken") from error
    return published(share, str(identity), now, str(who[0]), who[1], digest)


def item(row: asyncpg.Record) -> dict[str, Any]:
    return {
        "id": row[0], "title": row[1], "description": row[2], "content_type": row[3], "tags": row[4],
        "language": row[5], "public_id": row[6], "author_username": row[7], "view_count": row[8], "fork_count": row[9],
        "created_at": iso(row[10]), "updated_at": iso(row[11]),
    }


@app.get("/api/v1/content/public")
async def public(limit: int = Query(20, ge=1, le=100), offset: int = Query(0, ge=0)) -> Response:
    return json_answer([item(row) for row in await state.pool.fetch(LIST, limit, offset)])


@app.get("/api/v1/content/{public_id}")
async def content(public_id: str, request: Request) -> Response:
    row = await state.pool.fetchrow(READ, public_id)
    if row is None:
        raise HTTPException(404, "not found")
    tag = f'"{row[14]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    waiting = state.views[row[17]] = state.views.get(row[17], 0) + 1
    answer = item(row)
    answer["view_count"] += waiting
    answer |= {
        "can_fork": row[12], "forked_from_id": row[13], "author_user_id": row[15],
        "content_data": orjson.Fragment(row[16]),
    }
    return json_answer(answer, 200, {"ETag": tag})


async def prepare(address: str) -> None:
    db = await asyncpg.connect(address)
    await db.execute(SCHEMA)
    user, session, now = uuid.uuid4(), uuid.uuid4(), int(time.time())
    await db.execute("INSERT INTO users VALUES ($1, 'captain@example.com', 'captain')", user)
    await db.execute("INSERT INTO sessions VALUES ($1, $2)", session, user)
    claims = {"sub": str(user), "sid": str(session), "iat": now, "exp": now + 3600, "iss": "registry", "aud": "registry"}
    print(jwt.encode(claims, SECRET, algorithm="HS256"))


if __name__ == "__main__":
    asyncio.run(prepare(sys.argv[1]))
