"""A score is worth the atoms at which the curve first reaches it."""

from itertools import pairwise

import pytest

from evaluation.oracle.curves.curve import Curves, envelope, equivalent
from evaluation.oracle.known_atoms import read_points

CURVE = [(0, 0.1), (10, 0.3), (50, 0.25), (100, 0.4)]


def test_the_envelope_never_falls() -> None:
    assert envelope([0.1, 0.3, 0.25, 0.4]) == [0.1, 0.3, 0.3, 0.4]


@pytest.mark.parametrize(("score", "k"), [(0.1, 0), (0.2, 5), (0.3, 10), (0.35, 75), (0.4, 100), (0.0, 0), (0.5, None)])
def test_a_score_is_read_off_the_envelope(score: float, k: float | None) -> None:
    assert equivalent(score, CURVE) == (None if k is None else pytest.approx(k))


def test_every_point_of_a_rising_curve_is_worth_itself() -> None:
    rising = [(k, k**0.5) for k in (0, 10, 20, 50, 100, 200)]
    assert [equivalent(score, rising) for _, score in rising] == pytest.approx([k for k, _ in rising])
    for (k, score), (next_k, higher) in pairwise(rising):
        found = equivalent((score + higher) / 2, rising)
        assert found is not None and k < found < next_k


def test_no_atoms_begin_the_curve_of_every_group() -> None:
    points = read_points("ENT:20,NA,ENT:10,ALL:5")
    figures = {"CIDEr.NA": 0.1, "CIDEr.ENT:10": 0.2, "CIDEr.ENT:20": 0.3, "CIDEr.ALL:5": 0.25}
    curves = Curves(figures, points)
    assert curves.curve("CIDEr", "ENT") == [(0, 0.1), (10, 0.2), (20, 0.3)]
    assert curves.curve("CIDEr", "ALL") == [(0, 0.1), (5, 0.25)]
    assert curves.curve("CIDEr", "ACT") == []
    assert curves.groups() == ["ENT", "ALL"]
    assert equivalent(0.5, []) is None
