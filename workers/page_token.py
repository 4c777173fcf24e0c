"""Signed tokens: a page shows one in a header, so no cookie is needed and no row is read to know who asks."""

from typing import NamedTuple

from django.core.signing import BadSignature, TimestampSigner

SALT = "labelling.bearer"
MOST_SECONDS = 12 * 3600
"""How long a token is good. The page gets a fresh one as it keeps its assignment alive."""


class Bearer(NamedTuple):
    """Whom a token speaks for."""

    worker_id: int
    session_id: int | None = None
    """On a platform: what is asked for is asked for in this session."""


def make_bearer(worker_id: int, session_id: int | None = None) -> str:
    who = str(worker_id) if session_id is None else f"{worker_id}.{session_id}"
    return TimestampSigner(salt=SALT).sign(who)


def read_bearer(token: str) -> Bearer | None:
    """None: not ours, changed, or too old."""
    try:
        return Bearer(*map(int, TimestampSigner(salt=SALT).unsign(token, max_age=MOST_SECONDS).split(".")))
    except (BadSignature, ValueError, TypeError):
        return None
