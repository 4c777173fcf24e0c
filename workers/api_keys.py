"""Keys by which programs sign in. A key is shown once; only its digest is stored, and no key can be made from that."""

import hmac
import secrets
from hashlib import sha256

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
