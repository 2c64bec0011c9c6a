"""The registry's three busiest calls on FastAPI, uvicorn and SQLite, with which the benchmark compares the registry.

The service is written as developers usually write such a service when speed matters: each worker has its own
connections in WAL mode, prepared statements come from sqlite3's own cache, orjson reads and writes bodies, PyJWT checks
tokens, uvloop and httptools serve requests, and there is no ORM. For these calls, it does everything that the registry
does: it checks the token and looks up its session and user; it checks a document member by member and completes it
(documents.py); it keeps slugs unique; it indexes the document's words; it computes an entity tag; and it counts views.

Views are counted in the database, by the statement that reads the item. So an answer contains the exact count, as the
registry's answer does. The two workers share nothing but the database: if each kept counts in its own memory, the
counts would differ between workers, and views would be lost when a worker ends. The connection that counts views does
not wait for the disk (synchronous=NORMAL). PEER_VIEWS=gathered measures the alternative: each worker collects views and
writes them every 0.4 s, and its answers do not include the views that the other worker has collected.

Only one worker writes at a time. A write that finds the file locked waits up to 10 ms in SQLite's busy handler, then
lets its worker continue, and tries again; the requests of a worker wait in the order in which they arrived. With the
busy handler alone, one in a hundred publications waited for a second.
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
from typing import Any, Callable, Optional, TypeVar

import jwt
import orjson
from documents import MODELS
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field, ValidationError

DATABASE = os.environ["DATABASE"]
SECRET = os.environ["JWT_SECRET_KEY"]
GATHERED = os.environ.get("PEER_VIEWS") == "gathered"
SLUG = re.compile(r"^[A-Za-z0-9-]{1,255}$")

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, email TEXT UNIQUE, username TEXT UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users(id)) STRICT;
CREATE TABLE IF NOT EXISTS shared_content (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES users(id), author_username TEXT,
  title TEXT NOT NULL, description TEXT, content_type TEXT NOT NULL, tags TEXT NOT NULL,
  language TEXT NOT NULL, public_id TEXT NOT NULL UNIQUE, can_fork INTEGER NOT NULL, forked_from_id TEXT,
  view_count INTEGER NOT NULL DEFAULT 0, fork_count INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, deleted_at INTEGER, digest TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS newest ON shared_content(created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX IF NOT EXISTS by_type ON shared_content(content_type, created_at, id) WHERE deleted_at IS NULL;
CREATE TABLE IF NOT EXISTS content_documents (
  number INTEGER PRIMARY KEY REFERENCES shared_content(number), content_data BLOB NOT NULL) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS content_search USING fts5(
  title, description, tags, body, tokenize = 'unicode61 remove_diacritics 2');
"""


class State:
    """The state of one worker: its connections, the lock for writes, and the views that it collects if requested."""

    db: sqlite3.Connection
    counter: sqlite3.Connection
    writing: asyncio.Lock
    views: dict[str, int] = {}


state = State()
Value = TypeVar("Value")


def connect(synchronous: str = "FULL") -> sqlite3.Connection:
    """Opens a connection. As in the registry, a publication is on disk before it is answered (FULL)."""
    db = sqlite3.connect(DATABASE, isolation_level=None, check_same_thread=False, timeout=10)
    db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; PRAGMA cache_size=-65536;")
    return db


async def write(work: Callable[[], Value]) -> Value:
    """Carries out a whole write; while the other worker writes, tries again for up to 10 seconds."""
    async with state.writing:
        deadline = time.monotonic() + 10
        while True:
            try:
                return work()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            await asyncio.sleep(0.0002)


def add_views(views: dict[str, int]) -> None:
    state.db.execute("BEGIN IMMEDIATE")
    state.db.executemany(
        "UPDATE shared_content SET view_count = view_count + ? WHERE public_id = ?",
        [(count, public_id) for public_id, count in views.items()],
    )
    state.db.execute("COMMIT")


async def write_views() -> None:
    while True:
        await asyncio.sleep(0.4)
        views, state.views = state.views, {}
        if views:
            await write(lambda: add_views(views))


@asynccontextmanager
async def lifespan(_: FastAPI):
    state.db, state.counter, state.writing = connect(), connect("NORMAL"), asyncio.Lock()
    for db in (state.db, state.counter):
        db.execute("PRAGMA busy_timeout = 10")  # `write` waits for the rest of the time
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


def claims_of(authorization: Optional[str]) -> dict[str, Any]:
    """Verifies a token and returns its claims."""
    if not authorization or not authorization.startswith("Bearer "):
        raise HTTPException(401, "no token")
    try:
        return jwt.decode(
            authorization[7:], SECRET, algorithms=["HS256"], audience="registry", issuer="registry",
            options={"require": ["exp", "iat", "sub"]},
        )
    except jwt.PyJWTError as error:
        raise HTTPException(401, "not valid") from error


async def sender(authorization: Optional[str] = Header(default=None)) -> tuple[str, str]:
    claims = claims_of(authorization)
    row = state.db.execute(
        "SELECT u.id, u.username FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ? AND u.id = ?",
        (claims["sid"], claims["sub"]),
    ).fetchone()
    if row is None:
        raise HTTPException(401, "session ended")
    return row


def insert(share: Share, who: tuple[str, str], document: bytes, words: str, digest: str) -> tuple[str, int]:
    now = int(time.time() * 1000)
    identity = str(uuid.uuid4())
    state.db.execute("BEGIN IMMEDIATE")
    try:
        number = state.db.execute(
            "INSERT INTO shared_content (id, user_id, author_username, title, description, content_type,"
            " tags, language, public_id, can_fork, forked_from_id, created_at, updated_at, digest)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                identity, who[0], who[1], share.title, share.description, share.content_type,
                orjson.dumps(share.tags).decode(), share.language, share.public_id, share.can_fork,
                str(share.forked_from_id) if share.forked_from_id else None, now, now, digest,
            ),
        ).lastrowid
        state.db.execute("INSERT INTO content_documents VALUES (?,?)", (number, document))
        state.db.execute(
            "INSERT INTO content_search (rowid, title, description, tags, body) VALUES (?,?,?,?,?)",
            (number, share.title, share.description, " ".join(share.tags), words),
        )
        state.db.execute("COMMIT")
    except sqlite3.Error:
        state.db.execute("ROLLBACK")
        raise
    return identity, now


def refuse(place: list[Any], message: str) -> HTTPException:
    return HTTPException(422, [{"loc": ["body", *place], "msg": message}])


def checked(share: Share) -> tuple[bytes, str, str]:
    """Checks and completes a document, and returns it with its digest and its words."""
    model = MODELS.get(share.content_type)
    if model is None:
        raise refuse(["content_type"], "unknown type")
    if not SLUG.match(share.public_id):
        raise refuse(["public_id"], "letters, digits and hyphens only")
    try:
        content = model.model_validate(share.content_data)
    except ValidationError as error:
        places = error.errors(include_url=False, include_input=False, include_context=False)
        raise HTTPException(
            422, [place | {"loc": ["body", "content_data", *place["loc"]]} for place in places]
        ) from error
    document = orjson.dumps(content.model_dump(by_alias=True, exclude_none=True), option=orjson.OPT_SORT_KEYS)
    return document, hashlib.sha256(share.title.encode() + document).hexdigest(), content.words()


def published(share: Share, identity: str, now: int, user: str, username: str, digest: str) -> Response:
    answer = {
        "id": identity, "public_id": share.public_id, "published_at": iso(now), "author_username": username,
        "author_user_id": user, "can_fork": share.can_fork,
    }
    return json_answer(answer, 201, {"ETag": f'"{digest}"', "Location": f"/api/v1/content/{share.public_id}"})


@app.post("/api/v1/content/share")
async def share(share: Share, who: tuple[str, str] = Depends(sender)) -> Response:
    document, digest, words = checked(share)
    try:
        identity, now = await write(lambda: insert(share, who, document, words, digest))
    except sqlite3.IntegrityError as error:
        raise HTTPException(409, "public_id is taken") from error
    return published(share, identity, now, who[0], who[1], digest)


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


WHOLE = (
    f"{COLUMNS}, can_fork, forked_from_id, digest, user_id,"
    " (SELECT content_data FROM content_documents d WHERE d.number = shared_content.number)"
)
READ = f"SELECT {WHOLE} FROM shared_content WHERE public_id = ? AND deleted_at IS NULL"
COUNT = (
    "UPDATE shared_content SET view_count = view_count + 1 WHERE public_id = ? AND deleted_at IS NULL"
    f" RETURNING {WHOLE}"
)


async def look(public_id: str) -> Optional[tuple[Any, ...]]:
    """Counts a view and returns the item's row with the new count, which includes the views of all workers."""
    def count() -> Optional[tuple[Any, ...]]:
        rows = state.counter.execute(COUNT, (public_id,)).fetchall()
        return rows[0] if rows else None

    return await write(count)


@app.get("/api/v1/content/{public_id}")
async def content(public_id: str, request: Request) -> Response:
    waiting = 0
    known = request.headers.get("if-none-match")
    if known is not None or GATHERED:
        row = state.db.execute(READ, (public_id,)).fetchone()
        if row is not None and known == f'"{row[14]}"':
            return Response(status_code=304, headers={"ETag": known})
    if not GATHERED:
        row = await look(public_id)
    if row is None:
        raise HTTPException(404, "not found")
    if GATHERED:
        waiting = state.views[public_id] = state.views.get(public_id, 0) + 1
    answer = item(row)
    answer["view_count"] += waiting
    answer |= {
        "can_fork": bool(row[12]), "forked_from_id": row[13], "author_user_id": row[15],
        "content_data": orjson.Fragment(row[16]),
    }
    return json_answer(answer, 200, {"ETag": f'"{row[14]}"'})
