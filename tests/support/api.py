"""A worker who speaks to the API, by the test's client or over HTTP."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from pipeline.asking.end_lease import expire_assignments
from pipeline.models import Assignment
from pipeline.protocol.tasks.task import Task
from workers.models import Worker
from workers.tokens import make_page_token


@dataclass(slots=True)
class ApiWorker:
    """Calls the API as this worker; each call gives (status, what was answered)."""

    client: Client
    worker: Worker
    project: str = "small"
    authorization: str = ""

    def __post_init__(self) -> None:
        self.authorization = self.authorization or f"Bearer {make_page_token(self.worker.id)}"

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"authorization": self.authorization}
        answer = self.client.generic(
            method, f"/api/v1/{path}", _json(body), content_type="application/json", headers=headers
        )
        return answer.status_code, answer.json()

    def ask(self, task: Task) -> Any:
        """The assignment, or None."""
        status, work = self.call("POST", f"projects/{self.project}/assignments/", {"task": task.value})
        assert status == 200, work
        return work["assignment"]

    def on(self, assignment: dict[str, Any], verb: str, body: Any = None, method: str = "POST") -> tuple[int, Any]:
        """A call about an assignment; `verb`: "submit", "draft", ..."""
        return self.call(method, f"assignments/{assignment['token']}/{verb}/".replace("//", "/"), body)

    def submit(self, assignment: dict[str, Any], *answers: Any) -> Any:
        """Answer the questions in order; the rest is left out."""
        entries: list[Any] = [{"answer": answer, "seconds": 2.5, "comment": ""} for answer in answers]
        entries += [None] * (len(assignment["questions"]) - len(entries))
        status, receipt = self.on(assignment, "submit", {"answers": entries})
        assert status == 200, receipt
        return receipt


def _json(body: Any) -> str:
    return "" if body is None else json.dumps(body)


def run_out(assignment: dict[str, Any]) -> None:
    """The lease of the assignment has ended a minute ago, and the sweep has seen it."""
    Assignment.objects.filter(token=assignment["token"]).update(expires_at=timezone.now() - timedelta(minutes=1))
    expire_assignments()
