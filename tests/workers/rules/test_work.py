"""The next work of a worker, and warnings to the requester."""

from datetime import UTC, datetime, timedelta

from workers.rules.texts import Text
from workers.rules.trust import TrustModel, TrustRules
from workers.rules.trust_states import Trust, TrustState
from workers.rules.work import Shortage, Work, WorkKind, shortage, work_for

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
RULES = TrustRules()
KINDS = {
    TrustState.INVITED: WorkKind.TEST,
    TrustState.TESTING: WorkKind.TEST,
    TrustState.PROBATION: WorkKind.VERIFICATION,
    TrustState.TRUSTED: WorkKind.REAL,
    TrustState.SUSPENDED: WorkKind.NONE,
    TrustState.BARRED: WorkKind.NONE,
}


def test_each_state_has_its_kind_of_work():
    given = {state: work_for(Trust(state, suspended_until=LATER), RULES, NOW, unseen=230) for state in TrustState}
    assert {state: work.kind for state, work in given.items()} == KINDS
    assert all(bool(work.reason) is (work.kind is WorkKind.NONE) for work in given.values()), given


def test_the_rate_is_whole_on_probation_two_in_a_hundred_with_trust_and_a_fifth_in_the_verification_model():
    model = TrustRules(model=TrustModel.VERIFICATION)
    assert work_for(Trust(TrustState.PROBATION), RULES, NOW, unseen=30).rate == 1
    assert work_for(Trust(TrustState.TRUSTED), RULES, NOW, unseen=1) == Work(WorkKind.REAL, 0.02)
    assert work_for(Trust(TrustState.PROBATION), model, NOW, unseen=1) == Work(WorkKind.REAL, 0.2)


def test_a_failed_test_is_waited_for():
    testing = Trust(TrustState.TESTING, test_from=LATER)
    assert work_for(testing, RULES, NOW, unseen=230).reason == Text.TEST_LATER.coded(time=LATER.isoformat())
    assert work_for(testing, RULES, LATER, unseen=230).kind is WorkKind.TEST


def test_who_has_seen_the_whole_stock_gets_real_questions_only():
    assert work_for(Trust(TrustState.TRUSTED), RULES, NOW, unseen=0) == Work(WorkKind.REAL, 0.0)
    assert shortage(Trust(TrustState.TRUSTED), RULES, stock=60, unseen=0) is Shortage.USED_UP


def test_a_probation_that_cannot_be_finished_waits_and_the_requester_is_told():
    trust = Trust(TrustState.PROBATION)
    for answered, unseen, waits in [(0, 29, True), (0, 30, False), (20, 10, False), (20, 9, True)]:
        given = work_for(trust, RULES, NOW, unseen=unseen, answered=answered)
        told = shortage(trust, RULES, stock=60, unseen=unseen, answered=answered)
        found = (given.kind is WorkKind.NONE, told is Shortage.PROBATION_WAITS)
        assert found == (waits, waits), f"{answered} answered, {unseen} unseen"


def test_a_longer_probation_waits_when_nothing_is_left():
    longer = TrustRules(probation_most=60)
    assert work_for(Trust(TrustState.PROBATION), longer, NOW, unseen=0, answered=40).kind is WorkKind.NONE


def test_a_small_stock_is_closed_to_newcomers():
    assert shortage(Trust(TrustState.TESTING), RULES, stock=29, unseen=29) is Shortage.CLOSED
    assert shortage(Trust(TrustState.TESTING), RULES, stock=30, unseen=30) is None


def test_the_requester_is_warned_before_the_stock_is_used_up():
    assert shortage(Trust(TrustState.TRUSTED), RULES, stock=60, unseen=29) is Shortage.NO_SECOND_PROBATION
    assert shortage(Trust(TrustState.TRUSTED), RULES, stock=60, unseen=30) is None
