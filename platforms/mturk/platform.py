"""Mechanical Turk as one of the platforms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from platforms.contract.errors import PlatformOffError
from platforms.contract.platform import Bonus, Event, Marketplace, OfferStatus, Published, Seen
from platforms.models import Counterpart, Offer, Payment, Session
from platforms.mturk import NAME, hits, money, qualifications
from platforms.mturk.client import Turk, TurkRefusedError, Values, sqs_of, turk_at
from platforms.mturk.events import receive, subscribe
from platforms.mturk.modes import LIVE, OFF, SANDBOX, is_aws

FEE_PERCENT = 20.0
VERSION = "2014-08-15"
MODE = "mode"
THERE = {
    "Submitted": Session.PlatformState.SUBMITTED,
    "Approved": Session.PlatformState.APPROVED,
    "Rejected": Session.PlatformState.REJECTED,
}


@dataclass(frozen=True, slots=True)
class MTurkPlatform:
    """One requester's account. `sqs`: a client for the queue of `queue_url`, where there is one."""

    turk: Turk
    live: bool = False
    sqs: Any = None
    queue_url: str = ""
    version: str = VERSION
    name: str = NAME

    def place(self) -> Marketplace:
        # A worker takes a HIT once: who has passed is to find many, a newcomer needs one.
        most = {Offer.Kind.ENTRY.value: hits.MOST_PLACES, Offer.Kind.WORK.value: 1}
        return Marketplace("USD", FEE_PERCENT, live=self.live, most_places=most)

    def balance_cents(self) -> int | None:
        return money.cents_of(self.turk("get_account_balance")["AvailableBalance"])

    def publish(self, offer: Offer) -> Published:
        hits.check_places(offer)
        keep_mode(LIVE if self.live else SANDBOX)
        made = hits.find_hit(self.turk, offer) if offer.tries > 1 else None
        if made:
            return made
        hit_type = hits.make_type(self.turk, offer)
        if self.queue_url:
            subscribe(self.turk, hit_type, self.queue_url, self.version)
        return hits.make_hit(self.turk, offer, hit_type)

    def withdraw(self, offer: Offer) -> None:
        hits.end_hit(self.turk, offer)

    def look(self, offer: Offer) -> OfferStatus:
        return hits.standing_of(self.turk, offer)

    def sessions(self, offer: Offer) -> Iterator[Seen]:
        which = {"HITId": offer.external_id, "AssignmentStatuses": [*THERE]}
        try:
            for one in self.turk.listed("list_assignments_for_hit", "Assignments", **which):
                yield _seen(one)
        except TurkRefusedError as refused:
            # Months after it ended the service forgets a HIT: nothing more is to be had of it.
            if "notexist" not in refused.code:
                raise

    def bonuses(self, offer: Offer) -> Iterator[Bonus]:
        return money.bonuses(self.turk, HITId=offer.external_id)

    def carry_out(self, payment: Payment) -> str:
        return money.carry_out(self.turk, payment)

    def was_done(self, payment: Payment) -> bool | None:
        return money.was_done(self.turk, payment)

    def screen(self, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        qualifications.screen(self.turk, project_id=project_id, task=task, passed=passed)

    def events(self) -> Iterable[Event]:
        return receive(self.sqs, self.queue_url) if self.queue_url else ()


def from_settings() -> MTurkPlatform:
    """PlatformOffError says what is missing."""
    mode, url, queue = settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.MTURK_QUEUE_URL
    if mode == OFF:
        raise PlatformOffError("Mechanical Turk is not set up: MTURK is off.")
    if is_aws(url) and urlsplit(settings.ADDRESS).scheme != "https":
        raise PlatformOffError("Mechanical Turk shows pages with https only: ADDRESS must begin with https://.")
    _check_mode(mode)
    return MTurkPlatform(
        turk_at(url),
        live=mode == LIVE,
        sqs=sqs_of(queue) if queue else None,
        queue_url=queue,
        version=settings.MTURK_NOTIFICATION_VERSION,
    )


def keep_mode(mode: str) -> None:
    """The sandbox's offers and payments are none of the real service's: one database never knows both."""
    Counterpart.objects.get_or_create(platform=NAME, name=MODE, defaults={"external_id": mode})


def _check_mode(mode: str) -> None:
    kept = Counterpart.objects.filter(platform=NAME, name=MODE).first()
    if kept is not None and kept.external_id != mode:
        raise PlatformOffError(
            f"This database was used with MTURK={kept.external_id}: for MTURK={mode} take a new one (CHAINBOX_DATA)."
        )


def _seen(assignment: Values) -> Seen:
    there = THERE[assignment["AssignmentStatus"]]
    return Seen(assignment["AssignmentId"], assignment["WorkerId"], there, assignment.get("SubmitTime"))
