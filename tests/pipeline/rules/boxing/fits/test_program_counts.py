"""The number of boxes that a program proposes tells as much of a chain as it told of those that are finished."""

import pytest

from pipeline.rules.boxing.fits.program_counts import counted_numbers, with_proposed
from pipeline.rules.boxing.prior.box_prior import BoxPrior, ProgramRecord
from pipeline.rules.boxing.prior.program_trust import NO_BOXES

COUNTS = (0.25, 0.5, 0.125, 0.0625, 0.0625)
CAREFUL = [(0, 0)] * 20 + [(1, 1)] * 70 + [(2, 2)] * 10


def prior(chains: list[tuple[int, int]]) -> BoxPrior:
    numbers = counted_numbers((boxes, {"7": proposed}) for boxes, proposed in chains)
    return BoxPrior(programs={"7": ProgramRecord(NO_BOXES, NO_BOXES, numbers["7"])})


def test_chains_are_counted_by_the_number_of_their_boxes_and_of_the_proposed_ones():
    rows = counted_numbers([(0, {"7": 0, "8": 1}), (1, {"7": 1}), (5, {"7": 9}), (5, {"7": 3}), (2, {})])
    assert rows["7"] == ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 0), (0, 0, 0, 2))
    assert sum(map(sum, rows["8"])) == 1


def test_no_box_of_a_program_that_is_mostly_right_makes_it_likely_that_none_is_needed():
    assert with_proposed(COUNTS, {"7": 0}, prior(CAREFUL))[0] > 0.6
    assert with_proposed(COUNTS, {"7": 1}, prior(CAREFUL))[0] < 0.15


def test_two_proposed_boxes_make_several_likely_and_the_numbers_above_keep_their_shares():
    found = with_proposed(COUNTS, {"7": 2}, prior(CAREFUL))
    assert found[2] > 2 * COUNTS[2]
    assert sum(found) == pytest.approx(1)
    assert found[3] == found[4]


def test_a_program_that_proposes_the_same_whatever_a_chain_needs_tells_nothing():
    always_one = prior([(0, 1)] * 200 + [(1, 1)] * 700 + [(2, 1)] * 100)
    assert with_proposed(COUNTS, {"7": 1}, always_one) == pytest.approx(COUNTS, rel=0.01)


def test_programs_of_which_nothing_is_known_tell_nothing():
    assert with_proposed(COUNTS, {"8": 0}, prior(CAREFUL)) == COUNTS
    assert with_proposed(COUNTS, {"7": 0}, BoxPrior(programs={"7": ProgramRecord(NO_BOXES, NO_BOXES)})) == COUNTS
    assert with_proposed(COUNTS, {}, prior(CAREFUL)) == COUNTS


def test_few_chains_tell_less_than_many():
    after = [with_proposed(COUNTS, {"7": 0}, prior(CAREFUL * times))[0] for times in (1, 10, 100)]
    assert COUNTS[0] < after[0] < after[1] < after[2] < 0.95


def test_two_programs_that_agree_make_surer_than_one():
    both = counted_numbers((boxes, {"7": number, "8": number}) for boxes, number in CAREFUL)
    known = BoxPrior(programs={name: ProgramRecord(NO_BOXES, NO_BOXES, rows) for name, rows in both.items()})
    assert with_proposed(COUNTS, {"7": 0, "8": 0}, known)[0] > with_proposed(COUNTS, {"7": 0}, known)[0]
