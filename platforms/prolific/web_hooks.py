"""Web hooks: subscribe to events of studies and submissions, and check that an event comes from Prolific."""

import base64
import hmac
from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings

from platforms.errors import UnsureError
from platforms.models import Counterpart
from platforms.prolific import NAME
from platforms.prolific.client import Client, parse
from platforms.prolific.wire_format import Created, HookSecret, Subscription

EVENT_TYPES = ("submission.status.change", "study.status.change")
MOST_SECONDS = 5 * 60
"""Time that an event may take to arrive; an older one is a replay."""


@dataclass(frozen=True, slots=True)
class Subscriber:
    """Subscribes to the events of one workspace, to be sent to the address `target`."""

    client: Client
    workspace: str
    target: str

    def subscribe(self) -> None:
        """Make the subscriptions that are missing, disabled or unconfirmed. A repetition changes nothing."""
        self._keep_secret()
        listed = self.client.rows("/hooks/subscriptions/", Subscription, workspace_id=self.workspace)
        ours = [hook for hook in listed if hook.target_url == self.target]
        for event_type in EVENT_TYPES:
            ids = [our.id for our in ours if our.event_type == event_type]
            kept = Counterpart.objects.filter(platform=NAME, name=self._name(event_type), external_id__in=ids)
            if not kept.exists():
                self._replace(event_type, ids)

    def _replace(self, event_type: str, old: Iterable[str]) -> None:
        for hook in old:
            self.client.send_once("DELETE", f"/hooks/subscriptions/{hook}/")
        wanted = {"workspace_id": self.workspace, "event_type": event_type, "target_url": self.target}
        answer = self.client.send_once("POST", "/hooks/subscriptions/", wanted)
        made = parse(answer, Created).id
        secret = answer.headers.get("X-Hook-Secret")
        if secret is None:
            raise UnsureError("Prolific's answer cannot be read: it has no header X-Hook-Secret.")
        self.client.send_once("POST", f"/hooks/subscriptions/{made}/", {"secret": secret})
        # Stored only now: no events are sent to a subscription that was not confirmed.
        Counterpart.objects.update_or_create(platform=NAME, name=self._name(event_type), defaults={"external_id": made})

    def _keep_secret(self) -> None:
        """Store the workspace's secret. It has one for all: a new one would break the subscriptions of others."""
        if settings.PROLIFIC_HOOK_SECRET:
            return
        known = list(self.client.rows("/hooks/secrets/", HookSecret, workspace_id=self.workspace))
        secret = known[0] if known else self._make_secret()
        Counterpart.objects.update_or_create(
            platform=NAME, name=_secret_name(self.workspace), defaults={"external_id": secret.value}
        )

    def _make_secret(self) -> HookSecret:
        answer = self.client.send_once("POST", "/hooks/secrets/", {"workspace_id": self.workspace})
        return parse(answer, HookSecret)

    def _name(self, event_type: str) -> str:
        return f"hook {self.workspace} {event_type}"


def hook_secret() -> str:
    """Return the secret that signs events; empty: this service never subscribed."""
    if settings.PROLIFIC_HOOK_SECRET:
        return str(settings.PROLIFIC_HOOK_SECRET)
    name = _secret_name(settings.PROLIFIC_WORKSPACE)
    return Counterpart.objects.filter(platform=NAME, name=name).values_list("external_id", flat=True).first() or ""


def sign(secret: str, timestamp: str, body: bytes) -> str:
    made = hmac.digest(secret.encode(), timestamp.encode() + body, "sha256")
    return base64.b64encode(made).decode()


def is_genuine(*, secret: str, timestamp: str, body: bytes, signature: str, now: float) -> bool:
    """Whether Prolific sent the event just now. `timestamp`: Unix seconds, as in the header.

    Nothing is genuine without a secret.
    """
    if not secret or not timestamp.isascii() or not timestamp.isdecimal():
        return False
    if abs(now - int(timestamp)) > MOST_SECONDS:
        return False
    return hmac.compare_digest(sign(secret, timestamp, body).encode(), signature.encode())


def _secret_name(workspace: str) -> str:
    return f"hook secret {workspace}"
