"""Model annotators get questions before people, as many as they want, without tests and without pay."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Project
from exchange.import_image import import_image
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import MODEL_SECONDS, lease_assignment, lease_questions
from pipeline.asking.receipt import GivenAnswer, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import AssignmentEndedError, BadAnswerError, NotForProgramsError, NotSetToWorkError, NotYoursError
from pipeline.models import Assignment, Entry, Judgment, Progress, Question
from pipeline.project.queries import AT_WORK_SECONDS
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from runtime import clock
from tests.support.projects import lease, phrases, project_of, states, submit, worker
from tests.support.table import row
from tests.support.trusting import given_to, kennel
from workers.models import Access, TrustStatus, Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

ASK = Task.BOX_REQUIREMENT
DRAW, LINK = Task.BOX_DRAWING, Task.COREFERENCE_LINK
PAID = {task.value: 40 for task in Task}


def dogs(count: int):
    return [phrases("animals: a dog", name=str(number)) for number in range(count)]


def leased(count: int) -> tuple[Project, Assignment]:
    """Return a project of so many questions, and the assignment of all of them that ada has."""
    project = project_of(*dogs(count))
    return project, lease(project, worker(project, "ada"), ASK)


def test_the_answers_are_stored_with_their_worker_time_and_comment() -> None:
    project, assignment = leased(1)
    ada = assignment.worker
    (question,) = assignment.questions
    receipt = submit_assignment(
        assignment_id=assignment.id, worker_id=ada.id, answers={question: GivenAnswer(1, seconds=4.5, comment="clear")}
    )
    judgment = Judgment.objects.get()
    assert (receipt.stored, receipt.too_late, receipt.repeated) == ((question,), (), False)
    assert (judgment.question_id, judgment.worker, judgment.answer) == (question, ada, 1)
    assert (judgment.seconds, judgment.comment, judgment.assignment_id) == (4.5, "clear", assignment.id)
    assert states(project) == ["answered"] and Assignment.objects.get().state == "submitted"


def test_submitting_the_same_answers_twice_returns_the_same_receipt_and_stores_nothing() -> None:
    project, assignment = leased(2)
    first = submit(assignment, 1, 3)
    tick(project_id=project.id)
    second = submit(assignment, 1, 3)
    assert (second.stored, second.too_late, second.repeated) == (first.stored, first.too_late, True)
    assert (Judgment.objects.count(), Entry.objects.filter(kind="judgment").count()) == (2, 2)
    assert submit(assignment, 3, 1).repeated, "another answer"
    assert list(Judgment.objects.order_by("id").values_list("answer", flat=True)) == [1, 3]


def test_answers_to_questions_of_another_assignment_are_refused_and_nothing_is_stored() -> None:
    project = project_of(*dogs(2))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    mine, other = lease(project, ada, ASK, size=1), lease(project, bob, ASK, size=1)
    answers = {mine.questions[0]: GivenAnswer(1), other.questions[0]: GivenAnswer(1)}
    with pytest.raises(NotYoursError, match="another worker"):
        submit_assignment(assignment_id=mine.id, worker_id=bob.id, answers={mine.questions[0]: GivenAnswer(1)})
    with pytest.raises(BadAnswerError, match=f"{other.questions[0]}.* not of this assignment"):
        submit_assignment(assignment_id=mine.id, worker_id=ada.id, answers=answers)
    assert (Judgment.objects.count(), Assignment.objects.filter(state="active").count()) == (0, 2)
    assert states(project) == ["open", "open"]


@row(GivenAnswer("no box"), "box requirement")
@row(GivenAnswer(1, comment="x" * 1001), "1000")
@row(GivenAnswer(1, comment="a\0b"), "comment")
@row(GivenAnswer(1, seconds=float("nan")), "seconds")
@row(GivenAnswer(1, seconds=float("inf")), "seconds")
@row(GivenAnswer(1, seconds=-1.0), "seconds")
def test_what_cannot_be_stored_of_one_answer_refuses_the_whole_submission(given: GivenAnswer, word: str) -> None:
    _, assignment = leased(2)
    answers = dict(zip(assignment.questions, (GivenAnswer(1), given), strict=True))
    with pytest.raises(BadAnswerError, match=word):
        submit_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id, answers=answers)
    assert Judgment.objects.count() == 0


@row("bob", 1)
@row("bob", 0)
@row("ada", 1)
def test_questions_that_were_left_out_are_open_again_for_others_and_a_worker_who_is_not_measured(name: str, said: int):
    project, assignment = leased(3)
    assert submit(assignment, *[1] * said).stored == tuple(assignment.questions[:said])
    assert lease(project, worker(project, name), ASK).questions == assignment.questions[said:]


def test_a_measured_worker_is_not_asked_again_what_they_left_out() -> None:
    """Verification questions never come back: if real ones did, their coming back would tell them."""
    project = project_of(*dogs(3))
    ada = worker(project, "ada")
    TrustStatus.objects.create(worker=ada, project_id=project.id, task=ASK.value, state="trusted", passed_test=True)
    assignment = lease(project, ada, ASK)
    submit(assignment, 1)
    assert lease_assignment(project_id=project.id, worker_id=ada.id, task=ASK) is None
    assert set(lease(project, worker(project, "bob"), ASK).questions) == set(assignment.questions[1:])


@pytest.mark.parametrize("reply", [None, Skipped("unclear")], ids=["leaving out", "skipping"])
def test_a_real_question_takes_the_statements_of_a_verification_question(reply: Skipped | None) -> None:
    project = kennel(40, stock=40, settings=Settings(test_questions=0, trusted_rate=0.5))
    statements = {}
    for kind in ("real", "known"):
        assignment = given_to(project, worker(project, kind))
        assert assignment.known and assignment.questions
        known = {int(place) for place in assignment.known}
        place = min(known if kind == "known" else set(range(assignment.size)) - known)
        replies = [reply if one == place else GivenAnswer(1) for one in range(assignment.size)]
        with CaptureQueriesContext(connection) as asked:
            submit_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id, answers=replies)
        statements[kind] = [one["sql"].split()[0] for one in asked]
    assert statements["real"] == statements["known"]


def test_late_answers_are_stored_where_they_are_still_needed_and_reported_where_not() -> None:
    project = project_of(*dogs(3))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    late = lease(project, ada, ASK)
    after = late.expires_at + timedelta(minutes=1)
    assert expire_assignments(now=after) == 1
    submit(lease(project, bob, ASK, size=1, now=after), 1, now=after)
    tick(project_id=project.id, now=after)
    leased = lease(project, bob, ASK, size=1, now=after)  # the second one: in bob's hands now
    receipt = submit(late, 1, 1, 1, now=after)
    assert receipt.stored == (late.questions[2],) and receipt.too_late == (late.questions[0], late.questions[1])
    assert Question.objects.get(id=late.questions[1]).assignment_id == leased.id
    assert submit(leased, 1, now=after).stored == (late.questions[1],)
    again = submit(late, 1, 1, 1, now=after)
    assert (again.stored, again.too_late, again.repeated) == (receipt.stored, receipt.too_late, True)
    tick(project_id=project.id, now=after)
    assert list(replay(project)) == []


def test_a_submission_between_expiry_and_the_sweep_is_stored() -> None:
    _, assignment = leased(1)
    assert submit(assignment, 1, now=assignment.expires_at + timedelta(hours=1)).stored


def test_a_worker_who_has_answered_in_the_meantime_cannot_answer_late_as_well() -> None:
    project = project_of(*dogs(2))
    ada = worker(project, "ada")
    late = lease(project, ada, ASK)
    after = late.expires_at + timedelta(minutes=1)
    expire_assignments(now=after)
    lease(project, worker(project, "bob"), ASK, size=1, now=after)
    submit(lease(project, ada, ASK, now=after), 3, now=after)
    tick(project_id=project.id, now=after)
    assert states(project, ASK) == ["open", "open"]  # one more vote is needed, from somebody else
    receipt = submit(late, 3, 3, now=after)
    assert (receipt.stored, receipt.too_late) == ((), tuple(late.questions)) and Judgment.objects.count() == 1


def test_a_returned_assignment_cannot_be_submitted_any_more() -> None:
    project, assignment = leased(1)
    ada = assignment.worker
    assert return_assignment(assignment_id=assignment.id, worker_id=ada.id)
    with pytest.raises(AssignmentEndedError, match="was returned"):
        submit(assignment, 1)
    assert lease_assignment(project_id=project.id, worker_id=worker(project, "bob").id, task=ASK) is not None
    assert Judgment.objects.count() == 0


@pytest.fixture
def project() -> Project:
    return project_of(settings=Settings(box_policy=BoxPolicyName.BELIEF, reward_cents=PAID))


@pytest.fixture
def model_annotator(project: Project) -> Worker:
    """A program at work on twelve parks, each in an image of its own. It goes on asking for an hour."""
    made = worker(project, "judge", kind=Worker.Kind.PROGRAM)
    settings = Settings(box_policy=BoxPolicyName.BELIEF, reward_cents=PAID, model_annotators=(made.pk,))
    version = change_settings(project_id=project.pk, settings=settings)
    asks(made, at=clock.now() + timedelta(hours=1))
    for position in range(12):
        image = phrases("scene: a park", name=str(position))
        import_image(project, position, image, picture=f"{position}.jpg", gold=False, settings_version=version)
    tick(project_id=project.pk)
    return made


def asks(model_annotator: Worker, at: datetime | None) -> None:
    Access.objects.filter(worker=model_annotator).update(asked_at=at)


def asked(project: Project, who: Worker, task: Task = ASK, *, later: float = 0.0, count: int | None = None) -> int:
    """Return how many questions an assignment has, some seconds after the last question was opened."""
    now = Question.objects.filter(project=project).latest("opened_at").opened_at + timedelta(seconds=later)
    found = lease_questions(project_id=project.pk, worker_id=who.pk, task=task, count=count, now=now)
    return found.assignment.size if found else 0


def test_a_model_gets_as_many_as_it_wants_unpaid_ahead_too_and_no_drawing(project: Project, model_annotator: Worker):
    place = {"project_id": project.pk, "worker_id": model_annotator.pk, "task": ASK}
    with pytest.raises(NotForProgramsError):
        asked(project, model_annotator, DRAW)
    with pytest.raises(NotSetToWorkError, match="Let it judge"):
        asked(project, worker(project, "other", kind=Worker.Kind.PROGRAM))
    assert asked(project, model_annotator, count=5) == 5 and Assignment.objects.get().reward_cents == 0
    after = lease_questions(**place, count=7, ahead_of=Assignment.objects.get().token)  # type: ignore[arg-type]
    assert after and after.assignment.size == 7


def test_nobody_waits_for_a_model_that_asks_for_other_tasks_alone_or_has_not_asked_for_long(
    project: Project, model_annotator: Worker
) -> None:
    Access.objects.filter(worker=model_annotator, task=ASK.value).update(asked_at=None)
    assert asked(project, worker(project, "ada")) == 10
    Question.objects.update(assignment=None)
    asks(model_annotator, at=clock.now() - timedelta(seconds=2 * AT_WORK_SECONDS))
    assert asked(project, worker(project, "bob")) == 10


def test_nothing_is_asked_for_the_sake_of_a_model_that_is_not_at_work(project: Project, model_annotator: Worker):
    asks(model_annotator, at=None)
    import_image(project, 12, phrases("animals: a dog", name="dog"), picture="dog.jpg", gold=False, settings_version=2)
    tick(project_id=project.pk)
    opened = Question.objects.get(image__name="dog")
    entry = Entry.objects.get(image__name="dog", kind="start")
    assert (opened.task, entry.context) == (DRAW, {"seed": entry.image_id, "inactive": [model_annotator.pk]})
    assert list(replay(project)) == []


def test_an_answer_that_waits_when_its_program_is_set_aside_changes_nothing(project: Project, model_annotator: Worker):
    given = lease(project, model_annotator, ASK, size=3)
    submit(given, 3, 3, 3)
    change_settings(project_id=project.pk, settings=replace(current_settings(project.pk)[1], model_annotators=()))
    tick(project_id=project.pk)
    entry = Entry.objects.filter(judgment__worker=model_annotator).first()
    assert entry and entry.context == {"by_model": True}
    assert {one.state for one in Question.objects.filter(pk__in=given.questions)} == {"open"}
    progress = from_json(Progress.objects.get(image=entry.image_id).state)
    assert all(not chain.answers for chain in progress.chains.values()) and list(replay(project)) == []


def test_in_the_other_tasks_a_model_stays_a_worker(project: Project, model_annotator: Worker) -> None:
    image = phrases("animals: a dog", "animals: the dog", name="two")
    import_image(project, 12, image, picture="two.jpg", gold=False, settings_version=2)
    tick(project_id=project.pk)
    assert asked(project, model_annotator, Task.COREFERENCE_LINK) == 1
    assert Assignment.objects.get().reward_cents == 4, "a tenth of a full assignment"


def test_people_wait_for_a_model_and_get_the_usual_number_if_it_stays_silent(project: Project, model_annotator: Worker):
    ada = worker(project, "ada")
    assert asked(project, ada) == 0 and asked(project, ada, later=MODEL_SECONDS + 1, count=12) == 10


def test_people_get_at_once_what_the_model_has_answered_or_skipped(project: Project, model_annotator: Worker) -> None:
    submit(lease(project, model_annotator, ASK, size=5), *[2] * 5)
    tick(project_id=project.pk)
    left = Question.objects.filter(project=project, task=ASK.value).exclude(state="closed")
    assert {model_annotator.pk in one.barred for one in left} == {True, False}
    assert asked(project, worker(project, "ada")) == 5
    given = lease(project, model_annotator, ASK, size=3)
    submit_assignment(assignment_id=given.pk, worker_id=model_annotator.pk, answers=[Skipped("unclear")] * 3)
    tick(project_id=project.pk)
    assert asked(project, worker(project, "bob")) == 3


def test_the_audit_is_in_the_record_and_the_record_replays(project: Project, model_annotator: Worker) -> None:
    starts = Entry.objects.filter(project=project, kind="start")
    assert all((entry.data, entry.context) == ({}, {"seed": entry.image_id}) for entry in starts) and len(starts) == 12
    submit(lease(project, model_annotator, ASK, size=5), *[1] * 5)
    tick(project_id=project.pk)
    assert list(replay(project)) == []


def test_links_that_are_asked_adaptively_go_to_models_first_and_the_record_replays() -> None:
    adaptive = Settings(strategy=LinkStrategy.ADAPTIVE, reask_rate=0.0)
    project = project_of(phrases("people: a man", "people: a tall guy"), settings=adaptive)
    model_annotator, ada = worker(project, "judge", kind=Worker.Kind.PROGRAM), worker(project, "ada")
    with pytest.raises(NotSetToWorkError):
        asked(project, model_annotator, LINK)
    change_settings(project_id=project.pk, settings=replace(adaptive, model_annotators=(model_annotator.pk,)))
    assert asked(project, ada, LINK) == 1, "nobody waits for a model annotator that never asked"
    return_assignment(assignment_id=Assignment.objects.get().pk, worker_id=ada.pk)
    submit(lease(project, model_annotator, LINK), "same")
    tick(project_id=project.pk)
    progress = from_json(Progress.objects.get().state)
    assert [(vote.worker, vote.by_model) for vote in progress.votes[0, 1]] == [(model_annotator.pk, True)]
    assert asked(project, ada, LINK) == 1, "nobody knows the model annotator yet, so people answer as well"
    assert list(replay(project)) == []


def test_under_the_papers_loop_nobody_waits_for_a_program(project: Project, model_annotator: Worker) -> None:
    settings = replace(current_settings(project.pk)[1], box_policy=BoxPolicyName.PAPER)
    change_settings(project_id=project.pk, settings=settings)
    assert asked(project, worker(project, "ada")) == 10
