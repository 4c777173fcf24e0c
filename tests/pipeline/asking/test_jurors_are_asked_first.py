"""Programs that judge boxes get questions before people, as many as they want, without tests and without pay."""

from datetime import timedelta

import pytest

from annotation.models import Project
from exchange.import_image import import_image
from pipeline.asking.lease_assignment import JUROR_SECONDS, lease_questions
from pipeline.asking.receipt import Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, Entry, Question
from pipeline.project.settings_versions import change_settings
from pipeline.record.replay import replay
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker
from upkeep import clock
from workers.models import Worker

pytestmark = [pytest.mark.django_db, pytest.mark.both_engines]
ASK, DRAW = Task.BOX_REQUIREMENT, Task.BOX_DRAWING
PAID = {task.value: 40 for task in Task}


@pytest.fixture
def project() -> Project:
    return project_of(settings=ProtocolSettings(box_policy=BoxPolicy.BELIEF, reward_cents=PAID))


@pytest.fixture
def juror(project: Project) -> Worker:
    """A program at work on twelve parks, each in an image of its own."""
    made = worker(project, "judge", kind=Worker.Kind.PROGRAM)
    settings = ProtocolSettings(box_policy=BoxPolicy.BELIEF, reward_cents=PAID, jurors=(made.pk,))
    version = change_settings(project_id=project.pk, settings=settings)
    for position in range(12):
        image = phrases("scene: a park", name=str(position))
        import_image(project, position, image, picture=f"{position}.jpg", gold=False, settings_version=version)
    tick(project_id=project.pk)
    return made


def asked(project: Project, who: Worker, task: Task = ASK, *, later: float = 0.0, count: int | None = None) -> int:
    """Return how many questions an assignment has now, or in some seconds."""
    now = clock.now() + timedelta(seconds=later)
    found = lease_questions(project_id=project.pk, worker_id=who.pk, task=task, count=count, now=now)
    return found.assignment.size if found else 0


def test_a_juror_gets_as_many_as_it_wants_unpaid_and_no_drawing(project: Project, juror: Worker) -> None:
    assert asked(project, juror, DRAW) == 0
    assert asked(project, juror, count=12) == 12
    assert Assignment.objects.get().reward_cents == 0


def test_in_the_other_tasks_a_juror_stays_a_worker(project: Project, juror: Worker) -> None:
    image = phrases("animals: a dog", "animals: the dog", name="two")
    import_image(project, 12, image, picture="two.jpg", gold=False, settings_version=2)
    tick(project_id=project.pk)
    assert asked(project, juror, Task.COREFERENCE_LINK) == 1
    assert Assignment.objects.get().reward_cents == 4, "a tenth of a full assignment"


def test_a_person_gets_the_usual_number_whatever_count_they_ask_for(project: Project, juror: Worker) -> None:
    assert asked(project, worker(project, "ada"), later=JUROR_SECONDS + 1, count=12) == 10


def test_people_wait_for_a_juror_and_go_on_if_it_stays_silent(project: Project, juror: Worker) -> None:
    ada = worker(project, "ada")
    assert asked(project, ada) == 0
    assert asked(project, ada, later=JUROR_SECONDS + 1) == 10


def test_people_get_at_once_what_the_juror_has_answered(project: Project, juror: Worker) -> None:
    submit(lease(project, juror, ASK, size=5), *[2] * 5)
    tick(project_id=project.pk)
    left = Question.objects.filter(project=project, task=ASK.value).exclude(state="closed")
    assert {juror.pk in one.barred for one in left} == {True, False}
    assert asked(project, worker(project, "ada")) == 5


def test_people_get_at_once_what_the_juror_has_skipped(project: Project, juror: Worker) -> None:
    given = lease(project, juror, ASK, size=3)
    submit_assignment(assignment_id=given.pk, worker_id=juror.pk, answers=[Skipped("unclear")] * 3)
    tick(project_id=project.pk)
    assert asked(project, worker(project, "ada")) == 3


def test_the_lot_is_in_the_record_and_the_record_replays(project: Project, juror: Worker) -> None:
    starts = Entry.objects.filter(project=project, kind="start")
    assert all(entry.data == {"lot": entry.image_id} for entry in starts) and len(starts) == 12
    submit(lease(project, juror, ASK, size=5), *[1] * 5)
    tick(project_id=project.pk)
    assert list(replay(project)) == []
