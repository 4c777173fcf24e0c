"""The spend cap: promises never exceed it, and the stored total equals what the tables add up to."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from annotation.models import Project
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.errors import BudgetSpentError
from pipeline.models import Spending
from pipeline.money import spend_cap
from pipeline.money.errors import OverCapError
from pipeline.money.give_bonus import give_bonus
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from pipeline.tick import tick
from tests.support.money import ASK, paying, work
from tests.support.projects import lease, submit, worker
from tests.support.race import Race
from upkeep import clock

pytestmark = pytest.mark.both_engines

WHY: dict[str, Any] = {"reason": "checked by hand", "actor": "requester"}


def stored(project: Project) -> list[int]:
    return list(Spending.objects.filter(project_id=project.id).values_list("committed_cents", flat=True))


@pytest.mark.django_db
class TestTheTotal:
    def test_without_a_cap_nothing_is_kept(self) -> None:
        project = paying()
        assert spend_cap.commit(project.id, 1000, 0)
        spend_cap.release(project.id, 10)
        spend_cap.keep_up(project.id)
        assert stored(project) == []

    def test_an_amount_fits_up_to_the_cap_and_not_a_cent_beyond(self) -> None:
        project = paying()
        assert spend_cap.commit(project.id, 60, 100)
        assert not spend_cap.commit(project.id, 41, 100)
        assert spend_cap.commit(project.id, 40, 100)
        assert not spend_cap.commit(project.id, 1, 100)
        spend_cap.release(project.id, 30)
        assert spend_cap.commit(project.id, 30, 100)
        assert stored(project) == [100]

    def test_a_negative_amount_is_refused(self) -> None:
        with pytest.raises(ValueError, match="not -1"):
            spend_cap.commit(paying().id, -1, 100)

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
        assert not spend_cap.commit(project.id, 4, 40)
        assert spend_cap.commit(project.id, 3, 40)
        assert stored(project) == [40]

    def test_recounting_sets_a_wrong_total_right_and_drops_it_with_the_cap(self) -> None:
        project = paying(spend_cap_cents=100)
        work(project, worker(project, "ada"))
        Spending.objects.update(committed_cents=99)
        assert spend_cap.recount(project.id) == 10
        assert stored(project) == [10]
        change_settings(project_id=project.id, settings=replace(current_settings(project.id)[1], spend_cap_cents=0))
        spend_cap.keep_up(project.id)
        assert stored(project) == []

    @pytest.mark.parametrize(("later", "cap", "total"), [(30, 0, 99), (61, 0, 10), (0, 120, 10), (0, 900, 99)])
    def test_the_sweep_reads_every_assignment_once_an_hour_and_near_the_cap_on_answers(
        self, later: int, cap: int, total: int
    ) -> None:
        """In large projects that takes seconds, and sweeps come every half minute."""
        project = paying(spend_cap_cents=100, answer_cap=cap)
        work(project, worker(project, "ada"))
        spend_cap.recount(project.id)
        Spending.objects.update(committed_cents=99, committed_answers=40)
        spend_cap.keep_up(project.id, clock.now() + timedelta(minutes=later))
        assert stored(project) == [total]

    def test_projects_do_not_share_a_total(self) -> None:
        project, other = paying(), paying(name="other")
        assert spend_cap.commit(project.id, 100, 100)
        assert spend_cap.commit(other.id, 100, 100)


@pytest.mark.django_db
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
        unpaid = {task.value: 0 for task in PROTOCOL_TASKS}
        project = paying(answer_cap=5, reward_cents=unpaid)
        ada, bob = worker(project, "ada"), worker(project, "bob")
        submit(lease(project, ada, ASK, size=3), 3, 3)  # one is left out
        lease(project, bob, ASK, size=2)
        with pytest.raises(BudgetSpentError):
            lease_assignment(project_id=project.id, worker_id=ada.id, task=ASK, size=1)
        tick(project_id=project.id)
        assert lease(project, ada, ASK, size=1).size == 1
        assert list(Spending.objects.values_list("committed_answers", flat=True)) == [5]
        assert spend_cap.asked_answers(project.id) == 5

    def test_the_reward_of_questions_left_out_is_released(self) -> None:
        project = paying(spend_cap_cents=10)
        ada, bob = worker(project, "ada"), worker(project, "bob")
        submit(lease(project, ada, ASK, size=2), 3)
        assert stored(project) == [5] == [spend_cap.committed(project.id)]
        assert lease(project, bob, ASK, size=1).reward_cents == 5

    def test_a_bonus_stays_under_the_cap_and_refused_pay_makes_room(self) -> None:
        project = paying(spend_cap_cents=15)
        ada = worker(project, "ada")
        done = work(project, ada)
        with pytest.raises(OverCapError):
            give_bonus(worker_id=ada.id, project_id=project.id, cents=6, **WHY)
        refuse_pay(assignment_id=done.id, **WHY)
        give_bonus(worker_id=ada.id, project_id=project.id, cents=15, **WHY)
        assert stored(project) == [15] == [spend_cap.committed(project.id)]

    def test_restored_pay_is_owed_even_beyond_the_cap(self) -> None:
        project = paying(spend_cap_cents=10)
        ada = worker(project, "ada")
        done = work(project, ada)
        refuse_pay(assignment_id=done.id, **WHY)
        give_bonus(worker_id=ada.id, project_id=project.id, cents=10, **WHY)
        restore_pay(assignment_id=done.id, **WHY)
        assert stored(project) == [20] == [spend_cap.committed(project.id)]


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
    assert sum(given) == 35 and len(given) == 8
    assert stored(project) == [35] == [spend_cap.committed(project.id)]


@pytest.mark.django_db(transaction=True)
def test_recounting_while_others_work_loses_nothing() -> None:
    project = paying(12, spend_cap_cents=1000)
    race = Race(project)
    people = [worker(project, f"w{number}") for number in range(6)]

    def hand_in_part(who) -> None:
        submit(lease(project, who, ASK, size=2), 3)

    recounts = [lambda: spend_cap.recount(project.id)] * 4
    race.run_once(*(lambda who=who: hand_in_part(who) for who in people), *recounts)
    assert stored(project) == [30] == [spend_cap.committed(project.id)]


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_transactions_create_the_total_once() -> None:
    project = paying(2)
    work(project, worker(project, "ada"))
    race, fitted = Race(project), []

    def commit() -> None:
        fitted.append(spend_cap.commit(project.id, 10, 25))

    race.run_once(commit, commit)
    assert sorted(fitted) == [False, True]
    assert stored(project) == [20]
