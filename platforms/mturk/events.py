"""Events that Mechanical Turk puts into our queue. They may be repeated, late or lost: they only say where to look."""

import logging
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from platforms.contract.errors import PlatformError
from platforms.contract.platform import OfferEvent
from platforms.mturk.client import Turk, platform_errors
from platforms.mturk.wire_format import read_notification

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
