"""Read a platform: which offers are open, and what has become of the all_facts."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from platforms.contract.errors import PlatformError
from platforms.contract.patience import Patience
from platforms.contract.platform import Platform
from platforms.models import Offer, Session
from platforms.settling.note_seen import note_seen

State = Offer.State
LIVE = (State.OPEN, State.ENDING)
GRACE = timedelta(minutes=5)
"""A session may be handed in so long after its deadline: clocks differ."""
LATE = timedelta(days=1)
"""And it may be listed so long after it: a platform takes its time, or takes in who comes back late."""


class Failure(NamedTuple):
    """A platform did not do something for us; it is tried again next time."""

    what: str
    error: PlatformError

    def __str__(self) -> str:
        return f"{self.what}: {self.error}"


def look_at_offers(
    platform: Platform,
    project_id: int,
    *,
    everything: bool = False,
    now: datetime | None = None,
    patience: Patience | None = None,
    done: Callable[[int, int], None] = lambda number, of: None,
) -> list[Failure]:
    """Offers that are open or have all_facts that may change; `everything`: all that were ever made.

    What one offer fails with does not stop the others; its sessions are left as they are. `done` is told how many of
    how many are read.
    """
    now, patience = now or timezone.now(), patience or Patience()
    offers = list(_to_look_at(platform.name, project_id, everything).order_by("id"))
    failures = []
    for number, offer in enumerate(offers):
        if patience.gone:
            break
        try:
            _look(platform, offer, now)
        except PlatformError as error:
            patience.note(error)
            failures.append(Failure(str(offer), error))
        else:
            patience.note()
            Offer.objects.filter(id=offer.id).update(looked_at=now)
            leave_overdue(offer, now)
        done(number + 1, len(offers))
    return failures


def _to_look_at(platform: str, project_id: int, everything: bool) -> QuerySet[Offer]:
    offers = Offer.objects.filter(platform=platform, project_id=project_id).exclude(external_id="")
    if everything:
        return offers
    waits = Q(platform_state=Session.PlatformState.SUBMITTED) | Q(platform_state="", state=Session.State.OPEN)
    # Once more after it could last have come, however long we were away.
    unread = Q(offer__looked_at=None) | Q(ends_at__gt=F("offer__looked_at") - LATE)
    may_come = Q(platform_state__in=["", Session.PlatformState.RETURNED]) & unread
    all_facts = Session.objects.filter(waits | may_come, offer=OuterRef("pk"))
    return offers.filter(Q(state__in=LIVE) | Exists(all_facts))


def _look(platform: Platform, offer: Offer, now: datetime) -> None:
    trust = platform.look(offer)
    offer.taken = min(trust.taken, offer.places)
    if offer.state == State.OPEN and not trust.open:
        offer.state = State.ENDED
    Offer.objects.filter(id=offer.id, state__in=[*LIVE, State.ENDED]).update(taken=offer.taken)
    if offer.state == State.ENDED:
        Offer.objects.filter(id=offer.id, state=State.OPEN).update(state=State.ENDED)
    known = _known(offer)
    for seen in platform.sessions(offer):
        if known.get((seen.external_id, seen.external_worker)) != seen.platform_state:
            note_seen(offer, seen, now=now)


def _known(offer: Offer) -> dict[tuple[str, str], str]:
    """How the offer's sessions stand there, as far as we know, by their ids and their workers' there."""
    names = Session.objects.filter(offer=offer, worker__identities__platform=offer.platform)
    rows = names.values_list("external_id", "worker__identities__external_id", "platform_state")
    return {(session, worker): there for session, worker, there in rows}


def leave_overdue(offer: Offer, now: datetime) -> int:
    """Sessions whose time has run out, and that were not handed in here. Returns how many."""
    overdue = Session.objects.filter(offer=offer, state=Session.State.OPEN, ends_at__lte=now - GRACE)
    return overdue.update(state=Session.State.LEFT)
