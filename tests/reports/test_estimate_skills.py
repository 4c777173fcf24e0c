"""Skills: how often each worker is right, estimated from everybody's answers and kept."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Box, Image
from pipeline.rules.tasks.task import Task
from reports.estimate_skills import estimate_skills, projects_with_new_answers
from reports.jobs import look_at_workers_job
from tests.support.answers import make_answers, make_known, make_question
from tests.support.rows import NOW, make_project, make_worker
from workers.models import SkillEstimate, TrustStatus, Worker
from workers.skills import checked_answers

pytestmark = pytest.mark.django_db
LINK, DRAWING, REQUIREMENT = Task.COREFERENCE_LINK, Task.BOX_DRAWING, Task.BOX_REQUIREMENT


def answer_known(worker: Worker, image: Image, *, right: int, of: int, **assignment: Any) -> None:
    known = [make_known(image, LINK, "same") for _ in range(of)]
    answers = [(one, "same" if place < right else "different") for place, one in enumerate(known)]
    make_answers(worker, answers, **assignment)


def test_known_answers_alone_give_the_share_that_was_right(image: Image) -> None:
    worker = make_worker()
    answer_known(worker, image, right=24, of=30)
    assert estimate_skills(project_id=image.project_id, now=NOW) == 1
    skill = SkillEstimate.objects.get()
    assert skill.accuracy == pytest.approx(0.8)
    assert 0.62 < skill.low < 0.64 and 0.90 < skill.high < 0.92
    assert (skill.answers, skill.known_answers, skill.computed_at) == (30, 30, NOW)


def test_who_agrees_with_good_workers_is_good_without_any_known_answer(image: Image) -> None:
    good, other, bad = make_worker(), make_worker(), make_worker()
    questions = [make_question(image, LINK) for _ in range(40)]
    for number, question in enumerate(questions):
        truth = ("same", "different")[number % 2]
        for worker in (good, other):
            make_answers(worker, [(question, truth)])
        make_answers(bad, [(question, "same")])
    estimate_skills(project_id=image.project_id)
    skills = checked_answers(image.project_id, LINK.value, [good.id, bad.id])
    assert skills[good.id].accuracy > 0.95 > 0.6 > skills[bad.id].accuracy
    assert not SkillEstimate.objects.exclude(known_answers=0).exists()


def test_an_answer_that_nobody_can_check_tells_nothing(image: Image) -> None:
    worker = make_worker()
    make_answers(worker, [(make_question(image, REQUIREMENT), 3)])
    estimate_skills(project_id=image.project_id)
    skill = SkillEstimate.objects.get()
    assert (skill.low, skill.high, skill.answers) == (0.0, 1.0, 0)


def test_drawing_counts_verification_questions_and_the_boxes_that_were_judged(image: Image) -> None:
    worker = make_worker()
    known = [make_known(image, DRAWING, [[0, 0, 50, 50]]) for _ in range(6)]
    make_answers(worker, [(one, {"box": [0, 0, 50, 50 if place < 5 else 10]}) for place, one in enumerate(known)])
    make_answers(worker, [(make_question(image, DRAWING), {"box": [0, 0, 9, 9]})])
    edges = {"image": image, "chain": 0, "x0": 0, "y0": 0, "x1": 9, "y1": 9, "drawn_by_id": worker.id}
    for number, (state, judged) in enumerate((("accepted", NOW), ("discarded", NOW), ("pending", None)), start=1):
        Box.objects.create(number=number, state=state, judged_at=judged, **edges)
    estimate_skills(project_id=image.project_id)
    skill = SkillEstimate.objects.get()
    assert (skill.accuracy, skill.answers, skill.known_answers) == (pytest.approx(6 / 8), 8, 6)


def test_the_answers_of_a_qualification_test_are_left_out(image: Image) -> None:
    answer_known(make_worker(), image, right=3, of=10, kind="test")
    assert estimate_skills(project_id=image.project_id) == 0


def test_only_the_newest_judgments_are_looked_at(image: Image) -> None:
    worker = make_worker()
    answer_known(worker, image, right=0, of=20)
    answer_known(worker, image, right=20, of=20)
    estimate_skills(project_id=image.project_id, newest=20)
    assert SkillEstimate.objects.get().accuracy == pytest.approx(1.0)


def test_a_new_estimate_takes_the_place_of_the_old_one(image: Image) -> None:
    worker = make_worker()
    for right in (5, 10):
        answer_known(worker, image, right=right, of=10)
        estimate_skills(project_id=image.project_id)
    assert SkillEstimate.objects.get().accuracy == pytest.approx(0.75)
    assert not TrustStatus.objects.exists()


def test_the_skills_of_a_task_are_one_statement(image: Image) -> None:
    workers = [make_worker(), make_worker(), make_worker()]
    for worker, right in zip(workers, (20, 30, 30), strict=True):
        answer_known(worker, image, right=right, of=30)
    estimate_skills(project_id=image.project_id)
    wanted = [workers[0].id, workers[1].id]
    with CaptureQueriesContext(connection) as statements:
        skills = checked_answers(image.project_id, LINK.value, wanted)
    assert len(statements) == 1
    assert [round(skills[number].accuracy, 2) for number in wanted] == [0.67, 1.0] and len(skills) == 2
    assert checked_answers(image.project_id, DRAWING.value, wanted) == {} == checked_answers(0, LINK.value, wanted)


@pytest.mark.both_engines
def test_the_job_looks_only_where_somebody_has_answered_since_the_last_time(image: Image) -> None:
    quiet = make_project("quiet")
    answer_known(make_worker(), image, right=30, of=30)
    assert projects_with_new_answers() == [image.project_id] and quiet.id not in projects_with_new_answers()
    look_at_workers_job()
    assert SkillEstimate.objects.count() == 1
    assert projects_with_new_answers() == []
    since = SkillEstimate.objects.get().computed_at
    answer_known(make_worker(), image, right=1, of=2, ended_at=since + timedelta(seconds=1))
    assert projects_with_new_answers() == [image.project_id]


@pytest.mark.both_engines
def test_the_command_prints_each_worker_with_the_interval(image: Image, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("skills", "parks")
    assert "No worker has answered yet" in capsys.readouterr().out
    answer_known(make_worker(name="ada"), image, right=24, of=30)
    call_command("skills", "parks")
    assert "coreference link: ada 80% (63% to 90%), 30 checked answers" in capsys.readouterr().out


def test_a_pair_that_was_asked_in_two_questions_is_one_item(image: Image) -> None:
    ada, bob = make_worker(), make_worker()
    for number in range(20):
        first, second = make_question(image, LINK), make_question(image, LINK)
        second.subject = first.subject
        second.save()
        make_answers(ada, [(first, "same")])
        make_answers(bob, [(second, ("same", "different")[number % 2])])
    estimate_skills(project_id=image.project_id)
    assert set(SkillEstimate.objects.values_list("answers", flat=True)) == {20}
