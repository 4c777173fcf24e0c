"""Read a platform: which offers are open, and what has become of the sittings."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from platforms.errors import PlatformError
from platforms.note_seen import note_seen
from platforms.platform import Platform
from workers.models import Offer, Session

State = Offer.State
LIVE = (State.OPEN, State.ENDING)
GRACE = timedelta(minutes=5)
"""A session may be handed in so long after its deadline: clocks differ."""


class Trouble(NamedTuple):
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
    done: Callable[[int, int], None] = lambda number, of: None,
) -> list[Trouble]:
    """Offers that are open or have sittings that may change; `everything`: all that were ever made.

    What one offer fails with does not stop the others. `done` is told how many of how many are read.
    """
    now = now or timezone.now()
    offers = list(_to_look_at(platform.name, project_id, everything).order_by("id"))
    troubles = []
    for number, offer in enumerate(offers):
        try:
            _look(platform, offer, now)
        except PlatformError as error:
            troubles.append(Trouble(str(offer), error))
        done(number + 1, len(offers))
    leave_overdue(now)
    return troubles


def _to_look_at(platform: str, project_id: int, everything: bool) -> QuerySet[Offer]:
    offers = Offer.objects.filter(platform=platform, project_id=project_id).exclude(external_id="")
    if everything:
        return offers
    may_change = Q(there=Session.There.SUBMITTED) | Q(there="", state__in=[Session.State.OPEN, Session.State.FINISHED])
    sittings = Session.objects.filter(may_change, offer=OuterRef("pk"))
    return offers.filter(Q(state__in=LIVE) | Exists(sittings))


def _look(platform: Platform, offer: Offer, now: datetime) -> None:
    standing = platform.look(offer)
    offer.taken = min(standing.taken, offer.places)
    if offer.state == State.OPEN and not standing.open:
        offer.state = State.ENDED
    Offer.objects.filter(id=offer.id, state__in=[*LIVE, State.ENDED]).update(taken=offer.taken)
    if offer.state == State.ENDED:
        Offer.objects.filter(id=offer.id, state=State.OPEN).update(state=State.ENDED)
    for seen in platform.sessions(offer):
        note_seen(offer, seen, now=now)


def leave_overdue(now: datetime) -> int:
    """Sessions whose time has run out, and that were not handed in here. Returns how many."""
    overdue = Session.objects.filter(state=Session.State.OPEN, ends_at__lte=now - GRACE)
    return overdue.update(state=Session.State.LEFT)
