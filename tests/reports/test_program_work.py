"""The work of programs that judge, as it is counted for the page of models: waiting answers, speed and silence."""

from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any

import pytest

from annotation.models import Project
from pipeline.models import Question
from pipeline.project.settings_versions import change_settings
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from reports.program_work import PAUSE, Turn, answers_an_hour, program_work
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from upkeep import clock
from workers.models import Worker

AT = datetime.fromisoformat("2026-01-05T12:00:00+00:00")
HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
REQUIRED = Task.BOX_REQUIREMENT


def at(moment: datetime) -> AbstractContextManager[None]:
    """Let the block happen at this moment, or some milliseconds later."""
    return clock.moved(moment - clock.now())


def turn(after: timedelta, took: timedelta, answers: int = 10) -> Turn:
    return Turn(AT + after, AT + after + took, answers, "box_quality")


def test_answers_an_hour_leave_out_pauses_and_count_overlapping_turns_once() -> None:
    assert answers_an_hour([turn(0 * HOUR, 30 * MINUTE)]) == 20
    assert answers_an_hour([turn(0 * HOUR, 30 * MINUTE), turn(30 * MINUTE + PAUSE, 20 * MINUTE)]) == 20
    assert answers_an_hour([turn(0 * HOUR, 30 * MINUTE), turn(9 * HOUR, 30 * MINUTE)]) == 20
    assert answers_an_hour([turn(0 * HOUR, HOUR), turn(10 * MINUTE, 20 * MINUTE)]) == 20
    assert answers_an_hour([turn(0 * HOUR, 0 * HOUR)]) is None


@pytest.fixture
def project(db: None) -> Project:
    with at(AT):
        return project_of(phrases("scene: a park"), phrases("scene: a sea", name="2"), phrases("scene: ice", name="3"))


@pytest.fixture
def qwen(project: Project) -> Worker:
    made = worker(project, "qwen", kind=Worker.Kind.PROGRAM)
    set_to_work(project, AT, made.pk)
    return made


def set_to_work(project: Project, moment: datetime, *jurors: int) -> None:
    with at(moment):
        settings = ProtocolSettings(box_policy=BoxPolicy.BELIEF, jurors=jurors, batch=FEW)
        change_settings(project_id=project.pk, settings=settings)


FEW = {**ProtocolSettings().batch, REQUIRED.value: 1}


def work_of(project: Project, program: Worker, now: datetime) -> dict[str, Any]:
    with at(now):
        found: dict[str, Any] = program_work(project.pk)[str(program.pk)]
    return found


def test_a_project_without_programs_takes_one_statement(project: Project, django_assert_num_queries: Any) -> None:
    answer(project, worker(project, "ada"), REQUIRED, 1)
    with django_assert_num_queries(1):
        assert program_work(project.pk) == {}


def test_answers_wait_until_they_are_in_the_record_and_are_then_of_the_lot_of_a_new_program(
    project: Project, qwen: Worker
) -> None:
    held = lease(project, qwen, REQUIRED, now=AT)
    submit(held, 2, now=AT + 3 * SECOND)
    assert work_of(project, qwen, AT + MINUTE)["tasks"] == [["box_requirement", 1, 0, 0, 0, 1, 0, 0]]
    answer(project, worker(project, "ada"), REQUIRED, 1)
    found = work_of(project, qwen, AT + MINUTE)
    assert found["tasks"] == [["box_requirement", 1, 0, 1, 0, 0, 0, 0]] and found["whole"]
    assert (found["saved"], found["median"], found["an_hour"]) == ({}, 3.0, 1200.0)


def silences(project: Project, qwen: Worker, now: datetime) -> list[tuple[int, int]]:
    """Return the silences until now in whole hours since the beginning."""
    found = work_of(project, qwen, now)["silences"]
    since = [[round((datetime.fromisoformat(one) - AT) / HOUR) for one in each] for each in found]
    return [(begin, end) for begin, end in since]


def test_a_program_is_silent_while_it_is_set_to_work_asks_for_nothing_and_could_answer(
    project: Project, qwen: Worker
) -> None:
    submit(lease(project, qwen, REQUIRED, now=AT), 2, now=AT + SECOND)
    assert silences(project, qwen, AT + HOUR) == []
    assert silences(project, qwen, AT + 3 * HOUR) == [(0, 3)]
    set_to_work(project, AT + 2 * HOUR)
    assert silences(project, qwen, AT + 3 * HOUR) == [(0, 2)]


def test_a_program_that_has_answered_everything_is_not_silent(project: Project, qwen: Worker) -> None:
    for _ in range(3):
        submit(lease(project, qwen, REQUIRED, now=AT), 2, now=AT + SECOND)
    tick(project_id=project.pk, now=AT + SECOND)
    assert Question.objects.filter(project=project, state="open").count() == 3, "people are asked the same"
    assert silences(project, qwen, AT + 5 * HOUR) == []


def test_a_silence_ends_with_the_next_request_and_is_told_if_the_program_answered_then(
    project: Project, qwen: Worker
) -> None:
    for hours in (0, 4, 4):
        submit(lease(project, qwen, REQUIRED, now=AT + hours * HOUR), 2, now=AT + hours * HOUR + SECOND)
    assert silences(project, qwen, AT + 9 * HOUR) == [(0, 4)]
