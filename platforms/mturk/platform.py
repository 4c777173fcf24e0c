"""Mechanical Turk behind the interface of a platform."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from pydantic import ValidationError

from platforms.contract.errors import PlatformError, PlatformOffError
from platforms.contract.platform import (
    Bonus,
    ListedSession,
    Marketplace,
    OfferCharge,
    OfferEvent,
    OfferStatus,
    Published,
)
from platforms.models import Counterpart, Offer, Payment, Session
from platforms.mturk import LIVE, NAME, SANDBOX, check_set_up, hits, payments, qualifications
from platforms.mturk.client import Turk, TurkRefusedError, parse_values, platform_errors, sqs_of, turk_at
from platforms.mturk.modes import is_aws
from platforms.mturk.wire_format import MturkAssignment, cents_of, read_notification

EVENT_TYPES = [
    "AssignmentSubmitted",
    "AssignmentReturned",
    "AssignmentAbandoned",
    "AssignmentApproved",
    "AssignmentRejected",
    "HITReviewable",
    "HITExpired",
]
MOST_RECEIVES = 100
MESSAGES_AT_ONCE = 10
logger = logging.getLogger(__name__)


def subscribe(turk: Turk, hit_type: str, queue_url: str, version: str) -> None:
    """Ask Mechanical Turk to send events of a HIT type to our queue. A failure is only logged: rounds find the rest."""
    wanted = {"Destination": queue_url, "Transport": "SQS", "Version": version, "EventTypes": EVENT_TYPES}
    try:
        turk("update_notification_settings", HITTypeId=hit_type, Notification=wanted, Active=True)
    except PlatformError as error:
        logger.warning("Mechanical Turk sends no events of HIT type %s: %s", hit_type, error)


def receive(sqs: Any, queue_url: str) -> Iterator[OfferEvent]:
    """Yield the waiting events. A message is deleted once its events were consumed; otherwise it comes again."""
    known: set[str] = set()
    for _ in range(MOST_RECEIVES):
        with platform_errors():
            answer = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=MESSAGES_AT_ONCE, WaitTimeSeconds=0)
        messages = answer.get("Messages", [])
        if not messages:
            return
        for message in messages:
            yield from _events(message["Body"], known)
            with platform_errors():
                sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])


def _events(body: str, known: set[str]) -> list[OfferEvent]:
    """Return the events of a message; empty if the message is a repetition or cannot be read."""
    try:
        notification = read_notification(body)
    except ValidationError:
        logger.warning("A message in the queue is not from Mechanical Turk, and is deleted: %.200s", body)
        return []
    if notification.id in known:
        return []
    known.add(notification.id)
    return [OfferEvent(event.hit, event.what) for event in notification.events]


FEE_PERCENT = 20.0
VERSION = "2014-08-15"
MODE = "mode"
STATES = {
    "Submitted": Session.PlatformState.SUBMITTED,
    "Approved": Session.PlatformState.APPROVED,
    "Rejected": Session.PlatformState.REJECTED,
}


@dataclass(frozen=True, slots=True)
class MTurkPlatform:
    """One requester's account. `sqs`: boto3's client for the queue at `queue_url`, if events are queued."""

    turk: Turk
    live: bool = False
    sqs: Any = None
    queue_url: str = ""
    version: str = VERSION
    name: str = NAME

    def marketplace(self) -> Marketplace:
        # A worker can take each HIT once. Trusted workers need many HITs, newcomers one.
        most = {Offer.Kind.ENTRY.value: hits.MOST_PLACES, Offer.Kind.WORK.value: 1}
        return Marketplace("USD", FEE_PERCENT, live=self.live, most_places=most)

    def balance_cents(self) -> int | None:
        return cents_of(self.turk("get_account_balance")["AvailableBalance"])

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

    def offer_status(self, offer: Offer) -> OfferStatus:
        return hits.status_of_hit(self.turk, offer)

    def sessions(self, offer: Offer) -> Iterator[ListedSession]:
        which = {"HITId": offer.external_id, "AssignmentStatuses": [*STATES]}
        try:
            for values in self.turk.listed("list_assignments_for_hit", "Assignments", **which):
                one = parse_values(values, MturkAssignment)
                yield ListedSession(one.id, one.worker, STATES[one.status], one.submitted_at)
        except TurkRefusedError as refused:
            # Mechanical Turk forgets a HIT some months after its end.
            if "notexist" not in refused.code:
                raise

    def bonuses(self, offer: Offer) -> Iterator[Bonus]:
        return payments.listed_bonuses(self.turk, HITId=offer.external_id)

    def cost(self, offer: Offer) -> OfferCharge | None:
        return None

    def send_payment(self, payment: Payment) -> str:
        payments.request_payment(self.turk, payment)
        return ""

    def was_done(self, payment: Payment) -> bool | None:
        return payments.took_effect(self.turk, payment)

    def screen(self, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        qualifications.screen(self.turk, project_id=project_id, task=task, passed=passed)

    def events(self) -> Iterable[OfferEvent]:
        return receive(self.sqs, self.queue_url) if self.queue_url else ()


def from_settings() -> MTurkPlatform:
    """Return the platform. Raises PlatformOffError, which says what is missing in the settings."""
    mode, url, queue = settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.MTURK_QUEUE_URL
    check_set_up()
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
    """Store the mode: a database holds offers and payments of the sandbox or of the real service, never of both."""
    Counterpart.objects.get_or_create(platform=NAME, name=MODE, defaults={"external_id": mode})


def _check_mode(mode: str) -> None:
    kept = Counterpart.objects.filter(platform=NAME, name=MODE).first()
    if kept is not None and kept.external_id != mode:
        raise PlatformOffError(
            f"This database was used with MTURK={kept.external_id}: for MTURK={mode} take a new one (CHAINBOX_DATA)."
        )
