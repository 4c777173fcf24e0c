"""The time that proposals save: all answers of the box tasks, against chains that were drawn."""

import pytest

from pipeline.rules.boxing.belief.proposals_saved import USUAL, Chains, proposals_saved
from pipeline.rules.tasks.box_policy import BoxPolicy

SECONDS = (8.0, 27.0, 11.0, 9.0)
NONE = Chains(0, (0, 0, 0, 0))


def chains(number: int, *answers: float) -> list[Chains]:
    """Return so many chains with one box, each with these answers of the four tasks."""
    return [NONE, Chains(number, [number * each for each in answers]), NONE]


def test_good_and_bad_judgments_and_further_questions_are_taken_off():
    drawn = chains(10_000, 0, 1, 0, 1)
    for answers, each in (((0, 0, 0, 1), 27), ((0, 0, 1, 1), 16), ((0, 1, 1, 1), -11), ((0, 0, 1, 2), 7)):
        won = proposals_saved(chains(100, *answers), drawn, SECONDS, BoxPolicy.BELIEF)
        assert won.seconds == pytest.approx(100 * each, rel=0.01, abs=10), answers
        assert won.low < won.seconds < won.high
        assert (won.chains, won.drawn) == (100, 10_000)


def test_where_no_chain_was_drawn_the_usual_ones_stand_in_and_less_is_certain():
    tried = chains(100, 0, 0, 1, 1)
    many = chains(500, *USUAL[BoxPolicy.BELIEF][1])
    alone, beside = (proposals_saved(tried, one, SECONDS, BoxPolicy.BELIEF) for one in ([NONE] * 3, many))
    assert alone.seconds == pytest.approx(beside.seconds)
    assert alone.high - alone.low > 2 * (beside.high - beside.low)
    assert proposals_saved([NONE] * 3, [NONE] * 3, SECONDS, BoxPolicy.PAPER)[:4] == (0, 0, 0, 0)


def test_chains_that_end_with_more_boxes_are_held_against_such():
    two = [NONE, NONE, Chains(10, [10 * each for each in USUAL[BoxPolicy.PAPER][2]])]
    assert proposals_saved(two, [NONE] * 3, SECONDS, BoxPolicy.PAPER).seconds == pytest.approx(0)
