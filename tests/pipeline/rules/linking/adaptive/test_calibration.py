"""Chances predicted of links, held against answers."""

import pytest

from pipeline.rules.linking.adaptive.calibration import CheckedLink, in_tenths

CROWD = {"yes_if_same": 0.9, "yes_if_different": 0.1}


def links(chance: float, same: int, of: int) -> list[CheckedLink]:
    return [CheckedLink(chance, number < same) for number in range(of)]


def test_links_are_counted_in_tenths_of_the_foretold_chance() -> None:
    tenths = in_tenths([*links(0.05, 1, 10), *links(0.95, 9, 10), *links(1.0, 10, 10)], **CROWD)
    assert [(one.low, one.links, one.said) for one in tenths] == [(0.0, 10, 0.1), (0.9, 20, 0.95)]
    assert tenths[1].chance == pytest.approx(0.975)


def test_the_expected_share_takes_the_crowd_s_errors_into_account() -> None:
    for chance, expected in ((0.0, 0.1), (0.5, 0.5), (1.0, 0.9)):
        (tenth,) = in_tenths(links(chance, 0, 1), **CROWD)
        assert tenth.expected == pytest.approx(expected)


def test_chances_hold_if_chance_explains_the_answers() -> None:
    (right,) = in_tenths(links(0.95, 87, 100), **CROWD)
    (wrong,) = in_tenths(links(0.95, 70, 100), **CROWD)
    (few,) = in_tenths(links(0.95, 2, 3), **CROWD)
    assert (right.holds, wrong.holds, few.holds) == (True, False, True)
    assert right.least < 0.87 < right.most


def test_without_links_there_is_nothing() -> None:
    assert in_tenths([], **CROWD) == []
