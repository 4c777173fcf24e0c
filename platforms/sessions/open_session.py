"""Somebody comes from a platform: who they are to us, what they may do, and the session in which they do it."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from platforms.contract.errors import UnknownVisitorError
from platforms.models import Identity, Offer, Session
from workers.grant_access import grant_access
from workers.models import Worker

State, PlatformState = Session.State, Session.PlatformState


def open_session(
    *, offer: Offer, external_worker: str, external_id: str, seconds: int | None = None, now: datetime | None = None
) -> Session:
    """The same visit again gives the same session. A newcomer becomes a worker, and begins with the test.

    `seconds`: that the platform gives them, where it is not what the offer says.

    UnknownVisitorError: the session was settled already.
    """
    now = now or timezone.now()
    given = timedelta(seconds=seconds or offer.seconds)
    identity = identity_of(offer.platform, external_worker)
    try:
        return _open(offer, identity.worker, external_id, now, now + given)
    except IntegrityError:  # two tabs opened it at once: it is there now
        return _open(offer, identity.worker, external_id, now, now + given)


def identity_of(platform: str, external_worker: str) -> Identity:
    """Made with a worker of its own if it is new."""
    who = {"platform": platform, "external_id": external_worker}
    found = Identity.objects.select_related("worker").filter(**who).first()
    if found:
        return found
    try:
        with transaction.atomic():
            worker = Worker.objects.create(name=f"{platform} {external_worker}"[:100])
            return Identity.objects.create(worker=worker, **who)
    except IntegrityError:
        return Identity.objects.select_related("worker").get(**who)


@transaction.atomic
def _open(offer: Offer, worker: Worker, external_id: str, now: datetime, ends: datetime) -> Session:
    grant_access(worker, offer.project_id, [offer.task], trusted=False)
    all_facts = Session.objects.select_for_update(no_key=True).filter(offer=offer, external_id=external_id)
    # An id that comes back with somebody else was given back by whoever had it.
    all_facts.filter(state=State.OPEN).exclude(worker=worker).update(state=State.LEFT)
    session = all_facts.filter(worker=worker).first()
    if session is None:
        return Session.objects.create(offer=offer, worker=worker, external_id=external_id, opened_at=now, ends_at=ends)
    if session.platform_state in (PlatformState.APPROVED, PlatformState.REJECTED):
        raise UnknownVisitorError("This was handed in and settled. Take another one.")
    if session.state == State.LEFT:
        session.state, session.platform_state = State.OPEN, PlatformState.UNKNOWN
        session.ends_at = ends
        session.save(update_fields=["state", "platform_state", "ends_at"])
    return session
