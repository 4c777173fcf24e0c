"""Subscriptions to events, and the events: kept until the test has them delivered."""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime

from tests.twins.prolific.wire import Json

EVENT_TYPES = {
    "submission.status.change": "A submission has another status.",
    "study.status.change": "A study has another status.",
}


@dataclass(slots=True)
class Subscription:
    """`handshake`: what confirms it. Nothing is sent before."""

    id: str
    event_type: str
    target_url: str
    workspace: str
    handshake: str
    confirmed: bool = False
    enabled: bool = True


@dataclass(slots=True)
class Event:
    """Something that happened, for one subscription. `status`: PENDING, SUCCEEDED or FAILED."""

    id: str
    subscription: Subscription
    payload: Json
    happened: datetime
    status: str = "PENDING"


@dataclass(slots=True)
class HookStore:
    """The secret of the workspace, its subscriptions, and all events in the order in which they happened."""

    secret_id: str = ""
    secret: str = ""
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def happened(self, event_type: str, resource: str, more: Json, now: datetime) -> None:
        """Write an event down for each subscription to its type."""
        payload = {"resource_id": resource, "event_type": event_type} | more
        for one in self.subscriptions.values():
            if one.event_type == event_type and one.confirmed and one.enabled:
                self.events.append(Event(secrets.token_hex(16), one, payload, now))


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """base64(HMAC-SHA256(secret, timestamp + body)), as in X-Prolific-Request-Signature."""
    made = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256)
    return base64.b64encode(made.digest()).decode()
