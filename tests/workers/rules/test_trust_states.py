"""The table of states of trust and events."""

from itertools import product

from workers.rules.trust_states import (
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


def state_or_refusal(state: TrustState, event: TrustEvent) -> TrustState | str:
    """Return the new state, or why the event is refused."""
    try:
        return following(Trust(state), event)
    except IllegalMoveError as error:
        return f"refused: {error}"


def test_an_event_leads_to_the_state_of_the_table_or_is_refused():
    for state, event in product(TrustState, TrustEvent):
        found = state_or_refusal(state, event)
        if (state, event) in TRANSITIONS:
            assert found is TRANSITIONS[state, event], (state, event)
        else:
            assert found.startswith(f"refused: A worker who is {state}"), (state, event)


def test_a_suspended_worker_resumes_in_any_state_from_which_a_worker_is_suspended():
    suspended = {old for (old, event) in TRANSITIONS if event is TrustEvent.SUSPEND} - {TrustState.SUSPENDED}
    assert {old: TRANSITIONS[TrustState.SUSPENDED, resume] for old, resume in RESUME.items()} == {
        o: o for o in suspended
    }
