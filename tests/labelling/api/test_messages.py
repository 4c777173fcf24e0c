"""The API of messages: workers write and read, requesters list and answer, each their own."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Project
from members.models import Role
from messaging.models import Conversation
from tests.support.members import member
from tests.support.rows import make_project, make_worker
from workers.grant_access import grant_access
from workers.models import Worker
from workers.page_token import make_page_token

pytestmark = pytest.mark.django_db
MESSAGES = "/api/v1/projects/parks/messages/"
INBOX = "/api/v1/requester/projects/parks/messages/"


@pytest.fixture
def project() -> Project:
    return make_project()


def api_of(project: Project, name: str) -> APIClient:
    worker: Worker = make_worker(name=name)
    grant_access(worker, project.pk, ["box_drawing"])
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {make_page_token(worker.pk, None)}")
    return client


@pytest.fixture
def ada(project: Project) -> APIClient:
    return api_of(project, "ada")


@pytest.fixture
def boss(project: Project) -> Client:
    client = Client()
    client.force_login(member(project, Role.REQUESTER, "boss"))
    return client


@pytest.mark.both_engines
def test_a_worker_writes_a_requester_answers_and_the_worker_reads(ada: APIClient, boss: Client) -> None:
    asked = ada.post(MESSAGES, {"text": "Please look again.", "task": "box_drawing"}).json()
    assert (asked["subject"], asked["waits"]) == ("standing", True)
    (waiting,) = boss.get(INBOX, {"waiting": "true"}).json()
    assert (waiting["worker"], waiting["posts"][0]["text"]) == ("ada", "Please look again.")
    answer = f"/api/v1/requester/conversations/{asked['id']}/answer/"
    assert not boss.post(answer, {"text": "We looked."}, "application/json").json()["waits"]
    assert boss.get(INBOX, {"waiting": "true"}).json() == []
    (read,) = ada.get(MESSAGES).json()
    assert [(post["answer"], post["text"], post["read"]) for post in read["posts"]] == [
        (False, "Please look again.", False),
        (True, "We looked.", False),
    ]
    assert "boss" not in str(read)
    seen = f"/api/v1/conversations/{asked['id']}/read/"
    assert [ada.post(seen).json(), ada.post(seen).json()] == [{"read": 1}, {"read": 0}]


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"text": ""},
        {"text": "x" * 2001},
        {"text": "x", "task": "dancing"},
        {"text": "x", "assignment": "7"},
        {"text": "a\0b"},
    ],
)
def test_a_bad_message_is_refused_in_words(ada: APIClient, sent: dict[str, Any]) -> None:
    refused = ada.post(MESSAGES, sent)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert not Conversation.objects.exists()


def test_the_eleventh_message_of_an_hour_is_throttled(ada: APIClient) -> None:
    codes = [ada.post(MESSAGES, {"text": "x"}).status_code for _ in range(11)]
    assert codes == [*10 * [200], 429]
    assert ada.post(MESSAGES, {"text": "x"}).json()["code"] == "throttled"


def test_a_stranger_of_the_project_finds_nothing(ada: APIClient, project: Project) -> None:
    make_project("streets")
    for address in ("/api/v1/projects/streets/messages/", "/api/v1/projects/nowhere/messages/"):
        assert [ada.get(address).status_code, ada.post(address, {"text": "x"}).status_code] == [404, 404]
    theirs = api_of(project, "bob").post(MESSAGES, {"text": "between us"}).json()
    assert ada.get(MESSAGES).json() == []
    assert ada.post(MESSAGES, {"text": "x", "conversation": theirs["id"]}).status_code == 404


def test_only_requesters_of_the_project_read_and_answer(ada: APIClient, project: Project) -> None:
    asked = ada.post(MESSAGES, {"text": "Please look again."}).json()
    answer = f"/api/v1/requester/conversations/{asked['id']}/answer/"
    for user in (member(project, Role.REVIEWER, "rex"), member(make_project("streets"), Role.REQUESTER, "otto"), None):
        client = Client()
        if user:
            client.force_login(user)
        wanted = 404 if user else 401
        assert client.get(INBOX).status_code == wanted
        assert client.post(answer, {"text": "x"}, "application/json").status_code == wanted


def test_another_site_cannot_answer_in_the_name_of_a_requester(ada: APIClient, project: Project) -> None:
    asked = ada.post(MESSAGES, {"text": "Please look again."}).json()
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("root"))
    answer = f"/api/v1/requester/conversations/{asked['id']}/answer/"
    assert client.post(answer, {"text": "x"}, "application/json").status_code == 403
    assert Conversation.objects.get().posts.count() == 1
