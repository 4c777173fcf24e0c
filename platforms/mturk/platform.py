"""Mechanical Turk behind the interface of a platform."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from pydantic import ValidationError

from platforms.contract import Bonus, ListedSession, Marketplace, OfferEvent, OfferStatus, Platform, Published
from platforms.errors import NothingDoneError, PlatformError, PlatformOffError, RefusedError, UnsureError
from platforms.models import Counterpart, Identity, Offer, Payment, Session
from platforms.mturk import LIVE, NAME, SANDBOX, check_mturk, hits, is_aws
from platforms.mturk.client import (
    MturkAssignment,
    PaidBonus,
    Turk,
    TurkRefusedError,
    cents_of,
    dollars,
    parse_values,
    platform_errors,
    read_notification,
    sqs_of,
    turk_at,
)
from platforms.sessions import FORGOTTEN

Kind = Payment.Kind
APPROVED, REJECTED = "Approved", "Rejected"
STATUS_AFTER = {Kind.APPROVE: APPROVED, Kind.OVERRIDE: APPROVED, Kind.REJECT: REJECTED}
LONGEST_FEEDBACK = 1024
REPETITION = ("duplicate", "alreadyexist", "idempotency", "already been processed")
"""Parts of the refusal of a repeated bonus, whose code is not documented."""


def took_effect(turk: Turk, payment: Payment) -> bool | None:
    """Return whether the payment took effect; None: Mechanical Turk no longer knows the assignment."""
    if payment.kind == Kind.BONUS:
        paid = listed_bonuses(turk, AssignmentId=payment.session.external_id)
        return any(mark_of(payment) in bonus.reason for bonus in paid)
    status = _status(turk, payment)
    return None if status is None else status == STATUS_AFTER[Kind(payment.kind)]


def listed_bonuses(turk: Turk, **of: str) -> Iterator[Bonus]:
    """Yield the bonuses of one HITId or AssignmentId."""
    for values in turk.listed("list_bonus_payments", "BonusPayments", **of):
        paid = parse_values(values, PaidBonus)
        yield Bonus(paid.assignment, paid.worker, cents_of(paid.amount), paid.reason)


def mark_of(payment: Payment) -> str:
    """Return the mark in a bonus's reason by which the bonus is found again, after its token is forgotten."""
    return f"[{_token(payment)}]"


def _token(payment: Payment) -> str:
    """Return the token that prevents a second bonus for a day.

    It holds the offer's key, because another service that shares the account numbers its payments alike.
    """
    return f"{payment.session.offer.key}-{payment.pk}"


def _pay_bonus(turk: Turk, payment: Payment) -> None:
    # The token of an earlier try may be forgotten by now.
    if payment.tries > 1 and took_effect(turk, payment):
        return
    try:
        turk(
            "send_bonus",
            WorkerId=_external_worker(payment),
            AssignmentId=payment.session.external_id,
            BonusAmount=dollars(payment.cents),
            Reason=f"{payment.reason or 'Thank you.'} {mark_of(payment)}",
            UniqueRequestToken=_token(payment),
        )
    except TurkRefusedError as refused:
        if took_effect(turk, payment):
            return
        if any(part in f"{refused.code} {refused}".lower() for part in REPETITION):
            # The bonus was paid, but is not listed yet. Taken for a refusal, it would be paid again.
            raise UnsureError(str(refused)) from refused
        raise


def _review(turk: Turk, payment: Payment) -> None:
    try:
        _send_decision(turk, payment)
    except TurkRefusedError as refused:
        status = _status(turk, payment)
        if status == STATUS_AFTER[Kind(payment.kind)]:
            return
        if status == "Submitted" and "state" in refused.code:
            # For some minutes, Mechanical Turk may refuse to review an assignment that it already lists.
            raise NothingDoneError(str(refused)) from refused
        raise


def _send_decision(turk: Turk, payment: Payment) -> None:
    which = {"AssignmentId": payment.session.external_id}
    feedback = {"RequesterFeedback": payment.reason[:LONGEST_FEEDBACK]} if payment.reason.strip() else {}
    match Kind(payment.kind):
        case Kind.APPROVE:
            turk("approve_assignment", **which, **feedback)
        case Kind.OVERRIDE:
            turk("approve_assignment", **which, **feedback, OverrideRejection=True)
        case Kind.REJECT:
            turk("reject_assignment", **which, **{"RequesterFeedback": "The work was refused.", **feedback})
        case kind:
            raise RefusedError(f"Mechanical Turk has no decision {kind.label!r}.")


def _status(turk: Turk, payment: Payment) -> str | None:
    try:
        shown = turk("get_assignment", AssignmentId=payment.session.external_id)["Assignment"]
    except TurkRefusedError:
        return None
    return parse_values(shown, MturkAssignment).status


def _external_worker(payment: Payment) -> str:
    identity = Identity.objects.filter(platform=NAME, worker=payment.session.worker_id).first()
    if identity is None or identity.external_id.startswith(FORGOTTEN):
        raise RefusedError("Mechanical Turk does not know this worker.")
    return identity.external_id


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
class MTurkPlatform(Platform):
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
        # A database holds offers and payments of the sandbox or of the real service, never of both.
        mode = {"external_id": LIVE if self.live else SANDBOX}
        Counterpart.objects.get_or_create(platform=NAME, name=MODE, defaults=mode)
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
        return listed_bonuses(self.turk, HITId=offer.external_id)

    def send_payment(self, payment: Payment) -> str:
        pay = _pay_bonus if payment.kind == Kind.BONUS else _review
        pay(self.turk, payment)
        return ""

    def was_done(self, payment: Payment) -> bool | None:
        return took_effect(self.turk, payment)

    def request_return(self, session: Session, reason: str) -> None:
        raise RefusedError("Mechanical Turk cannot ask workers to give back what they handed in.")

    def screen(self, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        hits.screen(self.turk, project_id=project_id, task=task, passed=passed)

    def events(self) -> Iterable[OfferEvent]:
        return receive(self.sqs, self.queue_url) if self.queue_url else ()


def mturk_platform() -> MTurkPlatform:
    """Return the platform. Raises PlatformOffError, which says what is missing in the settings."""
    mode, url, queue = settings.MTURK, settings.MTURK_ENDPOINT_URL, settings.MTURK_QUEUE_URL
    check_mturk()
    if is_aws(url) and urlsplit(settings.ADDRESS).scheme != "https":
        raise PlatformOffError("Mechanical Turk shows pages with https only: ADDRESS must begin with https://.")
    kept = Counterpart.objects.filter(platform=NAME, name=MODE).first()
    if kept is not None and kept.external_id != mode:
        raise PlatformOffError(
            f"This database was used with MTURK={kept.external_id}: for MTURK={mode} take a new one (CHAINBOX_DATA)."
        )
    return MTurkPlatform(
        turk_at(url),
        live=mode == LIVE,
        sqs=sqs_of(queue) if queue else None,
        queue_url=queue,
        version=settings.MTURK_NOTIFICATION_VERSION,
    )
