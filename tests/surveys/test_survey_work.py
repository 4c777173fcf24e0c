"""One caption of a picture for each worker, whatever becomes of it.
Everything that offers tasks offers those of the project, and refuses others with a sentence.
Every page that shows projects, images, questions, answers or workers opens for a survey, too.
Survey tasks under the rules of trust and pay: tests, suspensions, batches, rejections, rewards.
"""

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.forms import modelform_factory
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from annotation.rules.states import Survey
from backoffice.of_people import AccessForm, InvitationForm
from labelling.joining.join import admit
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_assignment, lease_questions
from pipeline.asking.receipt import GivenAnswer, Reply, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NotTrustedError
from pipeline.gold_questions.known_forecast import known_forecasts
from pipeline.gold_questions.known_questions import unseen_count
from pipeline.gold_questions.suggest_known import promote_question
from pipeline.known.known_answer import Mistake
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, Question
from pipeline.money.ledger import accounts
from pipeline.project.open_questions import open_for
from pipeline.project.queries import NotAskedError, chosen_tasks, tasks_of
from pipeline.project.settings_versions import open_project
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, QuestionState, Task
from pipeline.record.apply_judgments import apply_judgments
from pipeline.record.intervene import report_problem, void_judgments
from pipeline.record.read_record import replay
from pipeline.record.starve_questions import starve_questions, starved_questions
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from pipeline.trust.review_trust import decide_trust
from pipeline.trust.void_answers import soft_reject
from platforms.settling.worker_money import money_of
from projects.lifecycle.change_state import ways_in
from projects.people.members_page import invite_form
from projects.quality.detect_signals import detect_signals
from projects.quality.estimate_skills import estimate_skills
from runtime import clock
from tests.support.api import ApiWorker
from tests.support.projects import lease, worker
from tests.support.surveys import ATOM, CHECK, atom, export, foil, pictures_with_two_captions, survey
from workers.invitations import grant_access, invite, join_project
from workers.models import Access, Invitation, TrustStatus, Worker
from workers.rules.trust import TrustModel
from workers.rules.trust_states import TrustEvent, TrustState

pytestmark = pytest.mark.django_db

ANSWER = GivenAnswer({"verdict": "correct"})


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


def submit(assignment: Assignment, *replies: GivenAnswer | Skipped | None) -> None:
    submit_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id, answers=replies)


def test_an_assignment_holds_one_version_of_a_pair(project: Project, ada: Worker) -> None:
    assert len(lease(project, ada, CHECK).questions) == 1


def test_whoever_answered_one_version_is_not_asked_the_other(project: Project, ada: Worker) -> None:
    submit(lease(project, ada, CHECK), ANSWER)
    assert next_of(project, ada) == []
    assert not open_for(project.pk, CHECK, ada.pk).exists()
    apply_judgments(project_id=project.pk)
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
    first, later = lease(project, ada, CHECK), clock.now() + timedelta(days=3)
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
    protocol = Settings(test_questions=0, probation=2, probation_most=2, **settings)  # type: ignore[arg-type]
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
    submit(again, GivenAnswer({"verdict": "wrong", "word": 1}))
    assert [row.answer for row in Judgment.objects.filter(known=known)] == [ANSWER.answer]


def test_where_verification_questions_have_the_last_pictures_real_ones_come_first(tmp_path: Path) -> None:
    project = checked(tmp_path, known=4, asked=4, trusted_rate=1.0)
    assert len(lease(project, worker(project, "ada", CHECK), CHECK, size=4).questions) == 4


def test_a_verification_question_of_a_picture_met_in_work_is_not_asked(tmp_path: Path) -> None:
    project = checked(tmp_path, known=3, asked=3, trusted_rate=0.0)
    ada = worker(project, "ada", CHECK)
    assert len(lease(project, ada, CHECK, size=3).questions) == 3
    assert unseen_count(TrustStatus.objects.get(worker=ada)) == 0
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


CHECK_TASK = Task.CAPTION_CHECK
REFUSED = "does not ask box_quality. It asks caption_check."


@pytest.fixture
def offering() -> Project:
    return open_project(name="survey", survey=Survey.CAPTION_CHECK)


def granted(project: Project) -> set[str]:
    return set(Access.objects.filter(project=project).values_list("task", flat=True))


def test_a_survey_asks_one_task_and_another_project_the_papers_six(offering: Project) -> None:
    assert tasks_of(offering) == (CHECK_TASK,) and tasks_of(open_project(name="six")) == PROTOCOL_TASKS
    assert chosen_tasks(offering, ["caption_check"]) == chosen_tasks(offering, []) == (CHECK_TASK,)
    with pytest.raises(NotAskedError, match=REFUSED):
        chosen_tasks(offering, ["caption_check", "box_quality"])


def test_guests_and_people_who_join_get_its_task(offering: Project) -> None:
    admit(User(username="guest"), offering)
    join_project(code=invite(project_id=offering.pk).code, user=User(username="ada"), all_tasks=[CHECK_TASK.value])
    assert granted(offering) == {CHECK_TASK}
    assert {task for way in ways_in(offering) for task in way.tasks} == {CHECK_TASK}


def test_an_invitation_without_named_tasks_opens_its_task(offering: Project, client: Client) -> None:
    link = invite(project_id=offering.pk)
    assert "fit its picture" in client.get(reverse("join", args=[link.code])).text
    client.force_login(User.objects.create_user("ada"))
    client.post(reverse("join", args=[link.code]))
    assert granted(offering) == {CHECK_TASK}


@pytest.mark.parametrize(
    "command", [("invite", "survey"), ("make_api_key", "robot", "--project", "survey"), ("known_questions", "survey")]
)
def test_commands_refuse_a_task_that_it_does_not_ask(offering: Project, command: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=REFUSED):
        call_command(*command, "--tasks", "box_quality", stdout=StringIO(), stderr=StringIO())
    assert not Access.objects.exists()


def test_a_program_gets_its_task_alone(offering: Project) -> None:
    call_command("make_api_key", "robot", project="survey", stdout=StringIO(), stderr=StringIO())
    assert granted(offering) == {CHECK_TASK}


def test_the_forms_of_requesters_and_of_the_admin_refuse_others(offering: Project) -> None:
    assert "tasks" not in invite_form(offering, QueryDict("trusted=no")).fields  # there is nothing to choose
    given = {"worker": Worker.objects.create(name="ada").pk, "project": offering.pk}
    assert AccessForm({**given, "task": "box_quality"}).errors["task"] == [f"The project 'survey' {REFUSED}"]
    assert "task" not in AccessForm({**given, "task": "caption_check"}).errors
    link = modelform_factory(Invitation, form=InvitationForm, fields=["project", "tasks"])
    assert link({"project": offering.pk, "tasks": ["box_quality"]}).errors["tasks"]


def test_its_stock_is_that_of_its_task(offering: Project) -> None:
    assert set(known_forecasts(offering.pk)) == {CHECK_TASK}


@pytest.mark.both_engines
def test_a_worker_is_offered_its_task_and_refused_another(offering: Project, client: Client) -> None:
    api = ApiWorker(client, admit(User(username="ada"), offering), project=offering.name)
    status, found = api.call("GET", "projects/survey/tasks/")
    assert status == 200 and [one["task"] for one in found] == ["caption_check"]
    status, refused = api.call("POST", "projects/survey/assignments/", {"task": "box_quality"})
    assert status == 403 and refused["message"]


OF_PROJECT = (
    "results", "items", "settings", "delete", "data", "dashboard", "words", "alerts", "gold",
    "workers", "invitations", "money", "recruit", "known_questions",
)  # fmt: skip
OF_WORKER = ("labelling:project", "labelling:earned", "labelling:messages")
ADMIN = (
    "annotation_project", "annotation_image", "pipeline_question", "pipeline_knownquestion", "pipeline_judgment",
    "pipeline_assignment", "pipeline_entry", "pipeline_transition", "pipeline_skip", "pipeline_progress",
    "workers_truststatus", "workers_access", "workers_trustchange", "workers_worker",
)  # fmt: skip


@pytest.fixture(params=[CHECK, ATOM])
def surveyed(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    """A survey with answers of all kinds: counting, voided, late, to verification questions, skipped."""
    task: Task = request.param
    kind, settings = Survey(task.value), Settings(test_questions=0, trusted_rate=1.0, survey_votes=1)
    open_project(name="survey", survey=kind, settings=settings)
    lines = [foil(number) for number in range(12)]
    if task is ATOM:
        lines = [atom(f"word {number}", **({"visual": "no"} if number < 4 else {})) for number in range(12)]
    project = survey(tmp_path, lines, task, known=4)
    said = "yes" if task is ATOM else {"verdict": "wrong", "word": 1, "right": "cat"}
    for name in ("ada", "bob"):
        who = worker(project, name, task)
        who.user = User.objects.create_user(name)
        who.save()
        work = lease(project, who, task, size=6)
        replies: list[Reply] = [GivenAnswer(said, 2.0, "a comment")] * work.size
        replies[-1] = Skipped("unclear", "too small")
        submit_assignment(assignment_id=work.id, worker_id=who.pk, answers=replies)
        apply_judgments(project_id=project.pk)
    image = Judgment.objects.filter(question__isnull=False).order_by("id")[0]
    assert image.question
    report_problem(image_id=image.question.image_id, what="image", number=0, worker_id=None, expert=True)
    void_judgments(image_id=image.question.image_id, judgment_ids=[image.pk], reason="a test", actor="boss")
    estimate_skills(project_id=project.pk)
    detect_signals(project.pk)
    return project


@pytest.fixture
def boss(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("boss"))
    return client


def opens(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code in (200, 302), (address, answer.status_code)
    return "" if answer.streaming else answer.content.decode()


@pytest.mark.slow
def test_the_pages_of_requesters(surveyed: Project, boss: Client) -> None:
    image = Question.objects.filter(judgments__isnull=False)[0].image_id
    ada = Worker.objects.get(name="ada")
    opens(boss, reverse("gallery:start"))
    opens(boss, reverse("gallery:project", args=[surveyed.name]))
    opens(boss, reverse("gallery:image", args=[surveyed.name, image]))
    for name in OF_PROJECT:
        opens(boss, reverse(f"projects:{name}", args=[surveyed.name]))
    page = opens(boss, reverse("projects:worker", args=[surveyed.name, ada.pk]))
    assert "wrong" in page or "yes" in page
    settings = opens(boss, reverse("projects:settings", args=[surveyed.name]))
    assert 'name="survey_votes"' in settings
    assert f'name="batch.{surveyed.survey}"' in settings
    assert 'name="batch.box_quality"' not in settings and 'name="merge_iou"' not in settings


@pytest.mark.slow
def test_the_admin(surveyed: Project, boss: Client) -> None:
    for name in ADMIN:
        opens(boss, reverse(f"admin:{name}_changelist"))
    for model, row in (
        ("pipeline_question", Question.objects.filter(judgments__isnull=False)[0].pk),
        ("pipeline_knownquestion", KnownQuestion.objects.filter(judgments__isnull=False)[0].pk),
        ("pipeline_judgment", Judgment.objects.all()[0].pk),
        ("pipeline_entry", Entry.objects.filter(kind="ask")[0].pk),
    ):
        opens(boss, reverse(f"admin:{model}_change", args=[row]))


def test_the_pages_of_workers(surveyed: Project, client: Client) -> None:
    client.force_login(User.objects.get(username="ada"))
    opens(client, reverse("labelling:home"))
    for name in OF_WORKER:
        opens(client, reverse(name, args=[surveyed.name]))
    opens(client, reverse("labelling:work", args=[surveyed.name, surveyed.survey]))
    opens(client, reverse("labelling:own_data"))
    opens(client, reverse("labelling:take_out"))


def test_commands_and_monitors(surveyed: Project, client: Client, tmp_path: Path) -> None:
    for command in ("known_questions", "skills", "signals", "ledger"):
        call_command(command, surveyed.name)
    with pytest.raises(CommandError, match="no phrases, chains and boxes"):
        call_command("export_dataset", surveyed.name, str(tmp_path / "whole.jsonl"), format="jsonl")
    call_command("replay", surveyed.name)
    assert not list(replay(surveyed))


def test_a_closed_question_can_become_a_known_one(surveyed: Project) -> None:
    question = Question.objects.filter(state=QuestionState.CLOSED.value).exclude(outcome="starved")[0]
    assert promote_question(question_id=question.pk, actor="boss").task == surveyed.survey


CORRECT = GivenAnswer({"verdict": "correct"}, 3.0)


def paid(tmp_path: Path, items: int = 6, known: int = 0, **settings: object) -> Project:
    """Make a survey that pays 20 cents for a full assignment of ten."""
    reward = {**dict.fromkeys(PROTOCOL_TASKS, 0), CHECK: 20}
    protocol = Settings(reward_cents=reward, **settings)  # type: ignore[arg-type]
    open_project(name="survey", survey=Survey.CAPTION_CHECK, settings=protocol)
    return survey(tmp_path, [foil(number) for number in range(items)], known=known)


def answer(project: Project, who: Worker, size: int = 10) -> Assignment:
    """Answer an assignment, every caption as correct."""
    assignment = lease(project, who, CHECK, size=size)
    submit_assignment(assignment_id=assignment.id, worker_id=who.pk, answers=[CORRECT] * assignment.size)
    return assignment


def test_answers_are_paid_by_their_share_and_owed(tmp_path: Path) -> None:
    project = paid(tmp_path)
    ada = worker(project, "ada", CHECK)
    assert answer(project, ada, size=5).reward_cents == 10
    tick(project_id=project.pk)
    assert accounts(project.pk)[ada.pk].owed == 10
    [row] = money_of(project.pk)
    assert (row.worker, row.account.owed, set(row.pay)) == (ada, 10, {CHECK})


def test_a_barred_workers_votes_are_taken_back_even_from_closed_questions(tmp_path: Path) -> None:
    project = paid(tmp_path, items=1)
    crew = [worker(project, name, CHECK) for name in ("ada", "bob", "cyd", "dan")]
    for who in crew[:3]:
        answer(project, who)
        apply_judgments(project_id=project.pk)
    closed = Question.objects.get(state=QuestionState.CLOSED.value)
    of: dict[str, Any] = {"worker_id": crew[0].pk, "project_id": project.pk, "task": CHECK}
    decide_trust(**of, event=TrustEvent.BAR, reason="always says yes", actor="boss", take_back=True)
    closed.refresh_from_db()
    assert (closed.state, closed.outcome) == (QuestionState.OPEN.value, "")
    assert len(export(project, tmp_path)) == 2
    answer(project, crew[3])
    apply_judgments(project_id=project.pk)
    closed.refresh_from_db()
    assert closed.state == QuestionState.CLOSED.value
    assert not list(replay(project))


@pytest.mark.both_engines
def test_a_softly_rejected_assignment_is_paid_and_asked_again(tmp_path: Path) -> None:
    project = paid(tmp_path)
    assignment = answer(project, worker(project, "ada", CHECK), size=5)
    apply_judgments(project_id=project.pk)
    done = soft_reject(assignment_id=assignment.id, reason="not looked at", actor="boss")
    assert (done.repeated, done.resolved) == (5, ())
    assert export(project, tmp_path) == []
    assert not list(replay(project))


def test_in_the_verification_model_a_bad_batch_counts_for_nothing(tmp_path: Path, client: Client) -> None:
    trust = {**dict.fromkeys(PROTOCOL_TASKS, "trusted workers"), CHECK: TrustModel.VERIFICATION.value}
    project = paid(tmp_path, items=60, known=40, trust=trust, test_questions=0, verification_rate=0.8)
    api = ApiWorker(client, worker(project, "ada", CHECK), project=project.name)
    while not Assignment.objects.exclude(acceptance__in=["", "waiting"]).exists():
        work = api.ask(CHECK)
        api.submit(work, *[_wrong(question["survey"]["caption"]) for question in work["questions"]])
        tick(project_id=project.pk)
    assert set(Assignment.objects.values_list("acceptance", flat=True)) == {"refused"}
    assert export(project, tmp_path) == []


def test_a_newcomer_takes_a_test_of_captions_and_learns_the_kinds_of_mistakes(tmp_path: Path, client: Client) -> None:
    project, ada = paid(tmp_path, items=60, known=20), Worker.objects.create(name="ada")
    grant_access(ada, project.pk, [CHECK.value])
    api = ApiWorker(client, ada, project=project.name)
    test = api.ask(CHECK)
    assert test["kind"] == "test" and len(test["questions"]) == 10
    receipt = api.submit(test, *[{"verdict": "correct"}] * 10)
    assert (receipt["test"]["right"], receipt["test"]["passed"]) == (5, False)
    assert receipt["test"]["mistakes"] == [Mistake.ACCEPTED_FOIL.value]


def test_who_passes_the_test_goes_through_probation_to_trust(tmp_path: Path, client: Client) -> None:
    project = paid(tmp_path, items=80, known=30, probation=10, probation_most=20)
    ada = Worker.objects.create(name="ada")
    grant_access(ada, project.pk, [CHECK.value])
    api = ApiWorker(client, ada, project=project.name)
    for _ in range(3):
        work = api.ask(CHECK)
        api.submit(work, *[_right(question["survey"]["caption"]) for question in work["questions"]])
        tick(project_id=project.pk)
    assert TrustStatus.objects.get(worker=ada).state == TrustState.TRUSTED
    assert Question.objects.filter(judgments__worker=ada).exists() or api.ask(CHECK)["questions"]


def _right(caption: str) -> dict[str, object]:
    return {"verdict": "wrong", "word": 1} if "dog" in caption else {"verdict": "correct"}


def _wrong(caption: str) -> dict[str, object]:
    return {"verdict": "correct"} if "dog" in caption else {"verdict": "wrong", "word": 1}


def test_skills_and_signals_read_survey_answers(tmp_path: Path) -> None:
    project = paid(tmp_path, items=30)
    for name in ("ada", "bob", "cyd"):
        answer(project, worker(project, name, CHECK))
    apply_judgments(project_id=project.pk)
    assert estimate_skills(project_id=project.pk) == 3
    detect_signals(project.pk)
