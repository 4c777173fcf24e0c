"""Keys by which programs sign in. A key is shown once; what is stored tells it from others and cannot make it."""

import hmac
import secrets
from hashlib import sha256

from django.utils import timezone

from workers.models import ApiKey, Worker

PREFIX = 8


def make_api_key(worker: Worker) -> str:
    """A new key of this worker; its other keys stay good."""
    key = secrets.token_urlsafe(36)
    ApiKey.objects.create(worker=worker, prefix=key[:PREFIX], digest=_digest(key))
    return key


def find_worker(key: str) -> Worker | None:
    """Whose key it is; None: nobody's, or revoked."""
    if not key.isprintable():
        return None
    row = ApiKey.objects.select_related("worker").filter(prefix=key[:PREFIX], revoked_at=None).first()
    # Compared also where there is no such prefix, in the same time.
    right = hmac.compare_digest(_digest(key), row.digest if row else "0" * 64)
    return row.worker if row and right else None


def revoke_api_key(key_id: int) -> bool:
    """From now on the key is good for nothing. False: it was so already."""
    return ApiKey.objects.filter(pk=key_id, revoked_at=None).update(revoked_at=timezone.now()) == 1


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()
