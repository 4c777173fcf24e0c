"""Open a session for a worker who arrives from a platform."""

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
    """Return the session of this visit; a repeated visit returns the same session.

    A newcomer becomes a worker, who starts with the test. `seconds`: time for the session, if the platform gives
    another time than the offer says. Raises UnknownVisitorError if the session was settled already.
    """
    now = now or timezone.now()
    ends_at = now + timedelta(seconds=seconds or offer.seconds)
    identity = identity_of(offer.platform, external_worker)
    try:
        return _open(offer, identity.worker, external_id, now, ends_at)
    except IntegrityError:  # another tab has just opened the same session
        return _open(offer, identity.worker, external_id, now, ends_at)


def identity_of(platform: str, external_worker: str) -> Identity:
    """Return the identity, created together with a worker if it is new."""
    key = {"platform": platform, "external_id": external_worker}
    found = Identity.objects.select_related("worker").filter(**key).first()
    if found:
        return found
    try:
        with transaction.atomic():
            worker = Worker.objects.create(name=f"{platform} {external_worker}"[:100])
            return Identity.objects.create(worker=worker, **key)
    except IntegrityError:  # a concurrent request has just created the identity
        return Identity.objects.select_related("worker").get(**key)


@transaction.atomic
def _open(offer: Offer, worker: Worker, external_id: str, now: datetime, ends_at: datetime) -> Session:
    grant_access(worker, offer.project_id, [offer.task], trusted=False)
    same_id = Session.objects.select_for_update(no_key=True).filter(offer=offer, external_id=external_id)
    # If another worker arrives under the same id, the first one has given the session back.
    same_id.filter(state=State.OPEN).exclude(worker=worker).update(state=State.LEFT)
    session = same_id.filter(worker=worker).first()
    if session is None:
        return Session.objects.create(
            offer=offer, worker=worker, external_id=external_id, opened_at=now, ends_at=ends_at
        )
    if session.platform_state in (PlatformState.APPROVED, PlatformState.REJECTED):
        raise UnknownVisitorError("This was handed in and settled. Take another one.")
    if session.state == State.LEFT:
        session.state, session.platform_state = State.OPEN, PlatformState.UNKNOWN
        session.ends_at = ends_at
        session.save(update_fields=["state", "platform_state", "ends_at"])
    return session
