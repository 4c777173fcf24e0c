"""One caption of a picture for each worker, whatever becomes of it."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from annotation.rules.states import Survey
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_assignment, lease_questions
from pipeline.asking.receipt import Given, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NotTrustedError
from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.project.open_questions import open_for
from pipeline.project.settings_versions import open_project
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.starve_questions import starve_questions, starved_questions
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import QuestionState
from pipeline.stock.known_questions import unseen_count
from tests.support.projects import lease, worker
from tests.support.surveys import ATOM, CHECK, atom, foil, pictures_with_two_captions, survey
from upkeep import clock
from workers.models import TrustStatus, Worker

pytestmark = pytest.mark.django_db
ANSWER = Given({"verdict": "correct"})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """One picture with both versions of one caption."""
    return survey(tmp_path, [foil(0)])


@pytest.fixture
def ada(project: Project) -> Worker:
    return worker(project, "ada", CHECK)


def next_of(project: Project, who: Worker) -> list[int]:
    """Return the questions of the worker's next assignment."""
    found = lease_assignment(project_id=project.pk, worker_id=who.pk, task=CHECK)
    return found.questions if found else []


def submit(assignment: Assignment, *replies: Given | Skipped | None) -> None:
    submit_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id, answers=replies)


def test_an_assignment_holds_one_version_of_a_pair(project: Project, ada: Worker) -> None:
    assert len(lease(project, ada, CHECK).questions) == 1


def test_whoever_answered_one_version_is_not_asked_the_other(project: Project, ada: Worker) -> None:
    submit(lease(project, ada, CHECK), ANSWER)
    assert next_of(project, ada) == []
    assert not open_for(project.pk, CHECK, ada.pk).exists()
    fold_judgments(project_id=project.pk)
    assert next_of(project, ada) == []
    assert len(next_of(project, worker(project, "bob", CHECK))) == 1


def test_whoever_skipped_one_version_is_not_asked_the_other(project: Project, ada: Worker) -> None:
    submit(lease(project, ada, CHECK), Skipped("unclear"))
    assert next_of(project, ada) == []


def test_whoever_left_one_version_out_is_asked_the_same_again(project: Project, ada: Worker) -> None:
    first = lease(project, ada, CHECK)
    submit(first, None)
    assert next_of(project, ada) == first.questions


def test_a_returned_caption_may_come_again_and_its_other_version_never(project: Project, ada: Worker) -> None:
    first = lease(project, ada, CHECK)
    return_assignment(assignment_id=first.id, worker_id=ada.pk)
    assert next_of(project, ada) == first.questions


def test_while_others_have_a_returned_caption_its_other_version_is_not_asked(project: Project, ada: Worker) -> None:
    first = lease(project, ada, CHECK)
    return_assignment(assignment_id=first.id, worker_id=ada.pk)
    assert lease(project, worker(project, "bob", CHECK), CHECK).questions == first.questions
    assert next_of(project, ada) == []


@pytest.mark.both_engines
def test_after_its_time_ran_out_only_the_same_caption_is_answered_late(project: Project, ada: Worker) -> None:
    first = lease(project, ada, CHECK)
    later = clock.now() + timedelta(days=3)
    expire_assignments(now=later)
    again = lease_assignment(project_id=project.pk, worker_id=ada.pk, task=CHECK, now=later)
    assert again and again.id != first.id and again.questions == first.questions
    submit(first, ANSWER)
    assert Judgment.objects.filter(worker=ada).count() == 0  # the newer assignment holds the question
    submit(again, ANSWER)
    assert Judgment.objects.filter(worker=ada).count() == 1


@pytest.mark.both_engines
def test_a_batch_leased_ahead_has_no_other_version(tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    ada = worker(project, "ada", CHECK)
    of: dict[str, Any] = {"project_id": project.pk, "worker_id": ada.pk, "task": CHECK, "size": 1}
    current = lease_questions(**of)
    assert current
    ahead = lease_questions(**of, ahead_of=current.assignment.token)
    assert ahead and ahead.questions[0].image_id != current.questions[0].image_id
    assert pictures_with_two_captions(project) == []


def test_atoms_of_one_picture_are_asked_together(tmp_path: Path) -> None:
    project = survey(tmp_path, [atom("dog"), atom("hat")], ATOM)
    assert len(lease(project, worker(project, "ada", ATOM), ATOM).questions) == 2


def checked(tmp_path: Path, known: int, asked: int, **settings: float) -> Project:
    """Make a survey with verification questions on the pictures of the real ones."""
    protocol = ProtocolSettings(test_questions=0, probation=2, probation_most=2, **settings)  # type: ignore[arg-type]
    open_project(name="survey", survey=Survey.CAPTION_CHECK, settings=protocol)
    lines = [foil(number, image=f"{number % max(known, asked)}.jpg") for number in range(known + asked)]
    return survey(tmp_path, lines, known=known)


def test_a_picture_met_as_a_verification_question_is_not_asked_about(tmp_path: Path) -> None:
    project = checked(tmp_path, known=4, asked=8, trusted_rate=1.0)
    ada = worker(project, "ada", CHECK)
    first = lease(project, ada, CHECK, size=4)
    assert len(first.known) == 4
    submit(first, ANSWER, ANSWER, ANSWER, ANSWER)
    met = set(KnownQuestion.objects.filter(id__in=first.known.values()).values_list("image", flat=True))
    second = lease(project, ada, CHECK)
    assert met.isdisjoint(Question.objects.filter(id__in=second.questions).values_list("image", flat=True))
    assert pictures_with_two_captions(project) == []


@pytest.mark.both_engines
def test_of_two_answers_to_a_verification_question_that_came_again_the_first_counts(tmp_path: Path) -> None:
    project = checked(tmp_path, known=1, asked=3, trusted_rate=1.0)
    ada = worker(project, "ada", CHECK)
    lost = lease(project, ada, CHECK, size=1)
    [known] = lost.known.values()
    Assignment.objects.filter(id=lost.id).update(state="expired", ended_at=clock.now())
    TrustStatus.objects.filter(worker=ada).update(seen=[])
    again = lease(project, ada, CHECK, size=1, now=clock.now() + timedelta(days=2))
    assert list(again.known.values()) == [known]
    submit(lost, ANSWER)
    submit(again, Given({"verdict": "wrong", "word": 1}))
    assert [row.answer for row in Judgment.objects.filter(known=known)] == [ANSWER.answer]


def test_where_verification_questions_have_the_last_pictures_real_ones_come_first(tmp_path: Path) -> None:
    project = checked(tmp_path, known=4, asked=4, trusted_rate=1.0)
    assert len(lease(project, worker(project, "ada", CHECK), CHECK, size=4).questions) == 4


def test_a_verification_question_of_a_picture_met_in_work_is_not_asked(tmp_path: Path) -> None:
    project = checked(tmp_path, known=3, asked=3, trusted_rate=0.0)
    ada = worker(project, "ada", CHECK)
    first = lease(project, ada, CHECK, size=3)
    assert len(first.questions) == 3
    status = TrustStatus.objects.get(worker=ada)
    assert unseen_count(status) == 0
    assert KnownQuestion.objects.count() == 3


@pytest.mark.both_engines
def test_a_worker_on_probation_who_has_met_every_picture_is_told_so(tmp_path: Path) -> None:
    project = checked(tmp_path, known=2, asked=2)
    bob = worker(project, "bob", CHECK)
    lease(project, bob, CHECK, size=2)
    submit(Assignment.objects.get(worker=bob), *[ANSWER] * 2)
    TrustStatus.objects.filter(worker=bob).update(state="probation", probation_since=clock.now())
    with pytest.raises(NotTrustedError):
        lease(project, bob, CHECK)


def test_a_caption_whose_picture_all_workers_have_met_is_given_up(project: Project, ada: Worker) -> None:
    assert starved_questions(project.pk) == []
    submit(lease(project, ada, CHECK), Skipped("unclear"))
    assert len(starved_questions(project.pk)) == 2
    later = clock.now() + timedelta(hours=25)
    assert starve_questions(project_id=project.pk, now=later) == 2
    assert set(Question.objects.values_list("state", "outcome")) == {(QuestionState.CLOSED.value, "starved")}


@pytest.mark.both_engines
def test_a_caption_that_one_worker_may_still_answer_waits(project: Project, ada: Worker) -> None:
    submit(lease(project, ada, CHECK), Skipped("unclear"))
    worker(project, "bob", CHECK)
    assert starved_questions(project.pk) == []
