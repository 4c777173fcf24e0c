"""Decisions of a worker without trust go to review, or others are asked."""

import pytest

from annotation.models import Chain, Project
from campaign.review.reconsider_page import decided_chains, distrusted_tasks, reconsider
from pipeline.models import Entry, Question
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import Task
from tests.support.projects import answer, phrases, project_of, worker
from workers.change_trust import change_trust
from workers.models import Worker
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db

ASK = Task.BOX_REQUIREMENT


@pytest.fixture
def project() -> Project:
    """Two dogs without boxes, as ada and bob say; the second was judged by cleo and bob."""
    made = project_of(phrases("animals: a dog"), phrases("animals: a dog", name="2"))
    ada, bob, cleo = (worker(made, name) for name in ("ada", "bob", "cleo"))
    answer(made, ada, ASK, 3)
    answer(made, cleo, ASK, 3, 3)
    answer(made, bob, ASK, 3)
    return made


def distrust(project: Project, name: str) -> Worker:
    found = Worker.objects.get(name=name)
    task = ASK.value
    change_trust(worker_id=found.id, project_id=project.id, task=task, event=TrustEvent.BAR, because="by hand")
    return found


def test_nothing_is_touched_while_the_worker_is_trusted(project: Project) -> None:
    ada = Worker.objects.get(name="ada")
    assert distrusted_tasks(ada, project.id) == []
    assert not reconsider(ada, project.id, actor="rita", reason="trust lost")


@pytest.mark.both_engines
def test_the_chains_that_the_worker_decided_go_to_review_with_the_reason(project: Project) -> None:
    ada = distrust(project, "ada")
    decided = decided_chains(ada, project.id, [ASK])
    assert sum(map(len, decided.values())) == 1
    assert reconsider(ada, project.id, actor="rita", reason="trust lost") == {"sent": 1}
    assert Chain.objects.get(image__in=decided).state == "review"
    assert Entry.objects.get(kind="expert").reason == "trust lost"
    assert reconsider(ada, project.id, actor="rita", reason="trust lost") == {"left": 1}
    assert list(replay(project)) == []


def test_others_are_asked_and_not_those_who_voted(project: Project) -> None:
    cleo = distrust(project, "cleo")
    done = reconsider(cleo, project.id, actor="rita", reason="trust lost", ask_others=True)
    assert done == {"asked": 2}
    asked = Question.objects.filter(state="open")
    assert asked.count() == 2
    assert all(cleo.id in question.barred for question in asked)
    assert list(replay(project)) == []
