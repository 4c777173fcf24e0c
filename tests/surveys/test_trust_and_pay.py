"""Survey tasks under the rules of trust and pay: tests, suspensions, batches, rejections, rewards."""

from pathlib import Path

import pytest
from django.test import Client

from annotation.models import Project
from annotation.rules.states import Survey
from pipeline.asking.receipt import Given
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, Question
from pipeline.money.ledger import accounts
from pipeline.project.settings_versions import open_project
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.replay import replay
from pipeline.rules.known.known_answer import Mistake
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, QuestionState
from pipeline.tick import tick
from pipeline.trust.decide_trust import decide_trust
from pipeline.trust.void_answers import soft_reject
from reports.detect_signals import detect_signals
from reports.estimate_skills import estimate_skills
from reports.worker_money import money_of
from tests.support.api import ApiWorker
from tests.support.projects import lease, worker
from tests.support.surveys import CHECK, export, foil, survey
from workers.grant_access import grant_access
from workers.models import TrustStatus, Worker
from workers.rules.trust import TrustModel
from workers.rules.trust_states import TrustEvent, TrustState

pytestmark = pytest.mark.django_db
CORRECT = Given({"verdict": "correct"}, 3.0)


def paid(tmp_path: Path, items: int = 6, known: int = 0, **settings: object) -> Project:
    """Make a survey that pays 20 cents for a full assignment of ten."""
    reward = {**dict.fromkeys(PROTOCOL_TASKS, 0), CHECK: 20}
    protocol = ProtocolSettings(reward_cents=reward, **settings)  # type: ignore[arg-type]
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
        fold_judgments(project_id=project.pk)
    closed = Question.objects.get(state=QuestionState.CLOSED.value)
    decide_trust(
        worker_id=crew[0].pk,
        project_id=project.pk,
        task=CHECK,
        event=TrustEvent.BAR,
        reason="always says yes",
        actor="boss",
        take_back=True,
    )
    closed.refresh_from_db()
    assert (closed.state, closed.outcome) == (QuestionState.OPEN.value, "")
    assert len(export(project, tmp_path)) == 2
    answer(project, crew[3])
    fold_judgments(project_id=project.pk)
    closed.refresh_from_db()
    assert closed.state == QuestionState.CLOSED.value
    assert not list(replay(project))


@pytest.mark.both_engines
def test_a_softly_rejected_assignment_is_paid_and_asked_again(tmp_path: Path) -> None:
    project = paid(tmp_path)
    ada = worker(project, "ada", CHECK)
    assignment = answer(project, ada, size=5)
    fold_judgments(project_id=project.pk)
    done = soft_reject(assignment_id=assignment.id, reason="not looked at", actor="boss")
    assert (done.asked_again, done.resolved) == (5, ())
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
    project = paid(tmp_path, items=60, known=20)
    ada = Worker.objects.create(name="ada")
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
    fold_judgments(project_id=project.pk)
    assert estimate_skills(project_id=project.pk) == 3
    detect_signals(project.pk)
