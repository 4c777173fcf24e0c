"""Trust in rare cases: assignments returned, expired, voided or refused, and the verification model."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from pipeline.asking.end_lease import return_assignment
from pipeline.errors import NotTrustedError
from pipeline.models import Assignment, Judgment, KnownQuestion, Question, Transition
from pipeline.project.open_questions import open_for
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.stock.known_questions import key_of
from pipeline.tick import tick
from pipeline.trust.review_trust import evidence_of
from pipeline.trust.void_answers import void_unresolved
from tests.pipeline.trust.test_trust_in_force import state
from tests.support.projects import answer, box, phrases, project_of, worker
from tests.support.trusting import ASK, ask, differences, given_to, hand_in, kennel, newcomer
from workers.change_trust import BY_HAND
from workers.models import TrustChange, TrustStatus, Worker
from workers.rules.trust import TrustModel

pytestmark = pytest.mark.django_db
NO_TEST = ProtocolSettings(test_questions=0)


def test_a_submitted_assignment_that_waits_for_its_batch_cannot_be_returned() -> None:
    trust = {**NO_TEST.trust, ASK.value: "verification"}
    project = kennel(30, stock=60, settings=replace(NO_TEST, trust=trust))
    ada = newcomer(project, "ada")
    first = given_to(project, ada)
    hand_in(first)
    assert not return_assignment(assignment_id=first.id, worker_id=ada.id)
    held = Question.objects.filter(id__in=first.questions)
    assert set(held.values_list("state", "assignment")) == {("open", first.id)}
    assert not set(given_to(project, ada).questions) & set(first.questions)


def test_an_assignment_that_expired_before_trust_was_lost_is_not_taken_up_again() -> None:
    project = kennel(40, stock=120, settings=replace(NO_TEST, trusted_rate=0.5))
    eve, now = worker(project, "eve"), timezone.now()
    for _ in range(3):
        hand_in(given_to(project, eve), right=False)
    late = given_to(project, eve)
    tick(project_id=project.id, now=now + timedelta(hours=1))
    assert state(eve) == "probation"
    assert Assignment.objects.get(id=late.id).acceptance == "refused"
    again = given_to(project, eve, now=now + timedelta(hours=1))
    assert again.id != late.id and again.questions == []


def test_a_decision_made_on_asking_is_stored_though_the_worker_is_refused() -> None:
    project = kennel(10, stock=100, settings=NO_TEST)
    ada = newcomer(project, "ada")
    for _ in range(6):
        hand_in(given_to(project, ada), right=False)
    with pytest.raises(NotTrustedError, match="appeal"):
        ask(project, ada)
    assert state(ada) == "barred" and TrustChange.objects.filter(worker=ada).latest("id").new == "barred"


def test_a_test_that_was_left_is_asked_again_with_the_same_questions() -> None:
    project = kennel(10, stock=40, tests=10)
    ada = newcomer(project, "ada")
    first = given_to(project, ada)
    return_assignment(assignment_id=first.id, worker_id=ada.id)
    again = given_to(project, ada)
    assert set(again.known.values()) == set(first.known.values())


def test_a_worker_who_answered_a_real_question_is_not_asked_it_as_a_verification_question() -> None:
    project = kennel(10, stock=40, settings=replace(NO_TEST, trusted_rate=0.5))
    bob = worker(project, "bob")
    same = Question.objects.filter(project=project).order_by("id")
    for question in same:
        known = {"image_id": question.image_id, "shown": question.shown, "truth": 1, "source": "gold"}
        key = key_of(question.image_id, question.shown)
        KnownQuestion.objects.create(project=project, task=ASK.value, key=key, **known)
    first = given_to(project, bob)
    alike = KnownQuestion.objects.filter(
        image__in=Question.objects.filter(id__in=first.questions).values("image"), source="gold"
    )
    assert alike.count() == len(first.questions) > 0
    assert set(alike.values_list("id", flat=True)) <= set(TrustStatus.objects.get(worker=bob).seen)


def test_a_voided_box_was_judged_by_nobody() -> None:
    project = project_of(phrases("people: a man", name="1"), phrases("people: a boy", name="2"))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, Task.BOX_DRAWING, box(0, 0, 50, 50), box(10, 10, 60, 60))
    answer(project, bob, Task.BOX_QUALITY, "bad")
    void_unresolved(worker_id=ada.id, project_id=project.id, task=Task.BOX_DRAWING, reason="trust lost")
    evidence = evidence_of(ada.id, project.id, Task.BOX_DRAWING, BY_HAND)
    assert (evidence.scores.overall.right, evidence.scores.overall.total) == (0, 1)


def test_a_receipt_does_not_give_verification_questions_away_if_all_real_answers_came_too_late() -> None:
    project = kennel(40, stock=60, settings=replace(NO_TEST, trusted_rate=0.5))
    held = given_to(project, worker(project, "eve"))
    assert held.known and held.questions
    Assignment.objects.filter(id=held.id).update(acceptance="refused")
    receipt = hand_in(held)
    assert (receipt.late, receipt.taken) == (10, 0)
    again = hand_in(held)
    assert (again.late, again.taken, again.too_late) == (10, 0, receipt.too_late)
    assert Judgment.objects.filter(known__isnull=False).count() == len(held.known)


VERIFY_ALL = replace(NO_TEST, trust={**NO_TEST.trust, ASK.value: TrustModel.VERIFICATION.value})


def verdicts(who: Worker) -> set[str]:
    return set(Assignment.objects.filter(worker=who, state="submitted").values_list("acceptance", flat=True))


def test_judgments_wait_for_their_batch_and_then_act() -> None:
    project = kennel(80, stock=60, settings=VERIFY_ALL)
    ada = newcomer(project, "ada")
    assignments: list[Assignment] = []
    while len(assignments) < 12 and verdicts(ada) != {"accepted"}:
        assignment = given_to(project, ada)
        hand_in(assignment)
        held = Question.objects.filter(id__in=assignment.questions)
        assert set(held.values_list("state", "assignment")) == {("open", assignment.id)}
        assignments.append(assignment)
        tick(project_id=project.id)
    assert verdicts(ada) == {"accepted"}
    known = sum(len(one.known) for one in assignments)
    assert 10 <= known < 20
    assert Transition.objects.filter(image__project=project, machine="chain").exists()


def test_a_refused_batch_goes_to_others_and_is_paid() -> None:
    rewards = {**NO_TEST.reward_cents, ASK.value: 20}
    project = kennel(80, stock=60, settings=replace(VERIFY_ALL, reward_cents=rewards))
    eve = newcomer(project, "eve")
    while verdicts(eve) != {"refused"}:
        assert hand_in(given_to(project, eve), right=False).earned_cents == 20
        tick(project_id=project.id)
    going_again = Question.objects.filter(judgments__worker=eve)
    assert set(going_again.values_list("state", "assignment")) == {("open", None)}
    assert not set(given_to(project, eve).questions) & set(going_again.values_list("id", flat=True))
    bob = worker(project, "bob")
    assert set(going_again.values_list("id", flat=True)) <= set(
        open_for(project.id, ASK, bob.id).values_list("id", flat=True)
    )
    assert differences(project) == []


def test_an_incomplete_batch_is_judged_after_a_day() -> None:
    project = kennel(30, stock=60, settings=VERIFY_ALL)
    ada = newcomer(project, "ada")
    hand_in(given_to(project, ada))
    tick(project_id=project.id, now=timezone.now() + timedelta(hours=23))
    assert verdicts(ada) == {"waiting"}
    tick(project_id=project.id, now=timezone.now() + timedelta(hours=25))
    assert verdicts(ada) == {"accepted"}
    assert "Too few for a score" in Assignment.objects.get(worker=ada, state="submitted").acceptance_reason


def test_a_refused_judgment_never_acts_when_somebody_else_answers() -> None:
    project = kennel(40, stock=60, settings=replace(VERIFY_ALL, verification_rate=0.5))
    eve, bob = newcomer(project, "eve"), worker(project, "bob")
    while verdicts(eve) != {"refused"}:
        hand_in(given_to(project, eve), right=False, real=3)
        tick(project_id=project.id)
    refused = set(Judgment.objects.filter(worker=eve, question__isnull=False).values_list("question_id", flat=True))
    TrustStatus.objects.filter(worker=bob).delete()
    while assignment := ask(project, bob):
        hand_in(assignment, real=1)
    tick(project_id=project.id, now=timezone.now() + timedelta(hours=25))
    folded = Judgment.objects.filter(question__in=refused, entry__isnull=False)
    assert folded.exists() and set(folded.values_list("worker", flat=True)) == {bob.id}
    assert differences(project) == []
