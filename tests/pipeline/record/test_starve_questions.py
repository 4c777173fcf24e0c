from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Chain, Image
from pipeline.models import Entry
from pipeline.record.replay import replay
from pipeline.record.starve_questions import starve_questions, starved_questions
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import answer, lease, phrases, project_of, states, worker
from workers.change_trust import change_trust
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db

ASK = Task.BOX_REQUIREMENT


def starving(**settings: float):
    """The only worker with access has voted, and one more vote is needed."""
    project = project_of(phrases("animals: a dog"), settings=ProtocolSettings(**settings))  # type: ignore[arg-type]
    answer(project, worker(project, "ada"), ASK, 3)
    return project


def test_a_starved_question_is_shown_at_once() -> None:
    project = starving()
    assert [question.task for question in starved_questions(project.id)] == [ASK.value]
    assert states(project) == ["open"]


def test_another_worker_with_access_ends_the_starving() -> None:
    project = starving()
    worker(project, "bob", Task.BOX_DRAWING)
    assert len(starved_questions(project.id)) == 1
    worker(project, "bob", ASK)
    assert starved_questions(project.id) == []


def test_who_is_barred_for_good_does_not_end_it() -> None:
    project = starving()
    eve = worker(project, "eve", ASK)
    assert starved_questions(project.id) == []
    place = {"worker_id": eve.id, "project_id": project.id, "task": ASK.value}
    change_trust(**place, event=TrustEvent.BAR, because="only ever one button")
    assert len(starved_questions(project.id)) == 1


def test_a_task_without_any_worker_waits_and_does_not_starve() -> None:
    project = project_of(phrases("animals: a dog"))
    assert starved_questions(project.id) == []
    tick(project_id=project.id, now=timezone.now() + timedelta(days=30))
    assert states(project) == ["open"]


def test_it_goes_to_review_after_the_hours_of_the_setting() -> None:
    project = starving(starved_hours=5)
    now = timezone.now()
    tick(project_id=project.id, now=now + timedelta(hours=4.9))
    assert states(project) == ["open"]
    assert starve_questions(project_id=project.id, now=now + timedelta(hours=5.1)) == 1
    chain = Chain.objects.get()
    assert (chain.state, chain.review, states(project)) == ("review", "starved", ["closed"])
    assert Image.objects.get().state == "in review"
    assert Entry.objects.filter(kind="starve").count() == 1
    assert starve_questions(project_id=project.id, now=now + timedelta(hours=6)) == 0
    assert list(replay(project)) == []


def test_a_starved_link_goes_on_without_an_answer_and_its_chains_go_to_review() -> None:
    settings = ProtocolSettings(starved_hours=1)
    project = project_of(phrases("people: a man", "people: a boy", "people: a child"), settings=settings)
    link = Task.COREFERENCE_LINK
    ada, bob = worker(project, "ada", link), worker(project, "bob", link)
    answer(project, ada, link, "different")
    answer(project, ada, link, "same", "same")  # contradicts the first answer: the three links are asked again
    assert project.questions.filter(state="open").count() == 3
    answer(project, bob, link, "same", "different", "different")  # one against one: a third worker is needed
    assert len(starved_questions(project.id)) > 0
    for hours in range(2, 10, 2):  # one contradiction may follow another
        tick(project_id=project.id, now=timezone.now() + timedelta(hours=hours))
    assert starved_questions(project.id) == []
    assert set(Chain.objects.values_list("state", "review")) == {("review", "starved")}
    assert Entry.objects.filter(kind="judgment").count() == 6
    assert list(replay(project)) == []


def test_a_leased_question_is_not_starved() -> None:
    project = project_of(phrases("animals: a dog"))
    lease(project, worker(project, "ada"), ASK)
    assert starved_questions(project.id) == []
