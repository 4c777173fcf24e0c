"""A form that is sent three times at once: no answer is an error of the service, and what can only be once is once."""

import threading
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from annotation.models import Project
from campaign.models import AlertChannel, ImportRun
from members.models import RightKind, Role
from tests.campaign.conftest import Later
from tests.support.members import sign_in, with_rights
from tests.support.projects import phrases, project_of
from tests.support.services import PATIENCE

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]
PATH = "/projects/small/"


@pytest.fixture
def project(client: Client, later: Later) -> Project:
    made = project_of(phrases("people: a man", "people: the guy"))
    sign_in(client, made, Role.REQUESTER, "rita")
    user = with_rights(User.objects.get(username="rita"), RightKind.PROJECTS)
    User.objects.filter(pk=user.pk).update(email="rita@example.org")
    return made


def at_once(client: Client, path: str, data: dict[str, str], times: int = 3) -> list[int]:
    """Send the same form several times at the same moment, and return the status of each answer."""
    found: list[int] = []
    gate = threading.Barrier(times, timeout=PATIENCE)

    def press() -> None:
        own = Client(raise_request_exception=False)
        own.cookies = client.cookies
        gate.wait()
        try:
            found.append(own.post(path, data).status_code)
        finally:
            connection.close()

    presses = [threading.Thread(target=press) for _ in range(times)]
    for one in presses:
        one.start()
    for one in presses:
        one.join(PATIENCE)
    return sorted(found)


@pytest.mark.parametrize(
    ("path", "data", "made"),
    [
        ("copy/", {"name": "again", "title": "Again"}, lambda: Project.objects.filter(name="again").count()),
        ("alerts/", {"add": "mail", "user": "rita"}, lambda: AlertChannel.objects.count()),
        ("delete/", {"typed": "small"}, lambda: 1 - Project.objects.count()),
        ("dry-run/", {}, lambda: Project.objects.filter(dry_run=True).count()),
    ],
    ids=["copy", "mail", "delete", "dry run"],
)
def test_it_happens_once(
    client: Client, project: Project, path: str, data: dict[str, str], made: Callable[[], int]
) -> None:
    if "user" in data:
        data = data | {"user": str(User.objects.get(username="rita").pk)}
    answers = at_once(client, PATH + path, data)
    assert len(answers) == 3 and answers[-1] < 500, answers
    assert made() == 1
    assert ImportRun.objects.count() <= 1
