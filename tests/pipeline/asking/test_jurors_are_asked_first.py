"""Programs that judge get questions before people, as many as they want, without tests and without pay."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from annotation.models import Project
from exchange.import_image import import_image
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.lease_assignment import JUROR_SECONDS, lease_questions
from pipeline.asking.receipt import Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NotForProgramsError, NotSetToWorkError
from pipeline.models import Assignment, Entry, Progress, Question
from pipeline.project.jurors_at_work import AT_WORK_SECONDS
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker
from upkeep import clock
from workers.models import Access, Worker

pytestmark = [pytest.mark.django_db, pytest.mark.both_engines]
ASK, DRAW, LINK = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.COREFERENCE_LINK
PAID = {task.value: 40 for task in Task}


@pytest.fixture
def project() -> Project:
    return project_of(settings=ProtocolSettings(box_policy=BoxPolicy.BELIEF, reward_cents=PAID))


@pytest.fixture
def juror(project: Project) -> Worker:
    """A program at work on twelve parks, each in an image of its own. It goes on asking for an hour."""
    made = worker(project, "judge", kind=Worker.Kind.PROGRAM)
    settings = ProtocolSettings(box_policy=BoxPolicy.BELIEF, reward_cents=PAID, jurors=(made.pk,))
    version = change_settings(project_id=project.pk, settings=settings)
    asks(made, at=clock.now() + timedelta(hours=1))
    for position in range(12):
        image = phrases("scene: a park", name=str(position))
        import_image(project, position, image, picture=f"{position}.jpg", gold=False, settings_version=version)
    tick(project_id=project.pk)
    return made


def asks(juror: Worker, at: datetime | None) -> None:
    Access.objects.filter(worker=juror).update(asked_at=at)


def asked(project: Project, who: Worker, task: Task = ASK, *, later: float = 0.0, count: int | None = None) -> int:
    """Return how many questions an assignment has, some seconds after the last question was opened."""
    opened = Question.objects.filter(project=project).latest("opened_at").opened_at
    now = opened + timedelta(seconds=later)
    found = lease_questions(project_id=project.pk, worker_id=who.pk, task=task, count=count, now=now)
    return found.assignment.size if found else 0


def test_a_juror_gets_as_many_as_it_wants_unpaid_and_no_drawing(project: Project, juror: Worker) -> None:
    with pytest.raises(NotForProgramsError):
        asked(project, juror, DRAW)
    assert asked(project, juror, count=12) == 12
    assert Assignment.objects.get().reward_cents == 0


def test_the_assignment_after_the_present_one_has_as_many_too(project: Project, juror: Worker) -> None:
    first = lease(project, juror, ASK, size=2)
    after = lease_questions(project_id=project.pk, worker_id=juror.pk, task=ASK, count=7, ahead_of=first.token)
    assert after and after.assignment.size == 7


def test_a_program_that_was_not_set_to_work_is_told_so(project: Project, juror: Worker) -> None:
    other = worker(project, "other", kind=Worker.Kind.PROGRAM)
    with pytest.raises(NotSetToWorkError, match="Let it judge"):
        asked(project, other)


def test_nobody_waits_for_a_juror_that_has_not_asked_for_long(project: Project, juror: Worker) -> None:
    asks(juror, at=clock.now() - timedelta(seconds=2 * AT_WORK_SECONDS))
    assert asked(project, worker(project, "ada")) == 10


def test_nobody_waits_for_a_juror_that_asks_for_other_tasks_alone(project: Project, juror: Worker) -> None:
    Access.objects.filter(worker=juror, task=ASK.value).update(asked_at=None)
    assert asked(project, worker(project, "ada")) == 10


def test_nothing_is_asked_for_the_sake_of_a_juror_that_is_not_at_work(project: Project, juror: Worker) -> None:
    asks(juror, at=None)
    dog = phrases("animals: a dog", name="dog")
    import_image(project, 12, dog, picture="dog.jpg", gold=False, settings_version=2)
    tick(project_id=project.pk)
    opened = Question.objects.get(image__name="dog")
    assert (opened.task, Entry.objects.get(image__name="dog", kind="start").data["asleep"]) == (DRAW, [juror.pk])
    assert list(replay(project)) == []


def test_an_answer_that_waits_when_its_program_is_set_aside_changes_nothing(project: Project, juror: Worker) -> None:
    given = lease(project, juror, ASK, size=3)
    submit(given, 3, 3, 3)
    change_settings(project_id=project.pk, settings=replace(current_settings(project.pk)[1], jurors=()))
    tick(project_id=project.pk)
    entry = Entry.objects.filter(judgment__worker=juror).first()
    assert entry and entry.data["program"] is True
    assert {one.state for one in Question.objects.filter(pk__in=given.questions)} == {"open"}
    progress = from_json(Progress.objects.get(image=entry.image_id).state)
    assert all(not chain.heard for chain in progress.chains.values())
    assert list(replay(project)) == []


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


def test_links_that_are_asked_adaptively_go_to_jurors_first_and_the_record_replays() -> None:
    adaptive = ProtocolSettings(strategy=Strategy.ADAPTIVE, reask_share=0.0)
    project = project_of(phrases("people: a man", "people: a tall guy"), settings=adaptive)
    juror, ada = worker(project, "judge", kind=Worker.Kind.PROGRAM), worker(project, "ada")
    with pytest.raises(NotSetToWorkError):
        asked(project, juror, LINK)
    change_settings(project_id=project.pk, settings=replace(adaptive, jurors=(juror.pk,)))
    assert asked(project, ada, LINK) == 1, "nobody waits for a juror that never asked"
    return_assignment(assignment_id=Assignment.objects.get().pk, worker_id=ada.pk)
    given = lease(project, juror, LINK)
    submit(given, "same")
    tick(project_id=project.pk)
    progress = from_json(Progress.objects.get().state)
    assert [vote.worker for vote in progress.juror_votes[0, 1]] == [juror.pk] and not progress.votes
    assert asked(project, ada, LINK) == 1, "nobody knows the juror yet, so people answer as well"
    assert list(replay(project)) == []


def test_under_the_papers_loop_nobody_waits_for_a_program(project: Project, juror: Worker) -> None:
    settings = replace(current_settings(project.pk)[1], box_policy=BoxPolicy.PAPER)
    change_settings(project_id=project.pk, settings=settings)
    assert asked(project, worker(project, "ada")) == 10
