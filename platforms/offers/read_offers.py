"""Read from a platform which offers are open, and what became of their sessions."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from platforms.contract.errors import Patience, PlatformError
from platforms.contract.platform import Platform
from platforms.models import Offer, Session
from platforms.settling.update_session import update_session
from runtime import clock

State = Offer.State
LIVE = (State.OPEN, State.ENDING)
GRACE = timedelta(minutes=5)
"""A session may be handed in so long after its deadline, because clocks differ."""
LISTED_WITHIN = timedelta(days=1)
"""A platform may list a session so long after its deadline, because it is slow or accepts late workers."""


class Failure(NamedTuple):
    """Something that a platform did not do; the next round tries it again."""

    what: str
    error: PlatformError

    def __str__(self) -> str:
        return f"{self.what}: {self.error}"


def read_offers(
    platform: Platform,
    project_id: int,
    *,
    everything: bool = False,
    now: datetime | None = None,
    patience: Patience | None = None,
) -> list[Failure]:
    """Read the offers that are open or have sessions that may change; `everything`: all that were ever made.

    A failure with one offer leaves its sessions as they are, and does not stop the others. Returns the failures.
    """
    now, patience = now or clock.now(), patience or Patience()
    offers = list(_to_read(platform.name, project_id, everything=everything).order_by("id"))
    failures = []
    for offer in offers:
        if patience.is_exhausted:
            break
        try:
            _read(platform, offer, now)
        except PlatformError as error:
            patience.note_call(error)
            failures.append(Failure(str(offer), error))
        else:
            patience.note_call()
            Offer.objects.filter(id=offer.id).update(looked_at=now)
            leave_overdue(offer, now)
    return failures


def leave_overdue(offer: Offer, now: datetime) -> int:
    """Mark open sessions as left whose time ran out. Returns how many."""
    overdue = Session.objects.filter(offer=offer, state=Session.State.OPEN, ends_at__lte=now - GRACE)
    return overdue.update(state=Session.State.LEFT)


def _to_read(platform: str, project_id: int, *, everything: bool) -> QuerySet[Offer]:
    offers = Offer.objects.filter(platform=platform, project_id=project_id).exclude(external_id="")
    if everything:
        return offers
    waits = Q(platform_state=Session.PlatformState.SUBMITTED) | Q(platform_state="", state=Session.State.OPEN)
    # Each session is looked for once more after it could last have been listed, however long we were away.
    unread = Q(offer__looked_at=None) | Q(ends_at__gt=F("offer__looked_at") - LISTED_WITHIN)
    may_be_listed = Q(platform_state__in=["", Session.PlatformState.RETURNED]) & unread
    sessions = Session.objects.filter(waits | may_be_listed, offer=OuterRef("pk"))
    return offers.filter(Q(state__in=LIVE) | Exists(sessions))


def _read(platform: Platform, offer: Offer, now: datetime) -> None:
    status = platform.offer_status(offer)
    offer.taken = min(status.taken, offer.places)
    if offer.state == State.OPEN and not status.open:
        offer.state = State.ENDED
    Offer.objects.filter(id=offer.id, state__in=[*LIVE, State.ENDED]).update(taken=offer.taken)
    if offer.state == State.ENDED:
        Offer.objects.filter(id=offer.id, state=State.OPEN).update(state=State.ENDED)
    known = _known_states(offer)
    for listed in platform.sessions(offer):
        if known.get((listed.external_id, listed.external_worker)) != listed.platform_state:
            update_session(offer, listed, now=now)


def _known_states(offer: Offer) -> dict[tuple[str, str], str]:
    """Return the platform states that we know, by the platform's ids of session and worker."""
    sessions = Session.objects.filter(offer=offer, worker__identities__platform=offer.platform)
    rows = sessions.values_list("external_id", "worker__identities__external_id", "platform_state")
    return {(session, worker): state for session, worker, state in rows}
