"""Notifications: the documented message, and a queue that delivers as badly as a real one may."""

import itertools
import json
import random
from collections.abc import Callable
from datetime import datetime
from typing import Any

CUSTOMER = "A1TWINREQUESTER"
Deliver = Callable[[str], object]


def message(version: str, id: str, events: list[dict[str, str]]) -> str:
    """The JSON of a notification that tells of these events."""
    return json.dumps({"EventDocVersion": version, "EventDocId": id, "CustomerId": CUSTOMER, "Events": events})


def event(what: str, at: datetime, hit_type: str, hit: str, assignment: str = "") -> dict[str, str]:
    """One event; the assignment only where there is one."""
    fields = {"EventType": what, "EventTimestamp": f"{at:%Y-%m-%dT%H:%M:%SZ}", "HITTypeId": hit_type, "HITId": hit}
    return {**fields, "AssignmentId": assignment} if assignment else fields


class Queue:
    """A queue in memory with SQS's words. Give its `put` to the twin as `deliver`."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.waiting: list[str] = []
        self.received: dict[str, str] = {}

    def put(self, body: str) -> None:
        self.waiting.append(body)

    def receive_message(self, *, MaxNumberOfMessages: int = 1, **_: Any) -> dict[str, Any]:
        """As SQS: what is received stays out of sight until it is deleted or made visible again."""
        taken, self.waiting = self.waiting[:MaxNumberOfMessages], self.waiting[MaxNumberOfMessages:]
        numbered = {str(next(self._numbers)): body for body in taken}
        self.received.update(numbered)
        messages = [{"MessageId": name, "ReceiptHandle": name, "Body": body} for name, body in numbered.items()]
        return {"Messages": messages} if messages else {}

    def delete_message(self, *, ReceiptHandle: str, **_: Any) -> None:
        """As SQS: deleting twice is not an error."""
        self.received.pop(ReceiptHandle, None)

    def show_again(self) -> None:
        """Let messages that were received and not deleted be received once more."""
        self.waiting += self.received.values()
        self.received.clear()

    def duplicate(self) -> None:
        """Every waiting message comes twice."""
        self.waiting += self.waiting

    def shuffle(self, seed: int = 0) -> None:
        """The waiting messages come in another order."""
        random.Random(seed).shuffle(self.waiting)

    def lose(self, count: int | None = None) -> None:
        """The first waiting messages, or all of them, never come."""
        del self.waiting[:count]
