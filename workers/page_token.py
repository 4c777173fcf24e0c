"""Signed tokens: pages send one in a header, so they need no cookie.

A token names what it stands for: the sign-in that opened the page, or the session on a platform. It ends with that.
"""

from typing import NamedTuple

from django.core.signing import BadSignature, TimestampSigner

SALT = "workers.page_token"
MOST_SECONDS = 12 * 3600
"""Time that a token is valid. The page gets a fresh one whenever it keeps its assignment alive."""


class PageToken(NamedTuple):
    """The contents of a token."""

    worker_id: int
    session_id: int | None = None
    """The platform session in which the page works; None: the worker came without a platform."""
    sign_in_id: int | None = None
    """The sign-in that opened the page; None: the page was not opened by an account."""


def make_page_token(worker_id: int, session_id: int | None = None, sign_in_id: int | None = None) -> str:
    return TimestampSigner(salt=SALT).sign(f"{worker_id}.{session_id or 0}.{sign_in_id or 0}")


def read_page_token(token: str) -> PageToken | None:
    """Return what the token says; None if it is not ours, was changed, or is too old."""
    try:
        content = TimestampSigner(salt=SALT).unsign(token, max_age=MOST_SECONDS)
        worker_id, session_id, sign_in_id = map(int, content.split("."))
    except (BadSignature, ValueError):
        return None
    return PageToken(worker_id, session_id or None, sign_in_id or None)
