"""Examples, and what a worker earned: what their pages and the API say."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.models import Project
from labelling.api.payload import MOST_EXAMPLES, examples_of
from pipeline.models import Assignment, KnownQuestion, LedgerEntry
from pipeline.rules.known.known_answer import is_right
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.labelling.conftest import with_account
from tests.support.api import ApiWorker
from tests.support.being_tested import BOX, WHY, being_tested, newcomer

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return being_tested(tests=1, stock=1)


@pytest.mark.parametrize("task", PROTOCOL_TASKS)
def test_an_example_is_a_question_with_an_answer_that_is_right_and_why(project: Project, task: Task) -> None:
    found = examples_of(project, task)
    truths = KnownQuestion.objects.filter(task=task.value, purpose="example").order_by("id")
    assert [one["explanation"] for one in found] == list(WHY)
    assert all(is_right(task, row.truth, one["answer"]) for row, one in zip(truths, found, strict=True))
    assert {*found[0]} == {
        "image",
        "language",
        "captions",
        "other_captions",
        "boxes",
        "new_box",
        "survey",
        "answer",
        "explanation",
        "missing",
    }


def test_a_box_to_draw_is_the_first_of_those_that_are_missing_and_each_of_them_is_right(project: Project) -> None:
    rows = KnownQuestion.objects.filter(task="box_drawing", purpose="example")
    rows.update(truth=[BOX, [1, 1, 5, 5]])
    example = examples_of(project, Task.BOX_DRAWING)[0]
    assert example["answer"] == {"box": BOX} and example["missing"] == [BOX, [1, 1, 5, 5]]


def test_examples_are_few_and_cost_three_statements(project: Project, django_assert_num_queries: Any) -> None:
    KnownQuestion.objects.filter(task="box_quality").update(retired_at=timezone.now())
    assert examples_of(project, Task.BOX_QUALITY) == []
    KnownQuestion.objects.update(task="box_coverage", purpose="example", retired_at=None)
    with django_assert_num_queries(3):
        assert len(examples_of(project, Task.BOX_COVERAGE)) == MOST_EXAMPLES


@pytest.mark.both_engines
def test_the_api_gives_them_to_who_may_do_the_task(client: Client, project: Project) -> None:
    ada = ApiWorker(client, newcomer(project, "ada"))
    status, found = ada.call("GET", "projects/small/examples/?task=box_quality", None)
    assert status == 200 and [one["answer"] for one in found["questions"]] == ["good", "bad"]
    assert ada.call("GET", "projects/small/examples/?task=dancing", None)[0] == 400


class TestWhatIEarned:
    def test_says_what_is_owed_paid_and_refused_and_why(self, client: Client, project: Project) -> None:
        ada = newcomer(project, "ada")
        with_account(ada)
        client.force_login(ada.user)  # type: ignore[arg-type]
        assert "None yet." in client.get("/work/small/earned/").text
        now = timezone.now()
        times = {"created_at": now, "expires_at": now, "ended_at": now, "state": "submitted"}
        done = Assignment.objects.create(
            project=project, worker=ada, task="box_quality", questions=[], earned_cents=200, **times
        )
        place = {"worker": ada, "project_id": project.pk, "created_at": now}
        LedgerEntry.objects.create(
            kind="refused", cents=50, reason="one <button>", assignment_id=done.pk, actor="the boss", **place
        )
        LedgerEntry.objects.create(kind="paid", cents=100, reason="May", reference="bank-7", **place)
        text = client.get("/work/small/earned/").text
        assert "<b>$0.50</b> owed" in text and "<b>$1.00</b> paid" in text
        assert "Refused: box quality" in text and "one &lt;button&gt;" in text and "Reference bank-7" in text
        assert "the boss" not in text

    def test_is_for_the_worker_alone(self, client: Client, project: Project) -> None:
        assert client.get("/work/small/earned/").status_code == 302
        client.force_login(User.objects.create_user("eve"))
        assert client.get("/work/small/earned/").status_code == 403
