"""The table of states of trust and events."""

import pytest

from workers.rules.trust_states import (
    BY_FIGURES,
    BY_REQUESTER,
    BY_SIGNAL,
    BY_TIME,
    BY_WORKER,
    RESUME,
    TRANSITIONS,
    IllegalMoveError,
    Trust,
    TrustEvent,
    TrustState,
    following,
)


def test_every_state_is_reached_and_every_event_is_in_the_table():
    assert {TrustState.INVITED, *TRANSITIONS.values()} == set(TrustState)
    assert {event for _, event in TRANSITIONS} == set(TrustEvent)


def test_every_event_has_somebody_or_something_that_causes_it():
    assert set(TrustEvent) == BY_FIGURES | BY_REQUESTER | BY_SIGNAL | BY_TIME | BY_WORKER


@pytest.mark.parametrize("state", list(TrustState))
def test_an_event_leads_to_the_state_of_the_table_or_is_refused(state: TrustState):
    for event in TrustEvent:
        if (state, event) in TRANSITIONS:
            assert following(Trust(state), event) is TRANSITIONS[state, event]
        else:
            with pytest.raises(IllegalMoveError, match=f"A worker who is {state}"):
                following(Trust(state), event)


def test_a_suspended_worker_resumes_in_any_state_from_which_a_worker_is_suspended():
    suspended = {old for (old, event) in TRANSITIONS if event is TrustEvent.SUSPEND} - {TrustState.SUSPENDED}
    assert {old: TRANSITIONS[TrustState.SUSPENDED, resume] for old, resume in RESUME.items()} == {
        o: o for o in suspended
    }
