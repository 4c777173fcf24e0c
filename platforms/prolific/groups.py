"""Participant groups: who has passed the test of a task, and who may not work on it."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.crypto import salted_hmac

from platforms.models import Counterpart
from platforms.prolific import NAME
from platforms.prolific.client import Client, json_of

PASSED, OUT = "passed", "out"


@dataclass(frozen=True, slots=True)
class Groups:
    """Of one workspace. Each is made when it is needed first, and remembered."""

    client: Client
    workspace: str

    def id_of(self, project_id: int, task: str, what: str) -> str:
        name = f"group {self.workspace} {project_id} {task} {what}"
        known = Counterpart.objects.filter(platform=NAME, name=name).first()
        if known is None:
            made = self._find_or_make(f"Chainbox {_mark()}: {project_id} {task} {what}")
            known, _ = Counterpart.objects.get_or_create(platform=NAME, name=name, defaults={"external_id": made})
        return known.external_id

    def screen(self, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        """Who has passed goes into one group, who may not work into the other, a newcomer into none."""
        for what, result in ((PASSED, True), (OUT, False)):
            group = self.id_of(project_id, task, what)
            self._change("POST", group, [who for who, own in passed.items() if own is result])
            self._change("DELETE", group, [who for who, own in passed.items() if own is not result])

    def _change(self, method: str, group: str, participants: list[str]) -> None:
        """Who is in already, or is not in, changes nothing."""
        if participants:
            path = f"/participant-groups/{group}/participants/"
            self.client.tell(method, path, {"participant_ids": participants})

    def _find_or_make(self, name: str) -> str:
        for group in self.client.rows("/participant-groups/", workspace_id=self.workspace):
            if group["name"] == name and not group.get("is_deleted"):
                return str(group["id"])
        said = {"name": name, "workspace_id": self.workspace}
        return str(json_of(self.client.tell_once("POST", "/participant-groups/", said))["id"])


def _mark() -> str:
    """Tells the groups of two services that share a workspace apart: their projects have the same numbers."""
    return salted_hmac("prolific.groups", settings.ADDRESS, algorithm="sha256").hexdigest()[:8]
