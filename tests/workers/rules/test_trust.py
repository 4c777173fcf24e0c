"""Trust of workers, the work that follows from it, and the scores that decide."""

from bisect import bisect_left
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from math import comb
from typing import Any

import pytest

from tests.support.table import case, row
from workers.rules import trust_states
from workers.rules.score import Score, ScoreRule, Scores, below
from workers.rules.texts import WorkerText
from workers.rules.trust import Decision, Evidence, TrustModel, TrustRules, act, decide
from workers.rules.trust_states import TRANSITIONS, IllegalMoveError, Trust, TrustEvent, TrustState
from workers.rules.work import NextWork, Shortage, WorkKind, shortage, work_for

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
RULES = TrustRules(minimum=0.8)
BARE = TrustRules(minimum=0.8, rule=ScoreRule.BARE)
LONGER = TrustRules(minimum=0.8, probation_most=60)
IN_BATCHES = TrustRules(model=TrustModel.VERIFICATION)
PROBATION = Trust(TrustState.PROBATION, passed_test=True, probation_since=NOW - timedelta(days=1))
SECOND = replace(PROBATION, had_second_probation=True)
TRUSTED = Trust(TrustState.TRUSTED, passed_test=True)
BARRED = Trust(TrustState.BARRED, passed_test=True, had_second_probation=True)


def answers(*parts: tuple[int, int], on_probation: int | None = None) -> Evidence:
    """(right, wrong) in turn; within a part the right ones come first."""
    outcomes = [one for right, wrong in parts for one in [True] * right + [False] * wrong]
    last = outcomes if on_probation is None else outcomes[-on_probation:]
    return Evidence(Scores.of(outcomes), Score(sum(last), len(last)))


def decided(trust: Trust, evidence: Evidence, rules: TrustRules = RULES) -> Decision:
    decision = decide(trust, evidence, rules, NOW)
    assert decision is not None
    return decision


def test_nobody_leaves_barred_but_by_the_requester():
    leaving = {event for (state, event), new in TRANSITIONS.items() if state is TrustState.BARRED and new is not state}
    assert leaving == {TrustEvent.REINSTATE, TrustEvent.REINSTATE_TO_TEST, TrustEvent.TRUST}
    assert decide(BARRED, answers((300, 0)), RULES, NOW + timedelta(days=999)) is None


def test_what_the_table_does_not_name_is_refused():
    until = NOW + timedelta(days=1)
    events = set(TrustEvent) - {TrustEvent.FAIL_LAST_TEST, *trust_states.RESUME.values()}
    moves = {}
    for state, event in product(TrustState, events):
        passed, appealed = event is not TrustEvent.REINSTATE_TO_TEST, event is TrustEvent.REFUSE_APPEAL
        trust = Trust(state, passed_test=passed, appealed=appealed)
        with suppress(IllegalMoveError):
            decision = act(trust, event, RULES, NOW, until=until)
            moves[state, event] = (decision.event, decision.trust.state)
    acts = events - trust_states.BY_FIGURES
    assert moves == {(old, event): (event, new) for (old, event), new in TRANSITIONS.items() if event in acts}


PASS, FAIL, AGAIN = TrustEvent.PASS_PROBATION, TrustEvent.FAIL_PROBATION, TrustEvent.FAIL_AGAIN
LOSE = TrustEvent.LOSE_TRUST


def used_up(*parts: tuple[int, int]) -> Evidence:
    return replace(answers(*parts), known_used_up=True)


@case("twenty-nine answers decide nothing", PROBATION, answers((0, 29)), RULES, None)
@case("the bare comparison fails a probation", PROBATION, answers((23, 7)), BARE, FAIL)
@case("the default forgives what chance explains", TRUSTED, answers((19, 11)), RULES, None)
@case("and no more", TRUSTED, answers((18, 12)), RULES, LOSE)
@case("the bare comparison forgives nothing", TRUSTED, answers((23, 7)), BARE, LOSE)
@case("trust is kept while both scores hold", TRUSTED, answers((60, 10)), RULES, None)
@case("the first answer condemns nobody", TRUSTED, answers((0, 1)), RULES, None)
@case("nor by the bare comparison", TRUSTED, answers((0, 1)), BARE, None)
@case("of fewer than a probation takes", TRUSTED, answers((0, 9)), replace(BARE, probation=10), None)
@case("as many do", TRUSTED, answers((0, 10)), replace(BARE, probation=10), LOSE)
@case("the third does", TRUSTED, answers((0, 3)), RULES, LOSE)
@case("a good second probation", SECOND, answers((18, 12), (27, 3), on_probation=30), RULES, PASS)
@case("a bad one bars", SECOND, answers((18, 12), (18, 12), on_probation=30), RULES, AGAIN)
@case("the overall score counts, too", SECOND, answers((5, 25), (25, 5), on_probation=30), RULES, AGAIN)
@case("a longer one goes on while it is undecided", PROBATION, answers((22, 8)), LONGER, None)
@case("and not when it is good", PROBATION, answers((24, 6)), LONGER, PASS)
@case("or clearly bad", PROBATION, answers((18, 12)), LONGER, FAIL)
@case("undecided up to the last answer", PROBATION, answers((23, 7), (22, 7)), LONGER, None)
@case("at its end the score itself decides: good", PROBATION, answers((24, 6), (24, 6)), LONGER, PASS)
@case("or bad", PROBATION, answers((24, 6), (23, 7)), LONGER, FAIL)
@case("or worse", PROBATION, answers((21, 9), (21, 9)), LONGER, FAIL)
@case("the second time, too", SECOND, answers((21, 9), (21, 9)), LONGER, AGAIN)
@case("a probation goes on with a stock", PROBATION, answers((5, 1), (22, 7)), LONGER, None)
@case("and ends with it, bad", PROBATION, used_up((5, 1), (22, 7)), LONGER, FAIL)
@case("or good", PROBATION, used_up((5, 1), (23, 6)), LONGER, PASS)
@case("but not before thirty answers", PROBATION, used_up((0, 29)), LONGER, None)
@case("nobody gains trust in the verification model", PROBATION, answers((30, 0)), IN_BATCHES, None)
@case("nor loses it", TRUSTED, answers((0, 30)), IN_BATCHES, None)
def test_figures_decide(trust: Trust, evidence: Evidence, rules: TrustRules, event: TrustEvent | None):
    found = decide(trust, evidence, rules, NOW)
    assert (found and found.event) == event
    assert (found is not None and found.trust.state is TrustState.BARRED) is (event is AGAIN)


def test_at_the_end_of_a_longer_probation_its_figures_are_the_reason():
    assert "since probation began, 47 of 60" in decided(PROBATION, answers((24, 6), (23, 7)), LONGER).reason


def test_thirty_answers_at_the_minimum_give_trust():
    decision = decided(PROBATION, answers((24, 6)), BARE)
    assert (decision.event, decision.trust.state) == (TrustEvent.PASS_PROBATION, TrustState.TRUSTED)
    assert decision.trust.trusted_since == NOW


def test_who_fails_gets_one_more_probation_that_begins_now():
    trust = decided(PROBATION, answers((18, 12))).trust
    assert (trust.state, trust.had_second_probation) == (TrustState.PROBATION, True)
    assert trust.probation_since == NOW


def test_trust_is_lost_by_the_recent_or_the_overall_score_alone():
    decision = decided(TRUSTED, answers((300, 0), (18, 12)))
    assert (decision.event, decision.trust.state) == (TrustEvent.LOSE_TRUST, TrustState.PROBATION)
    assert "recent" in decision.reason and "overall score" not in decision.reason
    assert "overall score" in decided(TRUSTED, answers((200, 80), (24, 6))).reason


def enough_of(total: int) -> int:
    """Return the fewest right answers that are not below 80 %. More are never below it if fewer are not."""
    return bisect_left(range(total), True, key=lambda right: not below(Score(right, total), 0.8))


def test_what_the_overall_score_lost_is_regained_by_twenty_eight_of_thirty():
    for total in (40, 100, 300, 1000):
        enough = enough_of(total)
        assert below(Score(enough - 1, total), 0.8) and not below(Score(enough, total), 0.8), total
        lost = enough - 2
        regained = Scores(overall=Score(lost, total) + Score(28, 30), recent=Score(28, 30))
        loses = decided(TRUSTED, Evidence(Scores(overall=Score(lost, total))))
        regains = decided(SECOND, Evidence(regained, regained.recent))
        assert (loses.event, regains.event) == (TrustEvent.LOSE_TRUST, TrustEvent.PASS_PROBATION), total


def test_the_second_loss_bars():
    lost = decided(TRUSTED, answers((300, 0), (18, 12))).trust
    back = decided(lost, answers((300, 0), (18, 12), (27, 3), on_probation=30)).trust
    assert back.state is TrustState.TRUSTED
    assert decided(back, answers((330, 3), (10, 20))).trust.state is TrustState.BARRED


def test_losing_trust_voids_what_is_unresolved_and_failing_probation_does_not():
    assert decided(TRUSTED, answers((0, 30))).voids
    assert decided(replace(TRUSTED, had_second_probation=True), answers((0, 30))).voids
    assert not decided(PROBATION, answers((0, 30))).voids


def test_a_decision_says_why_with_its_figures():
    decision = decided(PROBATION, answers((20, 0), (18, 12), on_probation=40))
    assert "38 of 50 right" in decision.reason and "the last 30: 18 of 30 right (60.0 %" in decision.reason
    assert "below the minimum of 80 % by more than chance explains" in decision.reason
    assert decision.figures() == {
        "overall": {"right": 38, "total": 50, "interval": Score(38, 50).estimate[1:]},
        "recent": {"right": 18, "total": 30, "interval": pytest.approx((0.406, 0.773), abs=1e-3)},
        "answered_on_probation": 40,
        "minimum": 0.8,
        "rule": "interval",
    }
    assert act(TRUSTED, TrustEvent.BAR, RULES, NOW).figures() == {}


AGO = NOW - timedelta(days=2)
MARKED: dict[str, Any] = {
    **dict.fromkeys(("test_from", "probation_since", "trusted_since", "score_since", "suspended_until"), AGO),
    "tests_failed": 1, "had_second_probation": True, "resumes": TrustState.PROBATION, "appealed": True,
}  # fmt: skip
PASSED = {"passed_test": True, "probation_since": NOW, "test_from": None}
ANEW = {"had_second_probation": False, "score_since": NOW}
FREE = {"resumes": None, "suspended_until": None}


@row(TrustState.TESTING, TrustEvent.PASS_TEST, {}, PASSED)
@row(TrustState.TESTING, TrustEvent.WAIVE_TEST, {}, PASSED)
@row(TrustState.TESTING, TrustEvent.FAIL_TEST, {}, {"tests_failed": 2, "test_from": NOW + timedelta(hours=24)})
@row(TrustState.TESTING, TrustEvent.FAIL_TEST, {"tests_failed": 2}, {"tests_failed": 3, "test_from": None})
@row(TrustState.SUSPENDED, TrustEvent.BAR, {}, FREE)
@row(TrustState.BARRED, TrustEvent.TRUST, {}, {"passed_test": True, "trusted_since": NOW, **ANEW, **FREE})
@row(TrustState.BARRED, TrustEvent.REINSTATE, {"passed_test": True}, {"probation_since": NOW, **ANEW})
@row(TrustState.BARRED, TrustEvent.REINSTATE, {"passed_test": False}, {"tests_failed": 0})
def test_an_event_changes_this_and_nothing_else(
    state: TrustState, event: TrustEvent, own: dict[str, Any], changes: dict[str, Any]
):
    before = Trust(state, **{**MARKED, **own})
    after = act(before, event, RULES, NOW).trust
    cleared: dict[str, Any] = {"appealed": False} if event in (TrustEvent.FAIL_TEST, TrustEvent.BAR) else {}
    assert after == replace(before, state=after.state, **changes, **cleared)


def test_a_failed_test_may_be_tried_again_after_a_day():
    testing = act(Trust(), TrustEvent.BEGIN_TEST, RULES, NOW).trust
    failed = act(testing, TrustEvent.FAIL_TEST, RULES, NOW).trust
    assert (failed.state, failed.test_from) == (TrustState.TESTING, NOW + timedelta(hours=24))
    with pytest.raises(IllegalMoveError, match="from 2026-05-02 12:00"):
        act(failed, TrustEvent.PASS_TEST, RULES, NOW + timedelta(hours=23))
    passed = act(failed, TrustEvent.PASS_TEST, RULES, NOW + timedelta(hours=24)).trust
    assert (passed.state, passed.probation_since) == (TrustState.PROBATION, NOW + timedelta(hours=24))


def test_the_third_failed_test_bars_until_the_requester_lets_them_test_again():
    trust = Trust(TrustState.TESTING, tests_failed=2)
    barred = act(trust, TrustEvent.FAIL_TEST, RULES, NOW)
    assert (barred.event, barred.trust.state) == (TrustEvent.FAIL_LAST_TEST, TrustState.BARRED)
    again = act(barred.trust, TrustEvent.REINSTATE, RULES, NOW).trust
    assert (again.state, again.tests_failed, again.test_from) == (TrustState.TESTING, 0, None)


def test_a_suspension_ends_by_itself_where_it_began():
    until = NOW + timedelta(days=3)
    for state in (TrustState.TESTING, TrustState.PROBATION, TrustState.TRUSTED):
        suspended = act(Trust(state), TrustEvent.SUSPEND, RULES, NOW, until=until, because="Too fast.")
        assert (suspended.trust.state, suspended.reason) == (TrustState.SUSPENDED, "Too fast."), state
        assert decide(suspended.trust, answers((0, 60)), RULES, until - timedelta(seconds=1)) is None, state
        back = decide(suspended.trust, Evidence(), RULES, until)
        assert back is not None, state
        assert (back.trust, back.reason) == (Trust(state), "The time is over.")


def test_suspending_twice_keeps_where_it_began():
    once = act(TRUSTED, TrustEvent.SUSPEND, RULES, NOW, until=NOW + timedelta(days=1)).trust
    twice = act(once, TrustEvent.SUSPEND, RULES, NOW, until=NOW + timedelta(days=9)).trust
    assert (twice.resumes, twice.suspended_until) == (TrustState.TRUSTED, NOW + timedelta(days=9))
    assert act(twice, TrustEvent.RESUME_TEST, RULES, NOW).trust == TRUSTED


@case("a suspension needs an end", TRUSTED, TrustEvent.SUSPEND, None, "future")
@case("that lies in the future", TRUSTED, TrustEvent.SUSPEND, NOW, "future")
@case("there is no refusing without an appeal", BARRED, TrustEvent.REFUSE_APPEAL, None, "no appeal")
def test_an_act_is_refused(trust: Trust, event: TrustEvent, until: datetime | None, words: str):
    with pytest.raises(IllegalMoveError, match=words):
        act(trust, event, RULES, NOW, until=until)


def test_who_is_barred_appeals_once_and_stays_barred_until_it_is_granted():
    appealed = act(BARRED, TrustEvent.APPEAL, RULES, NOW).trust
    refused = act(appealed, TrustEvent.REFUSE_APPEAL, RULES, NOW).trust
    assert appealed.state is refused.state is TrustState.BARRED
    with pytest.raises(IllegalMoveError, match="already"):
        act(refused, TrustEvent.APPEAL, RULES, NOW)


def test_who_is_barred_again_may_appeal_again():
    reinstated = act(act(BARRED, TrustEvent.APPEAL, RULES, NOW).trust, TrustEvent.REINSTATE, RULES, NOW).trust
    by_hand = act(reinstated, TrustEvent.BAR, RULES, NOW)
    by_figures = decided(replace(reinstated, had_second_probation=True), answers((0, 30)))
    by_test = act(Trust(TrustState.TESTING, tests_failed=2, appealed=True), TrustEvent.FAIL_TEST, RULES, NOW)
    for barred in (by_hand, by_figures, by_test):
        assert barred.trust.state is TrustState.BARRED
        assert act(barred.trust, TrustEvent.APPEAL, RULES, NOW).trust.appealed


def test_rules_out_of_range_are_refused():
    assert TrustRules(probation=1, probation_most=1, tests=1)
    for wrong in ({"minimum": 0.0}, {"minimum": 1.0}, {"probation": 0}, {"probation_most": 29}, {"tests": 0}):
        with pytest.raises(ValueError, match="out of range"):
            TrustRules(**wrong)  # type: ignore[arg-type]


def test_every_state_is_reached_and_every_event_is_in_the_table():
    assert {TrustState.INVITED, *TRANSITIONS.values()} == set(TrustState)
    assert {event for _, event in TRANSITIONS} == set(TrustEvent)


def test_a_suspended_worker_resumes_in_any_state_from_which_a_worker_is_suspended():
    suspended = {old for (old, event) in TRANSITIONS if event is TrustEvent.SUSPEND} - {TrustState.SUSPENDED}
    resumed = {old: TRANSITIONS[TrustState.SUSPENDED, resume] for old, resume in trust_states.RESUME.items()}
    assert resumed == {old: old for old in suspended}


LATER = NOW + timedelta(days=1)
WORK_RULES = TrustRules()


@case("invited", TrustState.INVITED, WorkKind.TEST)
@case("testing", TrustState.TESTING, WorkKind.TEST)
@case("probation", TrustState.PROBATION, WorkKind.VERIFICATION)
@case("trusted", TrustState.TRUSTED, WorkKind.REAL)
@case("suspended", TrustState.SUSPENDED, WorkKind.NONE)
@case("barred", TrustState.BARRED, WorkKind.NONE)
def test_each_state_has_its_kind_of_work(state: TrustState, kind: WorkKind):
    given = work_for(Trust(state, suspended_until=LATER), WORK_RULES, NOW, unseen=230)
    assert (given.kind, bool(given.reason)) == (kind, kind is WorkKind.NONE)


VERIFYING = TrustRules(model=TrustModel.VERIFICATION)


@case("on probation all is known", TrustState.PROBATION, WORK_RULES, 30, NextWork(WorkKind.VERIFICATION, 1))
@case("with trust two in a hundred", TrustState.TRUSTED, WORK_RULES, 1, NextWork(WorkKind.REAL, 0.02))
@case("in the verification model a fifth", TrustState.PROBATION, VERIFYING, 1, NextWork(WorkKind.REAL, 0.2))
@case(
    "who has seen the whole stock gets real questions only",
    TrustState.TRUSTED,
    WORK_RULES,
    0,
    NextWork(WorkKind.REAL, 0.0),
)
def test_the_rate_of_verification_questions(state: TrustState, rules: TrustRules, unseen: int, work: NextWork):
    assert work_for(Trust(state), rules, NOW, unseen=unseen) == work


def test_a_failed_test_is_waited_for():
    testing = Trust(TrustState.TESTING, test_from=LATER)
    assert work_for(testing, WORK_RULES, NOW, unseen=230).reason == WorkerText.TEST_LATER.coded(time=LATER.isoformat())
    assert work_for(testing, WORK_RULES, LATER, unseen=230).kind is WorkKind.TEST


def test_a_probation_that_cannot_be_finished_waits_and_the_requester_is_told():
    trust = Trust(TrustState.PROBATION)
    for answered, unseen, waits in [(0, 29, True), (0, 30, False), (20, 10, False), (20, 9, True)]:
        given = work_for(trust, WORK_RULES, NOW, unseen=unseen, answered=answered)
        told = shortage(trust, WORK_RULES, known_questions=60, unseen=unseen, answered=answered)
        found = (given.kind is WorkKind.NONE, told is Shortage.PROBATION_WAITS)
        assert found == (waits, waits), f"{answered} answered, {unseen} unseen"


def test_a_longer_probation_waits_when_nothing_is_left():
    longer = TrustRules(probation_most=60)
    assert work_for(Trust(TrustState.PROBATION), longer, NOW, unseen=0, answered=40).kind is WorkKind.NONE


@case("a small stock is closed to newcomers", TrustState.TESTING, 29, 29, Shortage.CLOSED)
@case("one of thirty is open", TrustState.TESTING, 30, 30, None)
@case("the requester is warned before it is used up", TrustState.TRUSTED, 60, 29, Shortage.NO_SECOND_PROBATION)
@case("not while thirty are left", TrustState.TRUSTED, 60, 30, None)
@case("its end is told", TrustState.TRUSTED, 60, 0, Shortage.USED_UP)
def test_a_shortage_of_the_stock(state: TrustState, stock: int, unseen: int, told: Shortage | None):
    assert shortage(Trust(state), WORK_RULES, known_questions=stock, unseen=unseen) is told


MINIMA = (0.70, 0.78, 0.80, 0.83)


def chance_of_at_most(right: int, total: int, share: float) -> float:
    return sum(comb(total, k) * share**k * (1 - share) ** (total - k) for k in range(right + 1))


def test_the_interval_is_the_one_of_the_tables_and_reaches_the_ends_where_all_or_none_is_right():
    assert Score(24, 30).estimate[1:] == pytest.approx((0.6143, 0.9229), abs=5e-5)
    assert Score(10, 10).estimate[1:] == (pytest.approx(0.025**0.1), 1.0)
    assert Score(0, 10).estimate[1:] == (0.0, pytest.approx(1 - 0.025**0.1))
    assert Score().estimate[1:] == (0.0, 1.0)


def test_the_interval_rule_condemns_whom_chance_explains_in_less_than_one_of_forty_cases():
    scores = [Score(right, total) for total in (1, 10, 31) for right in range(total + 1)]
    for minimum, score in product(MINIMA, scores):
        expected = chance_of_at_most(score.right, score.total, minimum) < 0.025
        assert below(score, minimum) is expected, f"{score} of at least {minimum}"
        assert (score.estimate.high < minimum) is expected, f"{score} of at least {minimum}"


def test_the_most_that_is_too_little_of_thirty():
    too_little = {m: max(right for right in range(31) if below(Score(right, 30), m)) for m in MINIMA}
    assert too_little == {0.70: 15, 0.78: 18, 0.80: 18, 0.83: 20}


def test_the_bare_comparison_holds_at_the_minimum_itself_despite_rounding():
    assert not below(Score(24, 30), 0.8, ScoreRule.BARE)
    assert below(Score(23, 30), 0.8, ScoreRule.BARE)
    assert not any(below(Score(n, 100), n / 100, ScoreRule.BARE) for n in range(1, 100))


def test_nobody_is_below_before_the_first_answer():
    assert [rule for rule in ScoreRule if below(Score(), 0.99, rule)] == []
    assert Score().share is None


def test_thousands_of_answers_are_no_trouble():
    assert [below(Score(right, 10_000), 0.8) for right in (7_900, 7_980, 9_999)] == [True, False, False]


def test_the_recent_score_is_that_of_the_last_thirty():
    outcomes = [False] * 20 + [True] * 25 + [False] * 5
    assert Scores.of(outcomes) == Scores(overall=Score(25, 50), recent=Score(25, 30))
    assert Scores.of([True, False]).recent == Score(1, 2)


@pytest.mark.parametrize("right", [-1, 4])
def test_an_impossible_score_is_refused(right: int):
    with pytest.raises(ValueError, match=f"{right} right of 3"):
        Score(right, 3)


def test_a_score_says_itself_in_words():
    assert str(Score(24, 30)) == "24 of 30 right (80.0 %; 95 % interval 61.4 to 92.3 %)"
