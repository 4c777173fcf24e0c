"""The ledger: what workers are owed, what changes that, and what is refused."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Project
from pipeline.models import LedgerEntry
from pipeline.money.amounts import in_words
from pipeline.money.errors import (
    AlreadyPaidError,
    BadEntryError,
    NoPartError,
    NothingRefusedError,
    NothingToRefuseError,
    NotOwedError,
    NotSubmittedError,
    ReferenceTakenError,
)
from pipeline.money.give_bonus import give_bonus
from pipeline.money.ledger import Account, account_of, accounts, own_ledger, total, unpaid_of
from pipeline.money.pay_worker import left_to_platforms, pay_all, pay_worker, payments_due
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from platforms.models import Identity
from tests.support.money import ASK, paying, work
from tests.support.projects import lease, submit, worker
from tests.support.race import Race
from workers.models import Message, Worker

pytestmark = pytest.mark.django_db
WHY: dict[str, Any] = {"reason": "checked by hand", "actor": "requester"}


@pytest.fixture
def project() -> Project:
    return paying()


@pytest.fixture
def ada(project: Project) -> Worker:
    return worker(project, "ada")


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
        assert account_of(ada.id, project.id) == Account(earned=25, bonus=100, refused=4, paid=90)
        assert owed(ada, project) == 31
        restore_pay(assignment_id=first.id, **WHY)
        assert owed(ada, project) == 35

    def test_only_submitted_work_is_owed(self, project: Project, ada: Worker) -> None:
        lease(project, ada, ASK, size=2)
        assert accounts(project.id) == {}

    def test_workers_and_projects_are_kept_apart_and_summed(self, project: Project, ada: Worker) -> None:
        bob = worker(project, "bob")
        work(project, ada)
        work(project, bob, 1)
        assert accounts(project.id) == {ada.id: Account(earned=10), bob.id: Account(earned=5)}
        assert total(accounts(project.id).values()).owed == 15
        assert account_of(ada.id, project.id + 1) == Account()


class TestPaying:
    def test_a_payment_is_recorded_with_a_name_and_a_reason(self, project: Project, ada: Worker) -> None:
        work(project, ada)
        entry = pay(ada, project, 10, reason=" by bank ")
        assert (entry.kind, entry.cents, entry.reason) == ("paid", 10, "by bank")
        assert (entry.reference, entry.actor, entry.assignment_id) == ("May", "requester", None)
        assert owed(ada, project) == 0

    def test_the_same_reference_again_is_the_same_payment(self, project: Project, ada: Worker) -> None:
        work(project, ada)
        assert pay(ada, project, 10) == pay(ada, project, 10)
        assert LedgerEntry.objects.count() == 1

    def test_the_reference_of_another_payment_is_refused(self, project: Project, ada: Worker) -> None:
        bob = worker(project, "bob")
        work(project, ada)
        work(project, bob)
        pay(ada, project, 6)
        with pytest.raises(ReferenceTakenError, match="'May' already belongs to 6 cents to ada"):
            pay(ada, project, 4)
        with pytest.raises(ReferenceTakenError):
            pay(bob, project, 6)

    def test_more_than_is_owed_is_refused(self, project: Project, ada: Worker) -> None:
        work(project, ada)
        with pytest.raises(NotOwedError, match="11 cents are more than the 10"):
            pay(ada, project, 11)
        assert LedgerEntry.objects.count() == 0

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
    def test_each_person_gets_what_they_are_owed_under_a_reference_of_their_own(
        self, project: Project, ada: Worker
    ) -> None:
        bob = worker(project, "bob")
        robot = worker(project, "robot", kind=Worker.Kind.PROGRAM)
        for who in (ada, bob, robot):
            work(project, who)
        paid = pay_all(project_id=project.id, reference="May", actor="requester")
        assert [(one.worker, one.cents, one.reference) for one in paid] == [
            (ada, 10, f"May/{ada.id}"),
            (bob, 10, f"May/{bob.id}"),
        ]
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
        assert payments_due(project.id, "May") == []
        assert left_to_platforms(project.id) == [(ada, 10)]

    @pytest.mark.parametrize("reference", ["", " ", "May ", "x" * 81])
    def test_an_invalid_reference_is_refused(self, project: Project, reference: str) -> None:
        with pytest.raises(BadEntryError, match="1 to 80"):
            payments_due(project.id, reference)


class TestBonuses:
    def test_without_a_reference_each_call_gives_another_bonus(self, project: Project, ada: Worker) -> None:
        work(project, ada)
        bonus(ada, project, 7)
        bonus(ada, project, 7)
        assert owed(ada, project) == 24
        assert bonus(ada, project, 7, reference="prize") == bonus(ada, project, 7, reference="prize")
        assert owed(ada, project) == 31


class TestRefusing:
    def test_all_that_an_assignment_earned_is_refused_and_the_worker_gets_the_reason(
        self, project: Project, ada: Worker
    ) -> None:
        done = work(project, ada)
        entry = refuse_pay(assignment_id=done.id, **WHY)
        assert (entry.kind, entry.cents, entry.assignment_id, entry.actor) == ("refused", 10, done.id, "requester")
        assert owed(ada, project) == 0
        said = Message.objects.get(worker=ada)
        assert said.project_id == project.id
        assert said.text.startswith("$0.10 for your assignment")
        assert said.text.endswith("is refused: checked by hand")

    def test_there_is_no_refusal_without_a_reason(self, project: Project, ada: Worker) -> None:
        done = work(project, ada)
        with pytest.raises(BadEntryError, match="Give a reason"):
            refuse_pay(assignment_id=done.id, reason=" ", actor="requester")
        assert not Message.objects.exists() and not LedgerEntry.objects.exists()

    def test_nothing_is_refused_twice(self, project: Project, ada: Worker) -> None:
        done = work(project, ada)
        refuse_pay(assignment_id=done.id, cents=4, **WHY)
        with pytest.raises(AlreadyPaidError, match="6 of its 10 cents can be refused, not 7"):
            refuse_pay(assignment_id=done.id, cents=7, **WHY)
        assert refuse_pay(assignment_id=done.id, **WHY).cents == 6
        with pytest.raises(NothingToRefuseError):
            refuse_pay(assignment_id=done.id, **WHY)

    def test_unsubmitted_or_unpaid_work_has_nothing_to_refuse(self, project: Project, ada: Worker) -> None:
        held = lease(project, ada, ASK, size=2)
        with pytest.raises(NotSubmittedError, match="is active"):
            refuse_pay(assignment_id=held.id, **WHY)
        submit(held)
        with pytest.raises(NothingToRefuseError):
            refuse_pay(assignment_id=held.id, **WHY)

    def test_a_payment_covers_the_oldest_work_first_and_what_it_covers_stays_paid(
        self, project: Project, ada: Worker
    ) -> None:
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


class TestRestoring:
    def test_a_refusal_is_taken_back_once_and_can_be_made_again(self, project: Project, ada: Worker) -> None:
        done = work(project, ada)
        refuse_pay(assignment_id=done.id, **WHY)
        assert restore_pay(assignment_id=done.id, **WHY).cents == 10
        assert owed(ada, project) == 10
        assert "owed to you: checked by hand" in Message.objects.filter(worker=ada).latest("id").text
        with pytest.raises(NothingRefusedError):
            restore_pay(assignment_id=done.id, **WHY)
        assert refuse_pay(assignment_id=done.id, **WHY).cents == 10


def test_workers_see_their_own_money_and_not_who_decided(project: Project, ada: Worker) -> None:
    bob = worker(project, "bob")
    done = work(project, ada)
    work(project, bob)
    bonus(bob, project, 99)
    refuse_pay(assignment_id=done.id, cents=3, **WHY)
    pay(ada, project, 7)
    own = own_ledger(ada.id, project.id)
    assert (own.account, own.currency) == (Account(earned=10, refused=3, paid=7), "USD")
    assert [(line.kind, line.cents, line.reference, line.task) for line in own.lines] == [
        ("paid", 7, "May", ""),
        ("refused", 3, "", ASK.label),
    ]
    assert own.lines[1].reason == "checked by hand"
    assert "requester" not in str(own)
    assert [line.kind for line in own_ledger(ada.id, project.id, most=1).lines] == ["paid"]


@pytest.mark.parametrize(
    ("cents", "currency", "words"), json.loads((Path(__file__).parent / "amounts.json").read_text())
)
def test_amounts_have_one_form_which_the_labelling_page_writes_too(cents: int, currency: str, words: str) -> None:
    """`frontend/tests/parts/money.test.ts` reads the same table."""
    assert in_words(cents, currency) == words


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
    assert len(refused) == 1
    assert owed(ada, project) == 0
