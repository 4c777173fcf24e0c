"""Voiding unresolved judgments: they are asked again, and nothing else changes."""

import pytest

from annotation.models import Box, Image
from pipeline.models import Judgment, Question
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import Task
from pipeline.trust.void_answers import void_unresolved
from tests.support.projects import answer, box, phrases, project_of, states, worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]
ASK, DRAW, GOOD = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY


def void(project, who, task):
    return void_unresolved(worker_id=who.id, project_id=project.id, task=task, reason="trust lost", actor="requester")


def test_a_vote_that_decided_nothing_is_asked_again_of_somebody_else() -> None:
    project = project_of(*[phrases("animals: a dog", name=str(n)) for n in range(2)])
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, ASK, 3, 3)
    answer(project, bob, ASK, 3)  # decides the first of them: it is resolved
    assert void(project, ada, ASK) == 1
    assert states(project, ASK).count("open") == 1
    question = Question.objects.get(state="open", task=ASK.value)
    assert question.barred == [ada.id]
    assert void(project, ada, ASK) == 0
    assert Judgment.objects.count() == 3 and list(replay(project)) == []


def test_a_box_that_nobody_judged_yet_goes_and_is_drawn_again() -> None:
    project = project_of(phrases("people: a man", name="1"), phrases("people: a boy", name="2"))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, DRAW, box(0, 0, 50, 50), box(10, 10, 60, 60))
    answer(project, bob, GOOD, "good")
    assert void(project, ada, DRAW) == 1
    assert sorted(Box.objects.values_list("state", flat=True)) == ["accepted", "discarded"]
    assert states(project, DRAW).count("open") == 1
    assert list(replay(project)) == []


def test_other_tasks_other_workers_and_finished_images_stay_as_they_are() -> None:
    project = project_of(phrases("animals: a dog", name="1"), phrases("animals: a cat", name="2"))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, ASK, 3, 3)
    answer(project, bob, ASK, 3, 3)
    assert set(Image.objects.values_list("state", flat=True)) == {"merged"}
    assert void(project, ada, ASK) == void(project, ada, DRAW) == void(project, bob, ASK) == 0
