"""Paired differences of two runs on the same images."""

import random

import pytest

from simulation.predict.paired import change_of_share, change_of_sum


def test_changes_are_those_of_the_sums_and_intervals_rest_on_differences_within_images() -> None:
    same = change_of_sum([10, 100, 40], [5, 50, 20])
    assert same == pytest.approx((-0.5, -0.5, -0.5)), "every image takes half, however much that is"
    uneven = change_of_sum([10, 100, 40], [10, 50, 15])
    assert uneven is not None and uneven.value == -0.5 and uneven.low < -0.6 and uneven.high > -0.4
    shares = change_of_share([(8, 10), (4, 10)], [(9, 10), (5, 10)])
    assert shares == pytest.approx((0.1, 0.1, 0.1)), "both gain as much, though they differ"
    assert change_of_sum([0, 0], [1, 2]) is None and change_of_share([(0, 0)], [(1, 1)]) is None


def test_nine_of_ten_intervals_hold_what_all_images_together_would_show() -> None:
    draw, held, times = random.Random(1), [0, 0], 400
    for _ in range(times):
        before = [draw.uniform(20, 80) for _ in range(12)]
        after = [one * draw.gauss(0.8, 0.2) for one in before]
        found = change_of_sum(before, after)
        counts = [draw.randint(3, 8) for _ in range(12)]
        sides = [[(sum(draw.random() < share for _ in range(n)), n) for n in counts] for share in (0.8, 0.7)]
        shares = change_of_share(*sides)
        assert found is not None and shares is not None
        held = [held[0] + found.holds(-0.2), held[1] + shares.holds(-0.1)]
    assert [0.87 < one / times < 0.93 for one in held] == [True, True], held
