"""Pay of a worker whose sessions are settled in any order, searched for a counterexample."""

from hypothesis import given
from hypothesis import strategies as st

from platforms.rules.settling import SessionFacts, bonus_cents

facts = st.builds(
    SessionFacts,
    handed_in=st.just(True),
    platform_state=st.just("submitted"),
    reward=st.integers(1, 100),
    earned=st.integers(0, 200),
    refused=st.just(0),
)


@given(st.lists(facts, max_size=6), st.integers(0, 300), st.randoms(use_true_random=False))
def test_in_whatever_order_a_worker_gets_each_reward_whole_and_everything_that_is_owed(sessions, elsewhere, lot):
    """`elsewhere`: cents owed for other things, such as a bonus by hand."""
    owed = sum(one.earned for one in sessions) + elsewhere
    waiting, paid = list(sessions), 0
    while True:
        more = bonus_cents(owed, 0, waiting)
        owed, paid = owed - more, paid + more
        if not waiting:
            break
        one = waiting.pop(lot.randrange(len(waiting)))
        owed, paid = owed + one.extra - one.reward, paid + one.reward
    assert owed == 0
    assert paid == sum(max(one.earned, one.reward) for one in sessions) + elsewhere
