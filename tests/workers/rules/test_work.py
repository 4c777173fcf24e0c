"""What a worker may be given, and what the requester is warned of."""

from datetime import UTC, datetime, timedelta

import pytest

from workers.rules.trust import Model, TrustRules
from workers.rules.trust_states import Standing, State
from workers.rules.work import Kind, Shortage, Work, shortage, work_for

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
RULES = TrustRules()
KINDS = {
    State.INVITED: Kind.TEST,
    State.TESTING: Kind.TEST,
    State.PROBATION: Kind.VERIFICATION,
    State.TRUSTED: Kind.REAL,
    State.SUSPENDED: Kind.NONE,
    State.BARRED: Kind.NONE,
}


@pytest.mark.parametrize("state", list(State))
def test_each_state_has_its_kind_of_work(state: State):
    given = work_for(Standing(state, suspended_until=LATER), RULES, NOW, unseen=230)
    assert given.kind is KINDS[state]
    assert bool(given.reason) is (given.kind is Kind.NONE)


def test_the_rate_is_whole_on_probation_two_in_a_hundred_with_trust_and_a_fifth_in_the_verification_model():
    model = TrustRules(model=Model.VERIFICATION)
    assert work_for(Standing(State.PROBATION), RULES, NOW, unseen=30).rate == 1
    assert work_for(Standing(State.TRUSTED), RULES, NOW, unseen=1) == Work(Kind.REAL, 0.02)
    assert work_for(Standing(State.PROBATION), model, NOW, unseen=1) == Work(Kind.REAL, 0.2)


def test_a_failed_test_is_waited_for():
    testing = Standing(State.TESTING, test_from=LATER)
    assert work_for(testing, RULES, NOW, unseen=230).reason == "You may take the test again from 02 May, 12:00."
    assert work_for(testing, RULES, LATER, unseen=230).kind is Kind.TEST


def test_who_has_seen_the_whole_stock_gets_real_questions_only():
    assert work_for(Standing(State.TRUSTED), RULES, NOW, unseen=0) == Work(Kind.REAL, 0.0)
    assert shortage(Standing(State.TRUSTED), RULES, stock=60, unseen=0) is Shortage.USED_UP


@pytest.mark.parametrize(
    ("answered", "unseen", "waits"), [(0, 29, True), (0, 30, False), (20, 10, False), (20, 9, True)]
)
def test_a_probation_that_cannot_be_finished_waits_and_the_requester_is_told(answered: int, unseen: int, waits: bool):
    standing = Standing(State.PROBATION)
    given = work_for(standing, RULES, NOW, unseen=unseen, answered=answered)
    told = shortage(standing, RULES, stock=60, unseen=unseen, answered=answered)
    assert (given.kind is Kind.NONE) is (told is Shortage.PROBATION_WAITS) is waits


def test_a_longer_probation_waits_when_nothing_is_left():
    longer = TrustRules(probation_most=60)
    assert work_for(Standing(State.PROBATION), longer, NOW, unseen=0, answered=40).kind is Kind.NONE


def test_a_small_stock_is_closed_to_newcomers():
    assert shortage(Standing(State.TESTING), RULES, stock=29, unseen=29) is Shortage.CLOSED
    assert shortage(Standing(State.TESTING), RULES, stock=30, unseen=30) is None


def test_the_requester_is_warned_before_the_stock_is_used_up():
    assert shortage(Standing(State.TRUSTED), RULES, stock=60, unseen=29) is Shortage.NO_SECOND_PROBATION
    assert shortage(Standing(State.TRUSTED), RULES, stock=60, unseen=30) is None
