"""A requester changes the order of the box tasks while questions are with workers: every answer counts, and replays."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Box, Chain, Project
from annotation.rules.states import ChainState
from pipeline.models import Entry, Question, Transition
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.replay import replay
from pipeline.rules.boxing.prior.box_prior import DEFAULT
from pipeline.rules.boxing.prior.worker_shift import box_shift
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker
from workers.models import SkillEstimate, Worker

pytestmark = pytest.mark.django_db

BOX_TASKS = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)
DRAW, ASK = Task.BOX_DRAWING, Task.BOX_REQUIREMENT
PHRASES = ("people: a man", "animals: some dogs", "scene: a park", "other: a thing")


def project_with(policy: BoxPolicy) -> Project:
    images = [phrases(one, name=str(number)) for number, one in enumerate(PHRASES)]
    return project_of(*images, settings=ProtocolSettings(box_policy=policy, box_sure=0.97))


def change(project: Project, policy: BoxPolicy) -> None:
    _, settings = current_settings(project.id)
    change_settings(project_id=project.id, settings=replace(settings, box_policy=policy), reason="changed while in use")


def said(question: int) -> Any:
    """Return the answer of one to whom a chain has one box, and a park none."""
    row = Question.objects.get(id=question)
    park = row.image.name == "2"
    boxes = row.shown["boxes"]
    match Task(row.task):
        case Task.BOX_REQUIREMENT:
            return 2 if park else 1
        case Task.BOX_DRAWING:
            return {"none_missing": True} if park or boxes else {"box": [10, 10, 60, 60]}
        case Task.BOX_QUALITY:
            return "good"
    return "all there"


def answer_all(project: Project, number: int) -> int:
    """Let a new worker answer one question of each task, as far as there are any."""
    who, stored = worker(project, f"worker {number}"), 0
    for task in BOX_TASKS:
        try:
            mine = lease(project, who, task, size=2)
        except AssertionError:
            continue
        stored += len(submit(mine, *(said(one) for one in mine.questions)).stored)
    tick(project_id=project.id)
    return stored


def finish(project: Project) -> None:
    for number in range(100, 150):
        if not Question.objects.filter(project=project).exclude(state="closed").exists():
            return
        answer_all(project, number)
    raise AssertionError("questions are still open")


@pytest.mark.parametrize("answers", range(3))
@pytest.mark.parametrize("old", list(BoxPolicy))
def test_questions_on_loan_count_under_the_new_policy_and_the_record_replays(old: BoxPolicy, answers: int) -> None:
    project = project_with(old)
    for number in range(answers):
        answer_all(project, number)
    task = next(task for task in BOX_TASKS if Question.objects.filter(task=task.value, state="open").exists())
    on_loan = lease(project, worker(project, "ada"), task, size=1)
    change(project, BoxPolicy.PAPER if old is BoxPolicy.BELIEF else BoxPolicy.BELIEF)
    tick(project_id=project.id)
    answer_all(project, 50)
    assert submit(on_loan, *(said(one) for one in on_loan.questions)).stored
    tick(project_id=project.id)
    assert list(replay(project)) == []
    change(project, old)
    finish(project)
    assert list(replay(project)) == []
    assert not Transition.objects.filter(project=project, reason="late judgment").exists()
    states = dict(Chain.objects.filter(image__project=project).values_list("image__name", "state"))
    assert states == dict.fromkeys("013", ChainState.COMPLETE.value) | {"2": ChainState.NON_VISUAL.value}


def test_the_box_that_is_judged_is_not_among_the_shown_ones() -> None:
    project = project_with(BoxPolicy.BELIEF)
    for number in range(6):
        answer_all(project, number)
    judged = Question.objects.filter(project=project, task=Task.BOX_QUALITY.value)
    assert all(one.shown["new_box"] not in one.shown["boxes"] for one in judged)
    assert Box.objects.filter(image__project=project).exists()


def measured(project: Project, who: Worker, task: Task, accuracy: float) -> None:
    values = {"accuracy": accuracy, "low": 0.0, "high": 1.0, "answers": 60, "known_answers": 60}
    place = {"project_id": project.pk, "task": task.value, "computed_at": timezone.now()}
    SkillEstimate.objects.create(worker=who, **place, **values)


def shifts() -> list[dict[str, Any]]:
    return list(Entry.objects.filter(kind="judgment").order_by("id").values_list("data", flat=True))


def test_a_judgment_of_a_box_task_is_in_the_record_with_the_shift_of_its_worker_on_that_task() -> None:
    project = project_with(BoxPolicy.BELIEF)
    who = worker(project, "ada")
    measured(project, who, DRAW, 0.6)
    submit(lease(project, who, DRAW, size=1), {"box": [10, 10, 60, 60]})
    submit(lease(project, who, ASK, size=1), 1)
    fold_judgments(project_id=project.id)
    shift = round(box_shift(DRAW, 0.6, 60, DEFAULT), 3)
    assert shift > 0 and shifts() == [{"shift": shift}, {}]
    SkillEstimate.objects.update(accuracy=0.9)
    assert list(replay(project)) == []


def test_the_paper_s_loop_asks_for_no_skill() -> None:
    project = project_with(BoxPolicy.PAPER)
    who = worker(project, "ada")
    measured(project, who, DRAW, 0.6)
    submit(lease(project, who, DRAW, size=1), {"box": [10, 10, 60, 60]})
    with CaptureQueriesContext(connection) as asked:
        fold_judgments(project_id=project.id)
    assert not any("skillestimate" in query["sql"] for query in asked)
    assert shifts() == [{}]
