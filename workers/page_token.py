"""Signed tokens: pages send one in a header, so they need no cookie, and no row is read to identify the worker."""

from typing import NamedTuple

from django.core.signing import BadSignature, TimestampSigner

SALT = "workers.page_token"
MOST_SECONDS = 12 * 3600
"""How long a token is valid. The page gets a fresh one whenever it keeps its assignment alive."""


class PageToken(NamedTuple):
    """The contents of a token."""

    worker_id: int
    session_id: int | None = None
    """The platform session in which the page works; None: the worker came without a platform."""


def make_page_token(worker_id: int, session_id: int | None = None) -> str:
    content = str(worker_id) if session_id is None else f"{worker_id}.{session_id}"
    return TimestampSigner(salt=SALT).sign(content)


def read_page_token(token: str) -> PageToken | None:
    """Return what the token says; None if it is not ours, was changed, or is too old."""
    try:
        return PageToken(*map(int, TimestampSigner(salt=SALT).unsign(token, max_age=MOST_SECONDS).split(".")))
    except (BadSignature, ValueError, TypeError):
        return None
