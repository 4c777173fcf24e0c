"""The admin's list of workers by task, with everything that tells how they do."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Box, Image
from pipeline.rules.tasks.task import Task
from reports.estimate_skills import estimate_skills
from reports.find_signals import find_signals
from tests.support.answers import make_answers, make_known, make_question
from tests.support.rows import NOW, make_image, make_project, make_worker
from workers.grant_access import grant_access
from workers.models import TrustStatus, Worker

pytestmark = pytest.mark.django_db
LIST = "admin:workers_truststatus_changelist"
TASK = Task.BOX_QUALITY
PAGE = 30
"""Lines of a page: each line reads the figures of one worker."""


@pytest.fixture
def image() -> Image:
    return make_image(make_project())


def stand(worker: Worker, image: Image, task: Task = TASK, **values: Any) -> TrustStatus:
    place = {"worker": worker, "project_id": image.project_id, "task": task.value, "state": "trusted"}
    return TrustStatus.objects.create(**{**place, **values})


def answer_known(worker: Worker, image: Image, *, right: int, of: int, **assignment: Any) -> None:
    known = [make_known(image, TASK, "good") for _ in range(of)]
    answers = [(one, "good" if place < right else "bad") for place, one in enumerate(known)]
    make_answers(worker, answers, **assignment)


def shown(client: Client, **filters: Any) -> str:
    """The list as text; the row's cells in the order of the columns."""
    return client.get(reverse(LIST), filters).text


def test_a_line_says_standing_scores_minimum_skill_and_judgments(admin_client: Client, image: Image) -> None:
    ada = make_worker(name="ada")
    stand(ada, image)
    answer_known(ada, image, right=30, of=40)
    make_answers(ada, [(make_question(image, TASK), "good")])
    estimate_skills(project_id=image.project_id)
    said = shown(admin_client)
    for words in (">ada</a>", "box quality", "trusted", "75% of 40", "59% to 87%", "78%", "60% to 86%"):
        assert words in said
    assert "67% of 30" in said, "the last 30 have 20 right"
    assert '">41</' in said.replace(" ", "").replace("\n", "")


def test_a_score_below_the_minimum_is_said_to_be(admin_client: Client, image: Image) -> None:
    ada, bob = make_worker(name="ada"), make_worker(name="bob")
    stand(ada, image)
    stand(bob, image)
    answer_known(ada, image, right=14, of=30)
    assert "below" in shown(admin_client, q="ada")
    assert "below" not in shown(admin_client, q="bob")


def test_answers_from_before_the_score_began_count_no_more(admin_client: Client, image: Image) -> None:
    ada = make_worker()
    answer_known(ada, image, right=0, of=20, ended_at=NOW)
    answer_known(ada, image, right=10, of=10, ended_at=NOW + timedelta(days=1))
    stand(ada, image, score_since=NOW + timedelta(hours=1))
    said = shown(admin_client)
    assert "100% of 10" in said and "of 30" not in said


def test_judged_boxes_count_in_the_score_of_drawing(admin_client: Client, image: Image) -> None:
    ada = make_worker()
    stand(ada, image, Task.BOX_DRAWING)
    edges = {"image": image, "chain": 0, "x0": 0, "y0": 0, "x1": 9, "y1": 9, "drawn_by_id": ada.id, "judged_at": NOW}
    for number, state in enumerate(["accepted"] * 3 + ["discarded"], start=1):
        Box.objects.create(number=number, state=state, **edges)
    assert "75% of 4" in shown(admin_client)


def test_open_signals_are_linked(admin_client: Client, image: Image) -> None:
    ada = make_worker(name="ada")
    stand(ada, image)
    make_answers(ada, [(make_question(image, TASK), "good") for _ in range(40)], seconds=0.2)
    find_signals(project_id=image.project_id)
    assert ">far too fast</a>" in shown(admin_client)
    trust = reverse("admin:workers_truststatus_change", args=[TrustStatus.objects.get().pk])
    assert ">far too fast</a>" in admin_client.get(trust).text


def test_lines_are_narrowed_and_sorted_by_skill(admin_client: Client, image: Image) -> None:
    names = ("ada", "bob", "cyd")
    for right, name in zip((20, 30, 25), names, strict=True):
        worker = make_worker(name=name)
        stand(worker, image, state="probation" if name == "bob" else "trusted")
        answer_known(worker, image, right=right, of=30)
    estimate_skills(project_id=image.project_id)
    by_skill = admin_client.get(reverse(LIST), {"o": "-7"}).context["cl"].result_list
    assert [row.worker.name for row in by_skill] == ["bob", "cyd", "ada"]
    trusted = admin_client.get(
        reverse(LIST), {"state": "trusted", "project__id__exact": str(image.project_id)}
    ).context["cl"]
    assert {row.worker.name for row in trusted.result_list} == {"ada", "cyd"}


def test_fifty_lines_take_as_many_statements_as_one(admin_client: Client, image: Image) -> None:
    statements = []
    for more in (1, 49):
        for _ in range(more):
            worker = make_worker()
            stand(worker, image)
            answer_known(worker, image, right=1, of=2)
        with CaptureQueriesContext(connection) as asked:
            said = shown(admin_client)
        statements.append(len(asked))
    assert said.count("50% of 2") == 2 * PAGE
    assert statements[0] == statements[1]


def test_what_they_earn_by_the_hour_is_said(admin_client: Client, image: Image) -> None:
    ada = make_worker()
    stand(ada, image)
    answer_known(ada, image, right=2, of=2, earned_cents=15, ended_at=NOW + timedelta(minutes=1))
    assert "$9.00" in shown(admin_client)
    stand(ada, make_image(make_project("other")))
    assert "choose a project" in shown(admin_client)
    assert "$9.00" in shown(admin_client, project__id__exact=image.project_id)


def test_workers_who_are_trusted_by_hand_are_listed_with_their_judgments(admin_client: Client, image: Image) -> None:
    ada, bob = make_worker(name="ada"), make_worker(name="bob")
    for worker in (ada, bob):
        grant_access(worker, image.project_id, [TASK.value], trusted=True)
    stand(bob, image)
    make_answers(ada, [(make_question(image, TASK), "good") for _ in range(7)])
    said = shown(admin_client)
    assert ">ada</a>" in said and "trusted by hand" in said
    assert '">7</' in said.replace(" ", "").replace("\n", "")
    assert said.count(">bob</a>") == 1, "access and status are one line"
    assert reverse("admin:workers_worker_change", args=[ada.pk]) in said


def test_workers_trusted_by_hand_are_narrowed_and_sorted_like_the_others(admin_client: Client, image: Image) -> None:
    names = ("ada", "bob", "cyd")
    for right, name in zip((20, 30, 25), names, strict=True):
        worker = make_worker(name=name)
        if name == "bob":
            stand(worker, image)
        else:
            grant_access(worker, image.project_id, [TASK.value], trusted=True)
        answer_known(worker, image, right=right, of=30)
    estimate_skills(project_id=image.project_id)

    def listed(**filters: Any) -> list[str]:
        return [row.worker.name for row in admin_client.get(reverse(LIST), filters).context["cl"].result_list]

    assert listed(o="-7") == ["bob", "cyd", "ada"]
    assert listed(o="7") == ["ada", "cyd", "bob"]
    assert listed(q="cyd") == ["cyd"]
    assert listed(state__exact="trusted", o="0") == ["ada", "bob", "cyd"]
    assert listed(state__exact="barred") == listed(appealed__exact="1") == listed(task="box_drawing") == []
    assert listed(project__id__exact=str(make_project("other").pk)) == []


def test_fifty_workers_trusted_by_hand_take_as_many_statements_as_one(admin_client: Client, image: Image) -> None:
    statements = []
    for more in (1, 60):
        for _ in range(more):
            grant_access(make_worker(), image.project_id, [TASK.value], trusted=True)
        with CaptureQueriesContext(connection) as asked:
            page = admin_client.get(reverse(LIST))
        statements.append(len(asked))
    assert page.text.count("trusted by hand") == PAGE
    assert page.context["cl"].result_count == 61
    assert statements[0] == statements[1]
