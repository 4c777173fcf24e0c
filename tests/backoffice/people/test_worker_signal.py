"""The admin of what is found out about workers: signals and skills are read."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Image
from pipeline.rules.tasks.task import Task
from reports.estimate_skills import estimate_skills
from reports.find_signals import find_signals
from tests.support.answers import make_answers, make_known, make_question
from tests.support.rows import make_image, make_project, make_worker
from workers.models import WorkerSignal
from workers.rules.signals.signal import SignalKind

pytestmark = pytest.mark.django_db
LIST = "admin:workers_workersignal_changelist"


@pytest.fixture
def image() -> Image:
    return make_image(make_project())


@pytest.fixture
def signal(image: Image) -> WorkerSignal:
    """Of ada, who was far too fast."""
    make_answers(make_worker(name="ada"), [(make_question(image, Task.BOX_REQUIREMENT), 3) for _ in range(40)], 0.25)
    find_signals(project_id=image.project_id)
    return WorkerSignal.objects.get()


def page(signal: WorkerSignal) -> str:
    return reverse("admin:workers_workersignal_change", args=[signal.pk])


def test_the_list_says_who_what_and_how_rare(admin_client: Client, signal: WorkerSignal) -> None:
    said = admin_client.get(reverse(LIST)).text
    for words in (">ada</a>", "far too fast, box requirement", "40 answers took 0.2 s", "1,000,000 honest workers"):
        assert words in said


@pytest.mark.parametrize(
    ("narrowed", "there"),
    [
        ({"kind": SignalKind.FAR_TOO_FAST.value}, 1),
        ({"kind": SignalKind.TWO_ACCOUNTS.value}, 0),
        ({"task": "box_drawing"}, 0),
    ],
    ids=str,
)
def test_the_list_is_narrowed(admin_client: Client, signal: WorkerSignal, narrowed: dict[str, str], there: int) -> None:
    assert len(admin_client.get(reverse(LIST), narrowed).context["cl"].result_list) == there


def test_a_signal_links_to_the_judgments_that_show_it(admin_client: Client, signal: WorkerSignal) -> None:
    said = admin_client.get(page(signal)).text
    newest = signal.evidence["judgments"][-1]
    assert reverse("admin:pipeline_judgment_change", args=[newest]) in said
    assert "40 in all" in said and "no box can be drawn, 0.2 s" in said


def test_the_list_takes_as_many_statements_for_many_signals_as_for_one(
    admin_client: Client, signal: WorkerSignal
) -> None:
    with CaptureQueriesContext(connection) as for_one:
        admin_client.get(reverse(LIST))
    for _ in range(20):
        signal.pk, signal.workers = None, [make_worker().pk, make_worker().pk]
        signal.save()
    with CaptureQueriesContext(connection) as for_many:
        assert admin_client.get(reverse(LIST)).text.count("far too fast, box requirement") >= 21
    assert len(for_many) == len(for_one)


def test_skills_are_listed_with_their_interval_and_never_edited(admin_client: Client, image: Image) -> None:
    known = [make_known(image, Task.BOX_COVERAGE, "all there") for _ in range(30)]
    answers = [(one, "all there" if place < 24 else "more needed") for place, one in enumerate(known)]
    make_answers(make_worker(name="ada"), answers)
    estimate_skills(project_id=image.project_id)
    said = admin_client.get(reverse("admin:workers_skillestimate_changelist")).text
    assert ">ada</a>" in said and ">80%<" in said and "63% to 90%" in said
    assert admin_client.get(reverse("admin:workers_skillestimate_add")).status_code == 403
