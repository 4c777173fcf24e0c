"""The ledger: what workers are owed, what changes that, and what is refused.
The spend cap: promises never exceed it, and the stored total equals what the tables add up to.
"""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Project
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.errors import BudgetSpentError
from pipeline.models import LedgerEntry, Spending
from pipeline.money import spend_cap
from pipeline.money.ledger import WorkerBalance, account_of, accounts, own_ledger, total, unpaid_of
from pipeline.money.pay_worker import give_bonus, left_to_platforms, pay_all, pay_worker, payments_due
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from pipeline.money.write_entry import (
    AlreadyPaidError,
    BadEntryError,
    NoPartError,
    NothingRefusedError,
    NothingToRefuseError,
    NotOwedError,
    NotSubmittedError,
    OverCapError,
    ReferenceTakenError,
)
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.tick import tick
from platforms.models import Identity
from runtime import clock
from runtime.words import money
from tests.support.money import ASK, paying, work
from tests.support.projects import lease, submit, worker
from tests.support.race import Race
from workers.models import Message, Worker

pytestmark = pytest.mark.django_db

WHY: dict[str, Any] = {"reason": "checked by hand", "actor": "requester"}


@pytest.fixture
def project() -> Project:
    return paying()


def owed(who: Worker, project: Project) -> int:
    return account_of(who.id, project.id).owed


def pay(who: Worker, project: Project, cents: int, reference: str = "May", **options: Any) -> LedgerEntry:
    given = {"actor": "requester", **options}
    return pay_worker(worker_id=who.id, project_id=project.id, cents=cents, reference=reference, **given)


def bonus(who: Worker, project: Project, cents: int, **options: Any) -> LedgerEntry:
    return give_bonus(worker_id=who.id, project_id=project.id, cents=cents, **WHY, **options)


class TestWhatIsOwed:
    def test_earnings_and_bonuses_less_refusals_and_payments(self, project: Project, ada: Worker) -> None:
        first, _ = work(project, ada), work(project, ada, 3)
        refuse_pay(assignment_id=first.id, cents=4, **WHY)
        bonus(ada, project, 100)
        pay(ada, project, 90)
        assert account_of(ada.id, project.id) == WorkerBalance(earned=25, bonus=100, refused=4, paid=90)
        assert owed(ada, project) == 31
        restore_pay(assignment_id=first.id, **WHY)
        assert owed(ada, project) == 35

    def test_only_submitted_work_is_owed_and_workers_and_projects_are_kept_apart(self, project: Project, ada: Worker):
        bob = worker(project, "bob")
        lease(project, ada, ASK, size=2)
        assert accounts(project.id) == {}
        work(project, ada)
        work(project, bob, 1)
        assert accounts(project.id) == {ada.id: WorkerBalance(earned=10), bob.id: WorkerBalance(earned=5)}
        assert total(accounts(project.id).values()).owed == 15 and account_of(ada.id, project.id + 1) == WorkerBalance()


class TestPaying:
    def test_a_payment_is_recorded_once_with_a_name_and_a_reason(self, project: Project, ada: Worker) -> None:
        work(project, ada)
        with pytest.raises(NotOwedError, match="11 cents are more than the 10"):
            pay(ada, project, 11)
        assert LedgerEntry.objects.count() == 0
        entry = pay(ada, project, 10, reason=" by bank ")
        assert (entry.kind, entry.cents, entry.reason) == ("paid", 10, "by bank")
        assert (entry.reference, entry.actor, entry.assignment_id) == ("May", "requester", None)
        assert owed(ada, project) == 0
        assert pay(ada, project, 10, reason="by bank") == entry and LedgerEntry.objects.count() == 1

    def test_the_reference_of_another_payment_is_refused(self, project: Project, ada: Worker) -> None:
        bob = worker(project, "bob")
        work(project, ada)
        work(project, bob)
        pay(ada, project, 6)
        with pytest.raises(ReferenceTakenError, match="'May' already belongs to 6 cents to ada"):
            pay(ada, project, 4)
        with pytest.raises(ReferenceTakenError):
            pay(bob, project, 6)

    @pytest.mark.parametrize(
        "wrong",
        [
            *({"cents": cents} for cents in (0, -1, 1.5, True, "1", 100_000_001)),
            *({"reference": text} for text in ("", " May", "x" * 101)),
            *({"reason": text} for text in ("", " \n", "x" * 1001)),
            *({"actor": text} for text in ("", "x" * 151)),
        ],
    )
    def test_an_invalid_entry_is_refused(self, project: Project, ada: Worker, wrong: dict[str, Any]) -> None:
        work(project, ada)
        with pytest.raises(BadEntryError):
            pay(ada, project, **{"cents": 1, **wrong})
        assert LedgerEntry.objects.count() == 0

    def test_a_worker_without_an_assignment_is_not_paid(self, project: Project, ada: Worker) -> None:
        with pytest.raises(NoPartError, match="never given an assignment"):
            bonus(ada, project, 1)
        with pytest.raises(NoPartError, match=f"no worker {ada.id + 1}"):
            pay_worker(worker_id=ada.id + 1, project_id=project.id, cents=1, reference="May", actor="requester")
        with pytest.raises(NoPartError, match=f"no project {project.id + 1}"):
            pay_worker(worker_id=ada.id, project_id=project.id + 1, cents=1, reference="May", actor="requester")


class TestPayingEverybody:
    def test_each_person_gets_what_they_are_owed_under_a_reference_of_their_own(self, project: Project, ada: Worker):
        bob, robot = worker(project, "bob"), worker(project, "robot", kind=Worker.Kind.PROGRAM)
        for who in (ada, bob, robot):
            work(project, who)
        paid = pay_all(project_id=project.id, reference="May", actor="requester")
        due = [(ada, 10, f"May/{ada.id}"), (bob, 10, f"May/{bob.id}")]
        assert [(one.worker, one.cents, one.reference) for one in paid] == due
        assert [owed(who, project) for who in (ada, bob, robot)] == [0, 0, 10]

    def test_a_second_run_pays_the_workers_that_the_first_did_not_reach(self, project: Project, ada: Worker) -> None:
        bob = worker(project, "bob")
        work(project, ada)
        work(project, bob)
        pay(ada, project, 10, reference=f"May/{ada.id}")
        work(project, ada)
        assert [one.worker for one in pay_all(project_id=project.id, reference="May", actor="requester")] == [bob]
        assert [one.cents for one in payments_due(project.id, "June")] == [10]

    def test_workers_from_a_platform_are_paid_there_and_not_here_as_well(self, project: Project, ada: Worker) -> None:
        work(project, ada)
        for platform in ("mturk", "prolific"):
            Identity.objects.create(worker=ada, platform=platform, external_id="A1")
        assert payments_due(project.id, "May") == [] and left_to_platforms(project.id) == [(ada, 10)]
        for reference in ("", " ", "May ", "x" * 81):
            with pytest.raises(BadEntryError, match="1 to 80"):
                payments_due(project.id, reference)


def test_without_a_reference_each_call_gives_another_bonus(project: Project, ada: Worker) -> None:
    work(project, ada)
    bonus(ada, project, 7)
    bonus(ada, project, 7)
    assert owed(ada, project) == 24
    assert bonus(ada, project, 7, reference="prize") == bonus(ada, project, 7, reference="prize")
    assert owed(ada, project) == 31


class TestRefusing:
    def test_what_an_assignment_earned_is_refused_and_the_worker_told_why(self, project: Project, ada: Worker) -> None:
        done = work(project, ada)
        with pytest.raises(BadEntryError, match="Give a reason"):
            refuse_pay(assignment_id=done.id, reason=" ", actor="requester")
        assert not Message.objects.exists() and not LedgerEntry.objects.exists()
        entry = refuse_pay(assignment_id=done.id, **WHY)
        assert (entry.kind, entry.cents, entry.assignment_id, entry.actor) == ("refused", 10, done.id, "requester")
        assert owed(ada, project) == 0
        said = Message.objects.get(worker=ada)
        assert said.project_id == project.id and said.text.startswith("$0.10 for your assignment")
        assert said.text.endswith("is refused: checked by hand")

    def test_nothing_is_refused_twice_or_before_it_is_submitted_or_paid(self, project: Project, ada: Worker) -> None:
        held, bob = lease(project, ada, ASK, size=2), worker(project, "bob")
        with pytest.raises(NotSubmittedError, match="is active"):
            refuse_pay(assignment_id=held.id, **WHY)
        submit(held)
        done = work(project, bob)
        refuse_pay(assignment_id=done.id, cents=4, **WHY)
        with pytest.raises(AlreadyPaidError, match="6 of its 10 cents can be refused, not 7"):
            refuse_pay(assignment_id=done.id, cents=7, **WHY)
        assert refuse_pay(assignment_id=done.id, **WHY).cents == 6
        for without_pay in (held, done):
            with pytest.raises(NothingToRefuseError):
                refuse_pay(assignment_id=without_pay.id, **WHY)

    def test_a_payment_covers_the_oldest_work_first_and_what_it_covers_stays_paid(self, project: Project, ada: Worker):
        now = timezone.now()
        first, second, third = (work(project, ada, now=now + timedelta(minutes=n)) for n in range(3))
        pay(ada, project, 14)
        assert [unpaid_of(one) for one in (first, second, third)] == [0, 6, 10]
        with pytest.raises(AlreadyPaidError, match="0 of its 10 cents"):
            refuse_pay(assignment_id=first.id, **WHY)
        with pytest.raises(AlreadyPaidError, match="6 of its 10 cents can be refused, not 10"):
            refuse_pay(assignment_id=second.id, **WHY)
        refuse_pay(assignment_id=second.id, cents=6, **WHY)
        refuse_pay(assignment_id=third.id, **WHY)
        assert owed(ada, project) == 0

    def test_a_bonus_that_came_before_is_paid_before(self, project: Project, ada: Worker) -> None:
        now = timezone.now()
        first = work(project, ada, now=now)
        bonus(ada, project, 8, now=now + timedelta(minutes=1))
        second = work(project, ada, now=now + timedelta(minutes=2))
        pay(ada, project, 20)
        assert [unpaid_of(one) for one in (first, second)] == [0, 8]

    def test_a_refusal_is_taken_back_once_and_can_be_made_again(self, project: Project, ada: Worker) -> None:
        done = work(project, ada)
        refuse_pay(assignment_id=done.id, **WHY)
        assert restore_pay(assignment_id=done.id, **WHY).cents == 10 and owed(ada, project) == 10
        assert "owed to you: checked by hand" in Message.objects.filter(worker=ada).latest("id").text
        with pytest.raises(NothingRefusedError):
            restore_pay(assignment_id=done.id, **WHY)
        assert refuse_pay(assignment_id=done.id, **WHY).cents == 10


def test_workers_see_their_own_money_and_not_who_decided(project: Project, ada: Worker) -> None:
    bob, done = worker(project, "bob"), work(project, ada)
    work(project, bob)
    bonus(bob, project, 99)
    refuse_pay(assignment_id=done.id, cents=3, **WHY)
    pay(ada, project, 7)
    own = own_ledger(ada.id, project.id)
    assert (own.account, own.currency) == (WorkerBalance(earned=10, refused=3, paid=7), "USD")
    assert [(line.kind, line.cents, line.reference, line.task) for line in own.lines] == [
        ("paid", 7, "May", ""),
        ("refused", 3, "", "box or no box"),
    ]
    assert own.lines[1].reason == "checked by hand" and "requester" not in str(own)
    assert [line.kind for line in own_ledger(ada.id, project.id, most=1).lines] == ["paid"]


AMOUNTS = json.loads((Path(__file__).parent / "amounts.json").read_text())
"""`frontend/tests/labelling/money.test.ts` reads the same table."""


@pytest.mark.parametrize(("cents", "currency", "words"), AMOUNTS)
def test_amounts_have_one_form_which_the_labelling_page_writes_too(cents: int, currency: str, words: str) -> None:
    assert money(cents, currency) == words


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_payments_do_not_pay_twice() -> None:
    project = paying(2)
    ada = worker(project, "ada")
    work(project, ada)
    race, refused = Race(project), []

    def attempt(reference: str) -> None:
        try:
            pay(ada, project, 10, reference)
        except NotOwedError:
            refused.append(reference)

    race.run_once(*(lambda name=name: attempt(name) for name in ("May", "June")))
    assert len(refused) == 1 and owed(ada, project) == 0


def stored(project: Project) -> list[int]:
    return list(Spending.objects.filter(project_id=project.id).values_list("committed_cents", flat=True))


@pytest.mark.both_engines
@pytest.mark.smoke
class TestTheTotal:
    def test_without_a_cap_nothing_is_kept(self) -> None:
        project = paying()
        assert spend_cap.commit(project.id, 1000, 0)
        spend_cap.release(project.id, 10)
        spend_cap.keep_up(project.id)
        assert stored(project) == []

    def test_an_amount_fits_up_to_the_cap_and_not_a_cent_beyond(self) -> None:
        project = paying()
        assert spend_cap.commit(project.id, 60, 100) and not spend_cap.commit(project.id, 41, 100)
        assert spend_cap.commit(project.id, 40, 100) and not spend_cap.commit(project.id, 1, 100)
        spend_cap.release(project.id, 30)
        assert spend_cap.commit(project.id, 30, 100) and stored(project) == [100]
        assert spend_cap.commit(paying(name="other").id, 100, 100), "projects do not share a total"
        with pytest.raises(ValueError, match="not -1"):
            spend_cap.commit(project.id, -1, 100)

    def test_the_first_commitment_counts_what_was_earned_promised_given_and_refused_before(self) -> None:
        project = paying()
        ada, bob = worker(project, "ada"), worker(project, "bob")
        done, also_done = work(project, ada), work(project, ada)
        lease(project, bob, ASK, size=4)
        give_bonus(worker_id=ada.id, project_id=project.id, cents=7, **WHY)
        refuse_pay(assignment_id=done.id, **WHY)
        refuse_pay(assignment_id=also_done.id, **WHY)
        restore_pay(assignment_id=also_done.id, **WHY)
        assert spend_cap.committed(project.id) == 10 + 10 + 20 + 7 - 10
        assert not spend_cap.commit(project.id, 4, 40) and spend_cap.commit(project.id, 3, 40)
        assert stored(project) == [40]

    def test_recounting_sets_a_wrong_total_right_and_drops_it_with_the_cap(self) -> None:
        project = paying(spend_cap_cents=100)
        work(project, worker(project, "ada"))
        Spending.objects.update(committed_cents=99)
        assert spend_cap.recount(project.id) == 10 and stored(project) == [10]
        change_settings(project_id=project.id, settings=replace(current_settings(project.id)[1], spend_cap_cents=0))
        spend_cap.keep_up(project.id)
        assert stored(project) == []

    @pytest.mark.parametrize(("later", "cap", "total"), [(30, 0, 99), (61, 0, 10), (0, 120, 10), (0, 900, 99)])
    def test_the_sweep_reads_all_once_an_hour_and_near_caps_on_answers(self, later: int, cap: int, total: int) -> None:
        """In large projects that takes seconds, and sweeps come every half minute."""
        project = paying(spend_cap_cents=100, answer_cap=cap)
        work(project, worker(project, "ada"))
        spend_cap.recount(project.id)
        Spending.objects.update(committed_cents=99, committed_answers=40)
        spend_cap.keep_up(project.id, clock.now() + timedelta(minutes=later))
        assert stored(project) == [total]


@pytest.mark.both_engines
@pytest.mark.smoke
class TestWorkUnderACap:
    def test_at_the_cap_nothing_is_leased_until_an_assignment_comes_back(self) -> None:
        project = paying(spend_cap_cents=15)
        ada, bob = worker(project, "ada"), worker(project, "bob")
        held = lease(project, ada, ASK, size=2)
        with pytest.raises(BudgetSpentError):
            lease_assignment(project_id=project.id, worker_id=bob.id, task=ASK, size=2)
        assert return_assignment(assignment_id=held.id, worker_id=ada.id)
        assert lease(project, bob, ASK, size=2).reward_cents == 10

    def test_people_give_no_more_unpaid_answers_than_the_cap_and_the_sweep_frees_what_came_back(self) -> None:
        project = paying(answer_cap=5, reward_cents={task.value: 0 for task in PROTOCOL_TASKS})
        ada, bob = worker(project, "ada"), worker(project, "bob")
        submit(lease(project, ada, ASK, size=3), 3, 3)  # one is left out
        lease(project, bob, ASK, size=2)
        with pytest.raises(BudgetSpentError):
            lease_assignment(project_id=project.id, worker_id=ada.id, task=ASK, size=1)
        tick(project_id=project.id)
        assert lease(project, ada, ASK, size=1).size == 1
        assert list(Spending.objects.values_list("committed_answers", flat=True)) == [5]
        assert spend_cap.answers_of_people(project.id) == 5

    def test_questions_left_out_and_refused_pay_make_room_and_a_bonus_stays_under_the_cap(self) -> None:
        project = paying(spend_cap_cents=10)
        ada, bob = worker(project, "ada"), worker(project, "bob")
        submit(lease(project, ada, ASK, size=2), 3)
        assert stored(project) == [5] == [spend_cap.committed(project.id)]
        done = work(project, bob, 1)
        with pytest.raises(OverCapError):
            bonus(bob, project, 1)
        refuse_pay(assignment_id=done.id, **WHY)
        bonus(bob, project, 5)
        assert stored(project) == [10] == [spend_cap.committed(project.id)]
        restore_pay(assignment_id=done.id, **WHY)
        assert stored(project) == [15] == [spend_cap.committed(project.id)], "restored pay is owed beyond the cap, too"


@pytest.mark.both_engines
@pytest.mark.smoke
@pytest.mark.django_db(transaction=True)
def test_many_concurrent_leases_never_exceed_the_cap() -> None:
    project = paying(12, spend_cap_cents=37)
    race, given = Race(project), []
    people = [worker(project, f"w{number}") for number in range(8)]

    def ask(who) -> None:
        try:
            given.append(lease(project, who, ASK, size=1).reward_cents)
        except BudgetSpentError:
            given.append(0)

    race.run_once(*(lambda who=who: ask(who) for who in people))
    assert sum(given) == 35 and len(given) == 8 and stored(project) == [35] == [spend_cap.committed(project.id)]


@pytest.mark.both_engines
@pytest.mark.smoke
@pytest.mark.django_db(transaction=True)
def test_recounting_while_others_work_loses_nothing() -> None:
    project = paying(12, spend_cap_cents=1000)
    race, people = Race(project), [worker(project, f"w{number}") for number in range(6)]

    def hand_in_part(who) -> None:
        submit(lease(project, who, ASK, size=2), 3)

    recounts = [lambda: spend_cap.recount(project.id)] * 4
    race.run_once(*(lambda who=who: hand_in_part(who) for who in people), *recounts)
    assert stored(project) == [30] == [spend_cap.committed(project.id)]


@pytest.mark.both_engines
@pytest.mark.smoke
@pytest.mark.django_db(transaction=True)
def test_two_concurrent_transactions_create_the_total_once() -> None:
    project = paying(2)
    work(project, worker(project, "ada"))
    race, fitted = Race(project), []

    def commit() -> None:
        fitted.append(spend_cap.commit(project.id, 10, 25))

    race.run_once(commit, commit)
    assert sorted(fitted) == [False, True] and stored(project) == [20]
