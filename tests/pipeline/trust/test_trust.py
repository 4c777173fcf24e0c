"""Gaining and losing trust: what a worker is asked in each state, and what becomes of the answers.
Trust in rare cases: assignments returned, expired, voided or refused, and the verification model.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from pipeline.asking.end_lease import return_assignment
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NotTrustedError
from pipeline.gold_questions.known_questions import key_of, retire_known
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, Question, Transition
from pipeline.project.open_questions import open_for
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from pipeline.trust.review_trust import evidence_of
from pipeline.trust.void_answers import void_unresolved
from tests.support.projects import answer, box, lease, phrases, project_of, states, submit, worker
from tests.support.table import row
from tests.support.trusting import ASK, TEST, add_stock, ask, differences, given_to, hand_in, kennel, newcomer, work
from workers.change_trust import BY_HAND
from workers.models import TrustChange, TrustStatus, Worker
from workers.rules.trust import TrustModel
from workers.task_words import text_in_language

pytestmark = pytest.mark.django_db

NO_TEST = Settings(test_questions=0)
VERIFY_ALL = replace(NO_TEST, trust={**NO_TEST.trust, ASK.value: TrustModel.VERIFICATION.value})


def state(who) -> str:
    return TrustStatus.objects.get(worker=who, task=ASK.value).state


def history(who) -> list[str]:
    """The states that the worker's trust went through."""
    return list(TrustChange.objects.filter(worker=who).order_by("id").values_list("new", flat=True))


class TestQualificationTest:
    def test_a_newcomer_gets_the_test_and_nothing_else_and_who_passes_is_on_probation_and_sees_the_score(self) -> None:
        project = kennel(20, stock=40, tests=30)
        ada = newcomer(project, "ada")
        test = given_to(project, ada)
        assert (test.kind, test.questions, test.size, test.reward_cents) == ("test", [], 10, 0)
        purposes = KnownQuestion.objects.filter(id__in=test.known.values()).values_list("purpose", flat=True)
        assert set(purposes) == {TEST} and state(ada) == "testing"
        missed = list(test.known.values())[:2]
        receipt = hand_in(test, right=lambda known: known not in missed)
        assert receipt.test is not None and tuple(receipt.test) == (8, 10, 8, True) and state(ada) == "probation"
        assert receipt.mistakes == (), "they are told after a failed test"
        work = given_to(project, ada)
        assert work.kind == "work" and not work.questions
        receipt = hand_in(work, right=False)
        assert (receipt.test, receipt.mistakes) == (None, ())

    def test_a_worker_who_fails_waits_for_the_next_try_with_fresh_questions_and_the_third_failure_bars(self) -> None:
        project = kennel(20, stock=40, tests=30)
        ada, now, shown = newcomer(project, "ada"), timezone.now(), set[int]()
        for left in (2, 1, 0):
            test = given_to(project, ada, now=now)
            assert not shown & set(test.known.values())
            shown |= set(test.known.values())
            receipt = hand_in(test, right=False, now=now)
            if left:
                assert "in 24 hours" in text_in_language(receipt.sequel)
                with pytest.raises(NotTrustedError, match="again from"):
                    ask(project, ada, now=now + timedelta(hours=23))
            now += timedelta(hours=25)
        assert state(ada) == "barred"
        with pytest.raises(NotTrustedError, match="appeal"):
            ask(project, ada, now=now)

    def test_a_failed_test_counts_once_and_says_what_kind_of_mistake_was_made_however_often_it_is_sent(self) -> None:
        test = given_to(project := kennel(1, stock=40, tests=30), ada := newcomer(project, "ada"))
        truths = dict(KnownQuestion.objects.filter(id__in=test.known.values()).values_list("id", "truth"))
        kind = max((1, 3), key=list(truths.values()).count)
        wrong = [known for known, truth in truths.items() if truth == kind][:4]
        first, again = hand_in(test, right=lambda known: known not in wrong), hand_in(test, right=True)
        assert first.test is not None and not first.test.passed
        assert again.repeated and again.mistakes == first.mistakes
        assert again.test == first.test and again.sequel == first.sequel
        assert TrustStatus.objects.get(worker=ada).tests_failed == 1
        assert first.mistakes == ({1: "missed thing", 3: "box for nothing"}[kind],)

    def test_a_question_without_an_answer_counts_as_wrong_and_a_test_left_empty_says_so(self) -> None:
        project = kennel(1, stock=40, tests=30)
        receipt = submit(given_to(project, newcomer(project, "ada")))
        assert receipt.test is not None and tuple(receipt.test) == (0, 10, 8, False)
        assert receipt.mistakes == ("left out",)


class TestProbation:
    def test_thirty_verification_questions_then_real_ones(self) -> None:
        project = kennel(40, stock=60, settings=replace(NO_TEST, trusted_rate=0.0))
        ada = newcomer(project, "ada")
        for _ in range(3):
            assignment = given_to(project, ada)
            assert (assignment.kind, assignment.questions, len(assignment.known)) == ("work", [], 10)
            hand_in(assignment)
        assert len(given_to(project, ada).questions) == 10 and state(ada) == "trusted"
        passed = TrustChange.objects.get(worker=ada, event="passed probation")
        assert passed.figures["overall"]["right"] == 30 and passed.actor == ""
        assert history(ada) == ["invited", "probation", "trusted"]

    def test_probation_is_paid_and_below_the_minimum_there_is_one_more_once(self) -> None:
        rewards = {**NO_TEST.reward_cents, ASK.value: 20}
        project = kennel(10, stock=100, settings=replace(NO_TEST, reward_cents=rewards))
        ada = newcomer(project, "ada")
        for after in ("probation", "barred"):
            assert {one.earned_cents for one in work(project, ada, 3, right=False)} == {20}
            assert state(ada) == after
        with pytest.raises(NotTrustedError):
            ask(project, ada)

    @row(NO_TEST, {"stock": 29}, {"count": 1})
    @row(Settings(), {"stock": 40, "tests": 9}, {"count": 1, "purpose": TEST})
    def test_nobody_can_begin_with_too_few_questions(self, settings: Settings, has: Any, lacks: Any) -> None:
        project = kennel(10, settings=settings, **has)
        ada = newcomer(project, "ada")
        with pytest.raises(NotTrustedError, match="The requester has been told"):
            ask(project, ada)
        add_stock(project, **lacks)
        assert ask(project, ada) is not None

    def test_a_held_assignment_is_given_back_though_nothing_else_is_left(self) -> None:
        project = kennel(10, stock=30, settings=NO_TEST)
        ada = newcomer(project, "ada")
        work(project, ada, 2)
        last = given_to(project, ada)
        assert ask(project, ada) == last


class TestTrusted:
    def test_a_worker_trusted_by_hand_is_measured_once_there_are_verification_questions(self) -> None:
        project = kennel(60, settings=replace(NO_TEST, trusted_rate=0.5))
        bob = worker(project, "bob")
        hand_in(given_to(project, bob))
        assert history(bob) == []
        add_stock(project, 20)
        hand_in(given_to(project, bob))
        given_to(project, bob)
        assert history(bob) == ["trusted"] and TrustChange.objects.get(worker=bob).reason

    def test_no_verification_question_is_answered_twice_and_a_returned_one_is_shown_again(self) -> None:
        project = kennel(60, stock=50, settings=replace(NO_TEST, trusted_rate=0.5))
        bob, answered, returned = worker(project, "bob"), list[int](), list[int]()
        for number in range(12):
            assignment = given_to(project, bob)
            shown = list(assignment.known.values())
            assert not set(answered) & set(shown) and (not returned or returned == shown)
            if number % 3:
                hand_in(assignment)
                answered, returned = [*answered, *shown], []
            else:
                return_assignment(assignment_id=assignment.id, worker_id=bob.id)
                returned = shown
        assert len(answered) == len(set(answered)) > 30 and TrustStatus.objects.get(worker=bob).seen == answered

    def test_when_the_stock_is_used_up_there_are_real_questions_only(self) -> None:
        project = kennel(60, stock=5, settings=replace(NO_TEST, trusted_rate=1.0))
        bob, sizes = worker(project, "bob"), []
        for _ in range(3):
            assignment = ask(project, bob)
            if assignment is None:
                break
            sizes.append((len(assignment.known), len(assignment.questions)))
            hand_in(assignment)
        assert sum(known for known, _ in sizes) == 5 and sizes[-1] == (0, 10)

    def test_a_retired_question_counts_as_before_and_neither_it_nor_one_barred_for_the_worker_is_asked(self) -> None:
        project = kennel(40, stock=32, settings=NO_TEST)
        ada = newcomer(project, "ada")
        KnownQuestion.objects.filter(id__in=KnownQuestion.objects.values("id")[:1]).update(not_for=[ada.id])
        barred, held = KnownQuestion.objects.get(not_for=[ada.id]), given_to(project, ada)
        retire_known(next(iter(held.known.values())))
        assert hand_in(held).answered == 10 and Judgment.objects.filter(known__isnull=False, right=True).count() == 10
        later = {known for _ in range(2) for known in _next_known(project, ada)}
        assert len(later) == 20 and not later & set(held.known.values())
        assert barred.id not in later | set(held.known.values())

    def test_an_assignment_has_no_image_twice_while_there_are_others(self) -> None:
        project = kennel(40, stock=40, settings=NO_TEST)
        assignment = lease(project, worker(project, "bob"), ASK)
        images = Question.objects.filter(id__in=assignment.questions).values_list("image", flat=True)
        assert len(set(images)) == len(assignment.questions)

    def test_losing_trust_voids_exactly_the_unresolved_judgments(self) -> None:
        project = kennel(30, stock=120, settings=replace(NO_TEST, trusted_rate=0.5))
        bob, eve = worker(project, "bob"), worker(project, "eve")
        first = given_to(project, eve)
        hand_in(first, real=3)  # one of two votes that a chain needs no box
        tick(project_id=project.id)
        decided = set(_decide(project, bob, first.questions))
        while state(eve) == "trusted":
            hand_in(given_to(project, eve), right=False, real=3)
            tick(project_id=project.id)
        own = Judgment.objects.filter(worker=eve, question__isnull=False)
        voided = {(one.image_id, number) for one in Entry.objects.filter(kind="void") for number in one.data["entries"]}
        unresolved = own.exclude(question__in=decided).select_related("entry", "question")
        assert decided and voided == {(one.entry.image_id, one.entry.sequence) for one in unresolved}
        for judgment in unresolved:
            question = Question.objects.get(judgments=judgment)
            assert question.state == "open" and eve.id in question.barred
        assert not TrustStatus.objects.get(worker=eve).take_back and differences(project) == []

    def test_work_begun_before_trust_was_lost_is_paid_but_not_used(self) -> None:
        rewards = {**NO_TEST.reward_cents, ASK.value: 20}
        project = kennel(40, stock=120, settings=replace(NO_TEST, trusted_rate=0.5, reward_cents=rewards))
        eve = worker(project, "eve")
        for _ in range(20):
            assignment = given_to(project, eve)
            if TrustStatus.objects.get(worker=eve).verified > 14:
                break
            hand_in(assignment, right=False)
        tick(project_id=project.id)
        assert state(eve) == "probation"
        late = Assignment.objects.get(id=assignment.id)
        assert late.acceptance == "refused"
        receipt = hand_in(late, right=False)
        assert (receipt.stored, len(receipt.too_late), receipt.earned_cents) == ((), len(late.questions), 20)
        assert "answered" not in states(project)


def _next_known(project, who) -> list[int]:
    assignment = given_to(project, who)
    hand_in(assignment)
    return list(assignment.known.values())


def _decide(project, who, questions: list[int]) -> list[int]:
    """Somebody gives the second vote to these."""
    assignment = lease(project, who, ASK, size=80)
    chosen = [number for number in questions if number in assignment.questions][:2]
    submit_assignment(assignment_id=assignment.id, worker_id=who.id, answers={n: GivenAnswer(3) for n in chosen})
    tick(project_id=project.id)
    return chosen


def test_a_submitted_assignment_that_waits_for_its_batch_cannot_be_returned() -> None:
    project = kennel(30, stock=60, settings=replace(NO_TEST, trust={**NO_TEST.trust, ASK.value: "verification"}))
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
    assert state(eve) == "probation" and Assignment.objects.get(id=late.id).acceptance == "refused"
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
    assert set(given_to(project, ada).known.values()) == set(first.known.values())


def test_a_worker_who_answered_a_real_question_is_not_asked_it_as_a_verification_question() -> None:
    project = kennel(10, stock=40, settings=replace(NO_TEST, trusted_rate=0.5))
    bob = worker(project, "bob")
    for question in Question.objects.filter(project=project).order_by("id"):
        known = {"image_id": question.image_id, "shown": question.shown, "truth": 1, "source": "gold"}
        key = key_of(question.image_id, question.shown)
        KnownQuestion.objects.create(project=project, task=ASK.value, key=key, **known)
    first = given_to(project, bob)
    images = Question.objects.filter(id__in=first.questions).values("image")
    alike = KnownQuestion.objects.filter(image__in=images, source="gold")
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
    assert verdicts(ada) == {"accepted"} and 10 <= sum(len(one.known) for one in assignments) < 20
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
    free = open_for(project.id, ASK, worker(project, "bob").id)
    assert set(going_again.values_list("id", flat=True)) <= set(free.values_list("id", flat=True))
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
    assert folded.exists() and set(folded.values_list("worker", flat=True)) == {bob.id} and differences(project) == []
