"""A worker who is suspended or barred on a task reads so everywhere, and gets no questions."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Project
from labelling.open_tasks import open_tasks
from pipeline.models import Judgment, Question
from pipeline.protocol.tasks.task import Task
from tests.labelling.conftest import with_account
from tests.support.api import ApiWorker
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.table import row
from workers.change_trust import change_trust
from workers.models import TrustChange, TrustStatus, Worker
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db
ASK = Task.BOX_REQUIREMENT


@pytest.fixture
def project() -> Project:
    return project_of(*[phrases("animals: a dog", name=str(n)) for n in range(2)])


@pytest.fixture
def ada(client: Client, project: Project) -> ApiWorker:
    return ApiWorker(client, worker(project, "ada"))


def change(project: Project, who: Worker, event: TrustEvent, days: float = 0) -> None:
    until = timezone.now() + timedelta(days=days) if days else None
    place = {"worker_id": who.id, "project_id": project.id, "task": ASK.value}
    change_trust(event=event, because="checked by hand", until=until, **place)  # type: ignore[arg-type]


def ask(who: ApiWorker) -> tuple[int, Any]:
    return who.call("POST", "projects/small/assignments/", {"task": ASK.value})


@row(TrustEvent.SUSPEND, 3, "You can go on from")
@row(TrustEvent.BAR, 0, "no longer asked for")
def test_a_refusal_says_why_in_the_api_and_at_home(
    event: TrustEvent, days: int, words: str, ada: ApiWorker, project: Project
) -> None:
    change(project, ada.worker, event, days)
    status, refusal = ask(ada)
    assert (status, refusal["code"]) == (403, "not_trusted") and words in refusal["message"]
    offer = next(offer for offer in open_tasks(project, ada.worker.id) if offer.task == ASK)
    assert offer.open == 0 and words in offer.message


@pytest.mark.both_engines
def test_other_tasks_are_asked_as_before(ada: ApiWorker, project: Project) -> None:
    change(project, ada.worker, TrustEvent.BAR)
    status, _ = ada.call("POST", "projects/small/assignments/", {"task": Task.BOX_DRAWING.value})
    assert status == 200


def test_a_suspension_ends_by_itself(ada: ApiWorker, project: Project) -> None:
    change(project, ada.worker, TrustEvent.SUSPEND, 3)
    TrustStatus.objects.update(suspended_until=timezone.now() - timedelta(seconds=1))
    assert ask(ada)[1]["assignment"]
    offer = next(offer for offer in open_tasks(project, ada.worker.id) if offer.task == ASK)
    assert offer.is_begun and not offer.message


@pytest.mark.slow
@pytest.mark.both_engines
def test_who_is_barred_appeals_once_from_their_home(client: Client, project: Project, ada: ApiWorker) -> None:
    with_account(ada.worker)
    client.force_login(ada.worker.user)  # type: ignore[arg-type]
    home = reverse("labelling:project", args=[project.name])
    appeal = reverse("labelling:appeal", args=[project.name, ASK.value])
    assert "Appeal to the requester" not in client.get(home).text
    assert "or are not barred" in client.post(appeal, {"because": "why?"}, follow=True).text
    change(project, ada.worker, TrustEvent.BAR)
    assert "Appeal to the requester" in client.get(home).text
    assert "Tell the requester why" in client.post(appeal, {"because": " "}, follow=True).text
    said = client.post(appeal, {"because": "My mouse was broken."}, follow=True).text
    assert "Your appeal is with the requester" in said and "Appeal to the requester" not in said
    assert "no longer asked for. Your appeal is with the requester." in client.get(home).text
    made = TrustChange.objects.latest("id")
    assert (made.reason, made.actor, made.new) == ("My mouse was broken.", "ada", "barred")
    assert TrustStatus.objects.get().appealed


class TestRequester:
    def decide(self, admin_client: Client, project: Project, who: Worker, **values: Any) -> Any:
        form = {"task": ASK.value, "event": TrustEvent.BAR.value, "reason": "pressed one button"}
        page = reverse("projects:worker_trust", args=[project.name, who.pk])
        return admin_client.post(page, {**form, **values}, follow=True)

    def test_a_bar_has_all_answers_asked_again(self, admin_client: Client, project: Project, ada: ApiWorker) -> None:
        answer(project, ada.worker, ASK, 3)
        assert "1 answers are asked again" in self.decide(admin_client, project, ada.worker, take_back="on").text
        made = TrustChange.objects.get()
        assert (made.actor, made.reason, made.new) == ("admin", "pressed one button", "barred") and ask(ada)[0] == 403
        assert Judgment.objects.count() == 1 and Question.objects.filter(state="open").count() == 2
