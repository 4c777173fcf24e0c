"""Errors of the API name what is wrong without repeating a caller's value at length."""

import pytest
from django.test import Client

from annotation.models import Project
from pipeline.rules.tasks.task import Task
from tests.support.api import ApiWorker
from tests.support.projects import phrases, project_of, worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]
DIGITS = "1234567890" * 40


@pytest.fixture
def ada(client: Client) -> ApiWorker:
    project: Project = project_of(phrases("other: a hat"))
    return ApiWorker(client, worker(project, "ada"))


def refused(ada: ApiWorker, path: str, body: str) -> str:
    """Send this text as it is, and return the message of the refusal."""
    headers = {"authorization": ada.authorization}
    response = ada.client.generic("POST", f"/api/v1/{path}", body, content_type="application/json", headers=headers)
    assert response.status_code == 400, response.content
    return str(response.json()["message"])


@pytest.mark.parametrize("task", [f'"{DIGITS}"', DIGITS, f"{DIGITS}.5", f"[{DIGITS}.5]", f'"{"1 " * 400}"'])
def test_a_number_of_400_digits_is_not_repeated(ada: ApiWorker, task: str) -> None:
    message = refused(ada, "projects/small/assignments/", f'{{"task": {task}}}')
    assert message and DIGITS[:100] not in message and len(message) < 500


def test_nor_in_an_answer_or_a_time(ada: ApiWorker) -> None:
    token = ada.ask(Task.BOX_REQUIREMENT)["token"]
    for reply in (f'{{"answer": "{DIGITS}"}}', f'{{"answer": 1, "seconds": {DIGITS}.5}}', f'{{"skip": "{DIGITS}"}}'):
        message = refused(ada, f"assignments/{token}/submit/", f'{{"answers": [{reply}]}}')
        assert message and DIGITS[:100] not in message and len(message) < 500


def test_nor_in_the_query_of_the_examples(ada: ApiWorker) -> None:
    status, found = ada.call("GET", f"projects/small/examples/?task={DIGITS}", None)
    assert status == 400 and DIGITS[:100] not in found["message"]


def test_deeply_nested_json_is_refused_in_words(ada: ApiWorker) -> None:
    for nested in ("[" * 100_000, "[" * 3000 + "]" * 3000, '{"task":' * 500 + "1" + "}" * 500):
        assert refused(ada, "projects/small/assignments/", nested)
