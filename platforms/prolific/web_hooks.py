"""Subscribe to what happens to studies and submissions."""

from dataclasses import dataclass

from django.conf import settings

from platforms.models import Counterpart
from platforms.prolific import NAME
from platforms.prolific.client import Client, Json, json_of

EVENT_TYPES = ("submission.status.change", "study.status.change")


@dataclass(frozen=True, slots=True)
class Subscriber:
    """Of one workspace, for events that are to be sent to `target`."""

    client: Client
    workspace: str
    target: str

    def subscribe(self) -> None:
        """Again it changes nothing; what was disabled or never confirmed is made anew."""
        self._keep_secret()
        mine = [row for row in self._list("/hooks/subscriptions/") if row["target_url"] == self.target]
        for event_type in EVENT_TYPES:
            there = [row["id"] for row in mine if row["event_type"] == event_type]
            kept = Counterpart.objects.filter(platform=NAME, name=self._name(event_type), external_id__in=there)
            if not kept.exists():
                self._replace(event_type, there)

    def _replace(self, event_type: str, old: list[str]) -> None:
        for one in old:
            self.client.tell_once("DELETE", f"/hooks/subscriptions/{one}/")
        wanted = {"workspace_id": self.workspace, "event_type": event_type, "target_url": self.target}
        answer = self.client.tell_once("POST", "/hooks/subscriptions/", wanted)
        made = str(json_of(answer)["id"])
        self.client.tell_once("POST", f"/hooks/subscriptions/{made}/", {"secret": answer.headers["X-Hook-Secret"]})
        # Only now: one that was not confirmed is sent nothing.
        Counterpart.objects.update_or_create(platform=NAME, name=self._name(event_type), defaults={"external_id": made})

    def _keep_secret(self) -> None:
        """A workspace has one secret: a new one would break what others have subscribed to."""
        if settings.PROLIFIC_HOOK_SECRET:
            return
        known = self._list("/hooks/secrets/")
        made = known or [json_of(self.client.tell_once("POST", "/hooks/secrets/", {"workspace_id": self.workspace}))]
        Counterpart.objects.update_or_create(
            platform=NAME, name=_secret_name(self.workspace), defaults={"external_id": made[0]["value"]}
        )

    def _list(self, path: str) -> list[Json]:
        return list(self.client.rows(path, workspace_id=self.workspace))

    def _name(self, event_type: str) -> str:
        return f"hook {self.workspace} {event_type}"


def hook_secret() -> str:
    """What signs events; empty: we never subscribed."""
    if settings.PROLIFIC_HOOK_SECRET:
        return str(settings.PROLIFIC_HOOK_SECRET)
    name = _secret_name(settings.PROLIFIC_WORKSPACE)
    return Counterpart.objects.filter(platform=NAME, name=name).values_list("external_id", flat=True).first() or ""


def _secret_name(workspace: str) -> str:
    return f"hook secret {workspace}"
