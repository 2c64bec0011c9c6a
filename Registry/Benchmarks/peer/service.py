"""The registry's three busiest calls on FastAPI, uvicorn and SQLite: what the benchmark compares with.

Written as the field writes it when it cares for speed: one connection for each worker in WAL mode, prepared statements
by sqlite3's own cache, orjson for bodies, PyJWT for tokens, no ORM. It does what the registry does on these calls and no
less: a token is checked and its session and user looked up, a body is checked field by field, a slug is unique, the words
are indexed, a view is counted (gathered and written twice a second, as the registry does), an entity tag is computed.
"""

import asyncio
import datetime
import hashlib
import os
import re
import sqlite3
import time
import uuid
from contextlib import asynccontextmanager
from typing import Any, Optional

import jwt
import orjson
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field

DATABASE = os.environ["DATABASE"]
SECRET = os.environ["JWT_SECRET_KEY"]
TYPES = {"checklist", "practice_guide", "flashcard_deck"}
SLUG = re.compile(r"^[A-Za-z0-9-]{1,255}$")

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, email TEXT UNIQUE, username TEXT UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id)) STRICT;
CREATE TABLE IF NOT EXISTS shared_content (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES users(id), author_username TEXT,
  title TEXT NOT NULL, description TEXT, content_type TEXT NOT NULL, content_data BLOB NOT NULL, tags TEXT NOT NULL,
  language TEXT NOT NULL, public_id TEXT NOT NULL UNIQUE, can_fork INTEGER NOT NULL, forked_from_id TEXT,
  view_count INTEGER NOT NULL DEFAULT 0, fork_count INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, deleted_at INTEGER, digest TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS newest ON shared_content(created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS by_type ON shared_content(content_type, created_at, id) WHERE deleted_at IS NULL;
CREATE VIRTUAL TABLE IF NOT EXISTS content_search USING fts5(title, description, tags);
"""


class State:
    """One worker's connection and the views that wait to be written."""

    db: sqlite3.Connection
    views: dict[str, int] = {}


state = State()


def connect() -> sqlite3.Connection:
    db = sqlite3.connect(DATABASE, isolation_level=None, check_same_thread=False, timeout=10)
    # As the registry: an answer means that the disk has it.
    db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536;")
    return db


async def write_views() -> None:
    while True:
        await asyncio.sleep(0.4)
        views, state.views = state.views, {}
        if not views:
            continue
        state.db.execute("BEGIN IMMEDIATE")
        state.db.executemany(
            "UPDATE shared_content SET view_count = view_count + ? WHERE public_id = ?",
            [(count, public_id) for public_id, count in views.items()],
        )
        state.db.execute("COMMIT")


@asynccontextmanager
async def lifespan(_: FastAPI):
    state.db = connect()
    task = asyncio.create_task(write_views())
    yield
    task.cancel()


app = FastAPI(lifespan=lifespan)


class Share(BaseModel):
    title: str = Field(min_length=1, max_length=500)
    description: Optional[str] = None
    content_type: str
    content_data: dict[str, Any]
    tags: list[str] = Field(default_factory=list, max_length=20)
    language: str = Field(default="en", max_length=10)
    public_id: str = Field(min_length=1, max_length=255)
    can_fork: bool = True
    forked_from_id: Optional[uuid.UUID] = None


def json_answer(value: Any, status: int = 200, headers: Optional[dict[str, str]] = None) -> Response:
    return Response(orjson.dumps(value), status, headers, "application/json")


def iso(milliseconds: int) -> str:
    return datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


async def sender(authorization: Optional[str] = Header(default=None)) -> tuple[str, str]:
    if not authorization or not authorization.startswith("Bearer "):
        raise HTTPException(401, "no token")
    try:
        claims = jwt.decode(
            authorization[7:], SECRET, algorithms=["HS256"], audience="registry", issuer="registry",
            options={"require": ["exp", "iat", "sub"]},
        )
    except jwt.PyJWTError as error:
        raise HTTPException(401, "not valid") from error
    row = state.db.execute(
        "SELECT u.id, u.username FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ? AND u.id = ?",
        (claims["sid"], claims["sub"]),
    ).fetchone()
    if row is None:
        raise HTTPException(401, "session ended")
    return row


def check_document(share: Share) -> None:
    """The structure of a checklist: sections with titles, items with titles."""
    sections = share.content_data.get("sections", [])
    if not isinstance(sections, list):
        raise HTTPException(422, "sections must be a list")
    for section in sections:
        if not isinstance(section, dict) or not isinstance(section.get("title", ""), str):
            raise HTTPException(422, "a section must have a title")
        for item in section.get("items", []):
            if not isinstance(item, dict) or not isinstance(item.get("title"), str):
                raise HTTPException(422, "an item must have a title")
            item.setdefault("id", str(uuid.uuid4()))


@app.post("/api/v1/content/share")
async def share(share: Share, who: tuple[str, str] = Depends(sender)) -> Response:
    if share.content_type not in TYPES or not SLUG.match(share.public_id):
        raise HTTPException(422, "content_type or public_id")
    check_document(share)
    document = orjson.dumps(share.content_data, option=orjson.OPT_SORT_KEYS)
    digest = hashlib.sha256(share.title.encode() + document).hexdigest()
    now = int(time.time() * 1000)
    identity = str(uuid.uuid4())
    try:
        state.db.execute("BEGIN IMMEDIATE")
        cursor = state.db.execute(
            "INSERT INTO shared_content (id, user_id, author_username, title, description, content_type, content_data,"
            " tags, language, public_id, can_fork, forked_from_id, created_at, updated_at, digest)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                identity, who[0], who[1], share.title, share.description, share.content_type, document,
                orjson.dumps(share.tags).decode(), share.language, share.public_id, share.can_fork,
                str(share.forked_from_id) if share.forked_from_id else None, now, now, digest,
            ),
        )
        state.db.execute(
            "INSERT INTO content_search (rowid, title, description, tags) VALUES (?,?,?,?)",
            (cursor.lastrowid, share.title, share.description, " ".join(share.tags)),
        )
        state.db.execute("COMMIT")
    except sqlite3.IntegrityError as error:
        state.db.execute("ROLLBACK")
        raise HTTPException(409, "public_id is taken") from error
    answer = {
        "id": identity, "public_id": share.public_id, "published_at": iso(now), "author_username": who[1],
        "author_user_id": who[0], "can_fork": share.can_fork,
    }
    return json_answer(answer, 201, {"ETag": f'"{digest}"', "Location": f"/api/v1/content/{share.public_id}"})


COLUMNS = "id, title, description, content_type, tags, language, public_id, author_username, view_count, fork_count, created_at, updated_at"


def item(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "id": row[0], "title": row[1], "description": row[2], "content_type": row[3], "tags": orjson.loads(row[4]),
        "language": row[5], "public_id": row[6], "author_username": row[7], "view_count": row[8], "fork_count": row[9],
        "created_at": iso(row[10]), "updated_at": iso(row[11]),
    }


@app.get("/api/v1/content/public")
async def public(
    content_type: Optional[str] = None, limit: int = Query(20, ge=1, le=100), offset: int = Query(0, ge=0)
) -> Response:
    if content_type is None:
        rows = state.db.execute(
            f"SELECT {COLUMNS} FROM shared_content WHERE deleted_at IS NULL"
            " ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?",
            (limit, offset),
        )
    else:
        rows = state.db.execute(
            f"SELECT {COLUMNS} FROM shared_content WHERE deleted_at IS NULL AND content_type = ?"
            " ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?",
            (content_type, limit, offset),
        )
    return json_answer([item(row) for row in rows])


@app.get("/api/v1/content/{public_id}")
async def content(public_id: str, request: Request) -> Response:
    row = state.db.execute(
        f"SELECT {COLUMNS}, can_fork, forked_from_id, digest, user_id, content_data FROM shared_content"
        " WHERE public_id = ? AND deleted_at IS NULL",
        (public_id,),
    ).fetchone()
    if row is None:
        raise HTTPException(404, "not found")
    tag = f'"{row[14]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    waiting = state.views[public_id] = state.views.get(public_id, 0) + 1
    answer = item(row)
    answer["view_count"] += waiting
    answer |= {
        "can_fork": bool(row[12]), "forked_from_id": row[13], "author_user_id": row[15],
        "content_data": orjson.Fragment(row[16]),
    }
    return json_answer(answer, 200, {"ETag": tag})
