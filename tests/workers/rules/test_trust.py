"""How a worker gains, loses and regains trust."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from workers.rules.score import Rule, Score, Scores, below
from workers.rules.trust import Decision, Evidence, Model, TrustRules, act, decide
from workers.rules.trust_states import (
    BY_FIGURES,
    BY_REQUESTER,
    BY_SIGNAL,
    BY_TIME,
    BY_WORKER,
    RESUME,
    TRANSITIONS,
    Event,
    IllegalMoveError,
    Standing,
    State,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
RULES = TrustRules(minimum=0.8)
BARE = TrustRules(minimum=0.8, rule=Rule.BARE)
PROBATION = Standing(State.PROBATION, passed_test=True, probation_since=NOW - timedelta(days=1))
SECOND = replace(PROBATION, had_second_probation=True)
TRUSTED = Standing(State.TRUSTED, passed_test=True)
BARRED = Standing(State.BARRED, passed_test=True, had_second_probation=True)


def answers(*parts: tuple[int, int], on_probation: int | None = None) -> Evidence:
    """(right, wrong) in turn; within a part the right ones come first."""
    outcomes = [one for right, wrong in parts for one in [True] * right + [False] * wrong]
    return Evidence(Scores.of(outcomes), len(outcomes) if on_probation is None else on_probation)


def decided(standing: Standing, evidence: Evidence, rules: TrustRules = RULES) -> Decision:
    decision = decide(standing, evidence, rules, NOW)
    assert decision is not None
    return decision


def test_every_state_is_reached_and_every_event_is_in_the_table():
    assert {State.INVITED, *TRANSITIONS.values()} == set(State)
    assert {event for _, event in TRANSITIONS} == set(Event)


def test_every_event_has_somebody_or_something_that_causes_it():
    assert set(Event) == BY_FIGURES | BY_REQUESTER | BY_SIGNAL | BY_TIME | BY_WORKER


def test_nobody_leaves_barred_but_by_the_requester():
    leaving = {event for (state, event), new in TRANSITIONS.items() if state is State.BARRED and new is not state}
    assert leaving == {Event.REINSTATE, Event.REINSTATE_TO_TEST, Event.TRUST}
    assert leaving <= BY_REQUESTER - BY_WORKER - BY_SIGNAL - BY_TIME
    assert decide(BARRED, answers((300, 0)), RULES, NOW + timedelta(days=999)) is None


@pytest.mark.parametrize("state", list(State))
def test_what_the_table_does_not_name_is_refused(state: State):
    until = NOW + timedelta(days=1)
    for event in set(Event) - {Event.FAIL_LAST_TEST, *RESUME.values()}:
        passed, appealed = event is not Event.REINSTATE_TO_TEST, event is Event.REFUSE_APPEAL
        standing = Standing(state, passed_test=passed, appealed=appealed)
        if event not in BY_FIGURES and (state, event) in TRANSITIONS:
            decision = act(standing, event, RULES, NOW, until=until)
            assert (decision.event, decision.standing.state) == (event, TRANSITIONS[state, event])
        else:
            with pytest.raises(IllegalMoveError):
                act(standing, event, RULES, NOW, until=until)


# Probation


def test_twenty_nine_answers_decide_nothing():
    assert decide(PROBATION, answers((0, 29)), RULES, NOW) is None


def test_thirty_answers_at_the_minimum_give_trust():
    decision = decided(PROBATION, answers((24, 6)), BARE)
    assert (decision.event, decision.standing.state) == (Event.PASS_PROBATION, State.TRUSTED)
    assert decision.standing.trusted_since == NOW


def test_the_default_forgives_what_chance_explains_and_the_bare_comparison_does_not():
    assert decided(PROBATION, answers((19, 11))).event is Event.PASS_PROBATION
    assert decided(PROBATION, answers((18, 12))).event is Event.FAIL_PROBATION
    assert decided(PROBATION, answers((23, 7)), BARE).event is Event.FAIL_PROBATION


def test_who_fails_gets_one_more_probation_that_begins_now():
    standing = decided(PROBATION, answers((18, 12))).standing
    assert (standing.state, standing.had_second_probation) == (State.PROBATION, True)
    assert standing.probation_since == NOW


def test_the_second_probation_ends_in_trust_or_bars():
    good, bad = answers((18, 12), (27, 3), on_probation=30), answers((18, 12), (18, 12), on_probation=30)
    assert decided(SECOND, good).standing.state is State.TRUSTED
    assert decided(SECOND, bad).standing.state is State.BARRED


def test_the_second_probation_must_hold_the_overall_score_too():
    assert decided(SECOND, answers((5, 25), (25, 5), on_probation=30)).event is Event.FAIL_AGAIN


def test_a_longer_probation_goes_on_while_it_is_undecided():
    longer = TrustRules(minimum=0.8, probation_most=60)
    assert decide(PROBATION, answers((22, 8)), longer, NOW) is None
    assert decided(PROBATION, answers((24, 6)), longer).event is Event.PASS_PROBATION
    assert decided(PROBATION, answers((18, 12)), longer).event is Event.FAIL_PROBATION
    assert decided(PROBATION, answers((22, 8), (22, 8)), longer).event is Event.PASS_PROBATION


# Trust


def test_trust_is_kept_while_both_scores_hold():
    assert decide(TRUSTED, answers((60, 10)), RULES, NOW) is None


def test_trust_is_lost_by_the_recent_score_alone():
    decision = decided(TRUSTED, answers((300, 0), (18, 12)))
    assert (decision.event, decision.standing.state) == (Event.LOSE_TRUST, State.PROBATION)
    assert "recent" in decision.reason
    assert "overall score" not in decision.reason


def test_trust_is_lost_by_the_overall_score_alone():
    assert "overall score" in decided(TRUSTED, answers((200, 80), (24, 6))).reason


@pytest.mark.parametrize("total", [40, 100, 300, 1000])
def test_what_the_overall_score_lost_is_regained_by_twenty_eight_of_thirty(total: int):
    lost = max(right for right in range(total) if below(Score(right, total), 0.8)) - 1
    regained = Scores(overall=Score(lost, total) + Score(28, 30), recent=Score(28, 30))
    assert decided(TRUSTED, Evidence(Scores(overall=Score(lost, total)))).event is Event.LOSE_TRUST
    assert decided(SECOND, Evidence(regained, 30)).event is Event.PASS_PROBATION


def test_the_second_loss_bars():
    lost = decided(TRUSTED, answers((300, 0), (18, 12))).standing
    back = decided(lost, answers((300, 0), (18, 12), (27, 3), on_probation=30)).standing
    assert back.state is State.TRUSTED
    assert decided(back, answers((330, 3), (10, 20))).standing.state is State.BARRED


def test_who_was_trusted_by_hand_is_not_condemned_by_the_first_answer():
    assert decide(TRUSTED, answers((0, 1)), RULES, NOW) is None
    assert decide(TRUSTED, answers((0, 1)), BARE, NOW) is None
    assert decided(TRUSTED, answers((0, 3))).event is Event.LOSE_TRUST


def test_trusting_by_hand_begins_a_new_score_and_gives_both_probations_back():
    standing = act(BARRED, Event.TRUST, RULES, NOW).standing
    assert (standing.state, standing.score_since, standing.trusted_since) == (State.TRUSTED, NOW, NOW)
    assert not standing.had_second_probation


def test_losing_trust_voids_what_is_unresolved_and_failing_probation_does_not():
    assert decided(TRUSTED, answers((0, 30))).voids
    assert decided(replace(TRUSTED, had_second_probation=True), answers((0, 30))).voids
    assert not decided(PROBATION, answers((0, 30))).voids


def test_in_the_verification_model_nobody_gains_or_loses_trust():
    rules = TrustRules(model=Model.VERIFICATION)
    assert decide(PROBATION, answers((30, 0)), rules, NOW) is None
    assert decide(TRUSTED, answers((0, 30)), rules, NOW) is None


def test_a_decision_says_why_with_its_figures():
    decision = decided(PROBATION, answers((18, 12)))
    assert "18 of 30 right (60.0%" in decision.reason
    assert "below the minimum of 80% by more than chance explains" in decision.reason
    assert decision.figures()["overall"] == {
        "right": 18,
        "total": 30,
        "interval": pytest.approx((0.406, 0.773), abs=1e-3),
    }
    assert (decision.figures()["minimum"], decision.figures()["rule"]) == (0.8, "interval")


# The qualification test


def test_a_failed_test_may_be_tried_again_after_a_day():
    testing = act(Standing(), Event.BEGIN_TEST, RULES, NOW).standing
    failed = act(testing, Event.FAIL_TEST, RULES, NOW).standing
    assert (failed.state, failed.test_from) == (State.TESTING, NOW + timedelta(hours=24))
    with pytest.raises(IllegalMoveError, match="from 2026-05-02 12:00"):
        act(failed, Event.PASS_TEST, RULES, NOW + timedelta(hours=23))
    passed = act(failed, Event.PASS_TEST, RULES, NOW + timedelta(hours=24)).standing
    assert (passed.state, passed.probation_since) == (State.PROBATION, NOW + timedelta(hours=24))


def test_the_third_failed_test_bars_until_the_requester_lets_them_test_again():
    standing = Standing(State.TESTING, tests_failed=2)
    barred = act(standing, Event.FAIL_TEST, RULES, NOW)
    assert (barred.event, barred.standing.state) == (Event.FAIL_LAST_TEST, State.BARRED)
    again = act(barred.standing, Event.REINSTATE, RULES, NOW).standing
    assert (again.state, again.tests_failed, again.test_from) == (State.TESTING, 0, None)


# Suspension, appeal, reinstatement


@pytest.mark.parametrize("state", [State.TESTING, State.PROBATION, State.TRUSTED])
def test_a_suspension_ends_by_itself_where_it_began(state: State):
    until = NOW + timedelta(days=3)
    suspended = act(Standing(state), Event.SUSPEND, RULES, NOW, until=until, because="Too fast.")
    assert (suspended.standing.state, suspended.reason) == (State.SUSPENDED, "Too fast.")
    assert decide(suspended.standing, answers((0, 60)), RULES, until - timedelta(seconds=1)) is None
    back = decide(suspended.standing, Evidence(), RULES, until)
    assert back is not None
    assert (back.standing, back.reason) == (Standing(state), "The time is over.")


def test_suspending_twice_keeps_where_it_began():
    once = act(TRUSTED, Event.SUSPEND, RULES, NOW, until=NOW + timedelta(days=1)).standing
    twice = act(once, Event.SUSPEND, RULES, NOW, until=NOW + timedelta(days=9)).standing
    assert (twice.resumes, twice.suspended_until) == (State.TRUSTED, NOW + timedelta(days=9))
    assert act(twice, Event.RESUME_TEST, RULES, NOW).standing == TRUSTED


@pytest.mark.parametrize("until", [None, NOW])
def test_a_suspension_needs_an_end(until: datetime | None):
    with pytest.raises(IllegalMoveError, match="future"):
        act(TRUSTED, Event.SUSPEND, RULES, NOW, until=until)


def test_who_is_barred_appeals_once_and_stays_barred_until_it_is_granted():
    appealed = act(BARRED, Event.APPEAL, RULES, NOW).standing
    refused = act(appealed, Event.REFUSE_APPEAL, RULES, NOW).standing
    assert appealed.state is refused.state is State.BARRED
    with pytest.raises(IllegalMoveError, match="already"):
        act(refused, Event.APPEAL, RULES, NOW)


def test_there_is_no_refusing_without_an_appeal():
    with pytest.raises(IllegalMoveError, match="no appeal"):
        act(BARRED, Event.REFUSE_APPEAL, RULES, NOW)


def test_reinstating_begins_anew_with_both_probations():
    standing = act(BARRED, Event.REINSTATE, RULES, NOW).standing
    assert (standing.state, standing.score_since, standing.probation_since) == (State.PROBATION, NOW, NOW)
    assert not standing.had_second_probation


def test_who_is_barred_again_may_appeal_again():
    reinstated = act(act(BARRED, Event.APPEAL, RULES, NOW).standing, Event.REINSTATE, RULES, NOW).standing
    by_hand = act(reinstated, Event.BAR, RULES, NOW)
    by_figures = decided(replace(reinstated, had_second_probation=True), answers((0, 30)))
    by_test = act(Standing(State.TESTING, tests_failed=2, appealed=True), Event.FAIL_TEST, RULES, NOW)
    for barred in (by_hand, by_figures, by_test):
        assert barred.standing.state is State.BARRED
        assert act(barred.standing, Event.APPEAL, RULES, NOW).standing.appealed


def test_rules_out_of_range_are_refused():
    for wrong in ({"minimum": 1.0}, {"probation_most": 29}, {"tests": 0}):
        with pytest.raises(ValueError, match="out of range"):
            TrustRules(**wrong)  # type: ignore[arg-type]
