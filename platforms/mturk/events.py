"""What the service puts into a queue for us. Messages come twice, late, or never: they only say where to look."""

import json
import logging
from collections.abc import Iterator
from typing import Any

from platforms.contract.errors import PlatformError
from platforms.contract.platform import Event
from platforms.mturk.client import Turk, Values, in_our_words

TOLD_OF = [
    "AssignmentSubmitted",
    "AssignmentReturned",
    "AssignmentAbandoned",
    "AssignmentApproved",
    "AssignmentRejected",
    "HITReviewable",
    "HITExpired",
]
MOST_RECEIVES = 100
AT_ONCE = 10
logger = logging.getLogger(__name__)


def subscribe(turk: Turk, hit_type: str, queue_url: str, version: str) -> None:
    """A failure is only written to the log: without events everything comes to the same end, later."""
    told = {"Destination": queue_url, "Transport": "SQS", "Version": version, "EventTypes": TOLD_OF}
    try:
        turk("update_notification_settings", HITTypeId=hit_type, Notification=told, Active=True)
    except PlatformError as error:
        logger.warning("Mechanical Turk will not tell us of HIT type %s: %s", hit_type, error)


def receive(sqs: Any, queue_url: str) -> Iterator[Event]:
    """What waits. A message is deleted when its events were consumed: whoever stops half-way gets it again."""
    heard: set[str] = set()
    for _ in range(MOST_RECEIVES):
        with in_our_words():
            answer = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=AT_ONCE, WaitTimeSeconds=0)
        messages = answer.get("Messages", [])
        if not messages:
            return
        for message in messages:
            yield from _events(message["Body"], heard)
            with in_our_words():
                sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])


def _events(body: str, heard: set[str]) -> list[Event]:
    """Empty: told before, or not readable."""
    try:
        told = _document(body)
        events = [Event(str(one["HITId"]), str(one["EventType"])) for one in told["Events"]]
        name = str(told["EventDocId"])
    except (ValueError, KeyError, TypeError):
        logger.warning("A message in the queue is none of Mechanical Turk's, and is deleted: %.200s", body)
        return []
    if name in heard:
        return []
    heard.add(name)
    return events


def _document(body: str) -> Values:
    """A topic between the service and the queue wraps the message once more."""
    told: Values = json.loads(body)
    wrapped: Values = json.loads(told["Message"]) if "Events" not in told and "Message" in told else told
    return wrapped
