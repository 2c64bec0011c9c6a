"""What a run of schemathesis needs to know that no schema can say."""

import itertools
import uuid

import requests
import schemathesis
from schemathesis import GenerationMode

# Operations that end the session they are called with: each call has one of its own.
ENDING = {"/api/v1/auth/logout", "/api/v1/users/me"}
numbers = itertools.count(1)


def sign_in(case, name):
    base = case.operation.base_url.rstrip("/")
    answer = requests.post(f"{base}/api/v1/auth/test-signin", params={"email": f"{name}@example.com"}, timeout=30)
    answer.raise_for_status()
    return answer.json()["access_token"]


@schemathesis.auth()
class Session:
    def get(self, case, context):
        return sign_in(case, "captain")

    def set(self, case, data, context):
        path = case.operation.path
        if path in ENDING and case.method.upper() not in ("GET", "HEAD"):
            data = sign_in(case, f"crew{next(numbers)}")
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps rules between requests that a schema of one request has no words for; only where all is meant to be good."""
    meta = case.meta
    if meta is None or meta.generation.mode != GenerationMode.POSITIVE:
        return
    headers = case.headers or {}
    # A key stands for one request: the second one that comes with it is refused.
    if "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = str(uuid.uuid4())
    # An entity tag that no item has is answered with 412.
    headers.pop("If-Match", None)
    body = case.body
    if isinstance(body, dict):
        # A parent must be there.
        if body.get("forked_from_id") is not None:
            body["forked_from_id"] = None
        # Another type needs another document.
        if case.method.upper() in ("PUT", "PATCH") and "content_data" not in body:
            body.pop("content_type", None)
