"""Figures on how a worker does in a task: scores, skill, judgments and pay."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Box, Image
from pipeline.rules.tasks.task import Task
from reports.estimate_skills import estimate_skills
from reports.worker_figures import Figures, worker_figures
from tests.support.answers import make_answers, make_known, make_question
from tests.support.rows import NOW, make_worker
from workers.models import TrustStatus, Worker
from workers.rules.score import below

pytestmark = pytest.mark.django_db
TASK = Task.BOX_QUALITY


def stand(worker: Worker, image: Image, task: Task = TASK, **values: Any) -> TrustStatus:
    place = {"worker": worker, "project_id": image.project_id, "task": task.value, "state": "trusted"}
    return TrustStatus.objects.create(**{**place, **values})


def answer_known(worker: Worker, image: Image, *, right: int, of: int, **assignment: Any) -> None:
    known = [make_known(image, TASK, "good") for _ in range(of)]
    answers = [(one, "good" if place < right else "bad") for place, one in enumerate(known)]
    make_answers(worker, answers, **assignment)


def figures(row: TrustStatus) -> Figures:
    return worker_figures([row])[0]


def test_scores_count_answers_to_known_questions_and_judgments_count_all(image: Image) -> None:
    ada = make_worker(name="ada")
    row = stand(ada, image)
    answer_known(ada, image, right=30, of=40)
    make_answers(ada, [(make_question(image, TASK), "good")])
    estimate_skills(project_id=image.project_id)
    found = figures(row)
    assert (found.scores.overall.right, found.scores.overall.total, found.judgments) == (30, 40, 41)
    assert (found.scores.recent.right, found.scores.recent.total) == (20, 30)
    assert found.skill and (round(found.skill.accuracy, 2), round(found.skill.low, 2)) == (0.75, 0.60)


def test_a_score_below_the_minimum_by_more_than_chance_is_below(image: Image) -> None:
    ada, bob = make_worker(), make_worker()
    answer_known(ada, image, right=14, of=30)
    of_ada, of_bob = figures(stand(ada, image)), figures(stand(bob, image))
    assert below(of_ada.scores.overall, of_ada.rules.minimum, of_ada.rules.rule)
    assert not below(of_bob.scores.overall, of_bob.rules.minimum, of_bob.rules.rule)


def test_answers_from_before_the_score_began_count_no_more(image: Image) -> None:
    ada = make_worker()
    answer_known(ada, image, right=0, of=20, ended_at=NOW)
    answer_known(ada, image, right=10, of=10, ended_at=NOW + timedelta(days=1))
    score = figures(stand(ada, image, score_since=NOW + timedelta(hours=1))).scores.overall
    assert (score.right, score.total) == (10, 10)


def test_judged_boxes_count_in_the_score_of_drawing(image: Image) -> None:
    ada = make_worker()
    edges = {"image": image, "chain": 0, "x0": 0, "y0": 0, "x1": 9, "y1": 9, "drawn_by_id": ada.id, "judged_at": NOW}
    for number, state in enumerate(["accepted"] * 3 + ["discarded"], start=1):
        Box.objects.create(number=number, state=state, **edges)
    score = figures(stand(ada, image, Task.BOX_DRAWING)).scores.overall
    assert (score.right, score.total) == (3, 4)


def test_pay_by_the_hour_counts_the_time_of_the_assignments(image: Image) -> None:
    ada = make_worker()
    answer_known(ada, image, right=2, of=2, earned_cents=15, ended_at=NOW + timedelta(minutes=1))
    pay = figures(stand(ada, image)).pay
    assert pay and pay.by_hour == 900


def test_many_workers_take_as_many_statements_as_one(image: Image) -> None:
    rows, statements = [], []
    for more in (1, 9):
        for _ in range(more):
            worker = make_worker()
            rows.append(stand(worker, image))
            answer_known(worker, image, right=1, of=2)
        with CaptureQueriesContext(connection) as asked:
            worker_figures(rows)
        statements.append(len(asked))
    assert statements[0] == statements[1]
