"""Keys by which programs sign in, and signed tokens that pages send in a header, so that they need no cookie.

A key is shown once; only its digest is stored, and no key can be made from that.
"""

import hmac
import secrets
from hashlib import sha256
from typing import NamedTuple

from django.core.signing import BadSignature, TimestampSigner

from runtime import clock
from workers.models import ApiKey, Worker

PREFIX = 8


def make_api_key(worker: Worker) -> str:
    """Make another key for the worker and return it. The worker's earlier keys stay valid."""
    key = secrets.token_urlsafe(36)
    ApiKey.objects.create(worker=worker, prefix=key[:PREFIX], digest=_digest(key))
    return key


def find_worker(key: str) -> Worker | None:
    """Return the worker whose key this is, or None if the key is unknown or revoked, or the account was closed."""
    if not key.isprintable():
        return None
    row = ApiKey.objects.select_related("worker__user").filter(prefix=key[:PREFIX], revoked_at=None).first()
    # An unknown prefix is compared, too, so that the time taken does not tell which prefixes exist.
    right = hmac.compare_digest(_digest(key), row.digest if row else "0" * 64)
    if row is None or not right or row.worker.closed_at or (row.worker.user and not row.worker.user.is_active):
        return None
    return row.worker


def revoke_api_key(key_id: int) -> bool:
    """Revoke the key from now on. Returns False if it was revoked already."""
    return ApiKey.objects.filter(pk=key_id, revoked_at=None).update(revoked_at=clock.now()) == 1


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()


# Signed tokens: pages send one in a header, so they need no cookie.
#
# A token names what it stands for: the sign-in that opened the page, or the session on a platform. It ends with that.

SALT = "workers.tokens"
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
