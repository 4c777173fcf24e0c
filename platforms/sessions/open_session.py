"""Open a session for a worker who arrives from a platform, and forget who they are there."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop

from platforms.contract.errors import OpenedElsewhereError, UnknownVisitorError
from platforms.models import Identity, Offer, Session
from runtime import clock
from workers.invitations import grant_access
from workers.models import Worker

State, PlatformState = Session.State, Session.PlatformState
FORGOTTEN = "deleted "
"""The beginning of the digest that takes the place of a deleted worker's id."""
ELSEWHERE = gettext_noop(
    "This was opened in another browser or on another network, and goes on only there. If that was not you, or you "
    "cannot go back, write to the requester: they can let you open it again."
)
DELETED = gettext_noop("You had your data here deleted, so you cannot work here any more. Please give this place back.")


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
    sessions.filter(state=State.OPEN).update(state=State.LEFT)


def forgotten_id(platform: str, external_id: str) -> str:
    """Return the digest that takes the place of a platform's id. It cannot be made without the service's secret key."""
    digest = salted_hmac("platforms.forgotten", f"{platform}\n{external_id}", algorithm="sha256")
    return f"{FORGOTTEN}{digest.hexdigest()}"


def open_session(
    *,
    offer: Offer,
    external_worker: str,
    external_id: str,
    seconds: int | None = None,
    visitor: str = "",
) -> Session:
    """Return the session of this visit; a repeated visit returns the same session.

    A newcomer becomes a worker, who starts with the test. `seconds`: time for the session, if the platform gives
    another time than the offer says. `visitor`: a digest of the browser, where the platform does not sign its visits:
    the first one holds the session. Raises UnknownVisitorError if the session was settled or the worker
    deleted, and OpenedElsewhereError for another browser, whose visit is noted.
    """
    now = clock.now()
    ends_at = now + timedelta(seconds=seconds or offer.seconds)
    identity = identity_of(offer.platform, external_worker)
    if identity.worker.closed_at:
        raise UnknownVisitorError(DELETED)
    try:
        session = _open(offer, identity.worker, external_id, visitor, now=now, ends_at=ends_at)
    except IntegrityError:  # another tab has just opened the same session
        session = _open(offer, identity.worker, external_id, visitor, now=now, ends_at=ends_at)
    if session.visitor != visitor:
        Session.objects.filter(id=session.id).update(strangers=F("strangers") + 1, stranger_at=now)
        raise OpenedElsewhereError(ELSEWHERE)
    return session


def identity_of(platform: str, external_worker: str) -> Identity:
    """Return the identity, created together with a worker if it is new. A deleted worker keeps theirs, as a digest."""
    key = {"platform": platform, "external_id": external_worker}
    names = [external_worker, forgotten_id(platform, external_worker)]
    found = Identity.objects.select_related("worker").filter(platform=platform, external_id__in=names).first()
    if found:
        return found
    try:
        with transaction.atomic():
            worker = Worker.objects.create(name=f"{platform} {external_worker}"[:100])
            return Identity.objects.create(worker=worker, **key)
    except IntegrityError:  # a concurrent request has just created the identity
        return Identity.objects.select_related("worker").get(**key)


@transaction.atomic
def _open(offer: Offer, worker: Worker, external_id: str, visitor: str, *, now: datetime, ends_at: datetime) -> Session:
    """Return the session. One that another visitor holds stays as it is."""
    grant_access(worker, offer.project_id, [offer.task], trusted=False)
    same_id = Session.objects.select_for_update(no_key=True).filter(offer=offer, external_id=external_id)
    # If another worker arrives under the same id, the first one has given the session back.
    same_id.filter(state=State.OPEN).exclude(worker=worker).update(state=State.LEFT)
    session = same_id.filter(worker=worker).first()
    if session is None:
        return Session.objects.create(
            offer=offer, worker=worker, external_id=external_id, opened_at=now, ends_at=ends_at, visitor=visitor
        )
    if visitor and not session.visitor:
        session.visitor = visitor
        session.save(update_fields=["visitor"])
    if session.visitor != visitor:
        return session
    if session.platform_state in (PlatformState.APPROVED, PlatformState.REJECTED):
        raise UnknownVisitorError(gettext_noop("This was handed in and settled. Take another one."))
    if session.state == State.LEFT:
        session.state, session.platform_state = State.OPEN, PlatformState.UNKNOWN
        session.ends_at = ends_at
        session.save(update_fields=["state", "platform_state", "ends_at"])
    return session
