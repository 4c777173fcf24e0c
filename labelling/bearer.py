"""Signed tokens: a page shows one in a header, so no cookie is needed and no row is read to know who asks."""

from django.core.signing import BadSignature, TimestampSigner

SALT = "labelling.bearer"
MOST_SECONDS = 12 * 3600
"""How long a token is good. The page gets a fresh one as it keeps its assignment alive."""


def make_bearer(worker_id: int) -> str:
    return TimestampSigner(salt=SALT).sign(str(worker_id))


def read_bearer(token: str) -> int | None:
    """The worker's id; None: not ours, changed, or too old."""
    try:
        return int(TimestampSigner(salt=SALT).unsign(token, max_age=MOST_SECONDS))
    except (BadSignature, ValueError):
        return None
