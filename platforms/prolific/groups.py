"""Participant groups: who passed the test of a task, and who may not work on it."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.crypto import salted_hmac

from platforms.models import Counterpart
from platforms.prolific import NAME
from platforms.prolific.client import Client, parse
from platforms.prolific.wire_format import Created, Group

PASSED, OUT = "passed", "out"


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of one workspace. A group is made when it is first needed, and its id is kept."""

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
        """Put participants who passed into one group, those who may not work into the other, newcomers into none."""
        for what, result in ((PASSED, True), (OUT, False)):
            group = self.id_of(project_id, task, what)
            self._change("POST", group, [who for who, own in passed.items() if own is result])
            self._change("DELETE", group, [who for who, own in passed.items() if own is not result])

    def _change(self, method: str, group: str, participants: list[str]) -> None:
        """Add or remove participants. To add a member, or to remove a stranger, changes nothing."""
        if participants:
            path = f"/participant-groups/{group}/participants/"
            self.client.send(method, path, {"participant_ids": participants})

    def _find_or_make(self, name: str) -> str:
        for group in self.client.rows("/participant-groups/", Group, workspace_id=self.workspace):
            if group.name == name and not group.is_deleted:
                return group.id
        body = {"name": name, "workspace_id": self.workspace}
        return parse(self.client.send_once("POST", "/participant-groups/", body), Created).id


def _mark() -> str:
    """Return a mark of this service, because another one that shares the workspace numbers its projects alike."""
    return salted_hmac("prolific.groups", settings.ADDRESS, algorithm="sha256").hexdigest()[:8]
