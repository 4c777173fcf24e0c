"""Forget who a worker is on the platforms. What was paid there stays comparable with the ledger."""

from django.utils.crypto import salted_hmac

from platforms.models import Identity, Session

FORGOTTEN = "deleted "


def forget_identities(worker_id: int) -> None:
    """Replace the platforms' ids of the worker by digests, and end their sessions.

    A digest only answers whether a given id is the deleted one: the platform goes on listing what was done and paid
    there, and without it those sessions would be taken for a new worker's, and paid again.
    """
    for identity in Identity.objects.filter(worker=worker_id).exclude(external_id__startswith=FORGOTTEN):
        identity.external_id = forgotten_id(identity.platform, identity.external_id)
        identity.save(update_fields=["external_id"])
    sessions = Session.objects.filter(worker=worker_id)
    sessions.update(visitor="")
    sessions.filter(state=Session.State.OPEN).update(state=Session.State.LEFT)


def forgotten_id(platform: str, external_id: str) -> str:
    """Return the digest that takes the place of a platform's id. It cannot be made without the service's secret key."""
    digest = salted_hmac("platforms.forgotten", f"{platform}\n{external_id}", algorithm="sha256")
    return f"{FORGOTTEN}{digest.hexdigest()}"
