"""Chances that were said, against what was right, tenth by tenth."""

import pytest

from studies.linking.calibration import Said, calibration, calibration_table


def cases(chance: float, right: int, wrong: int, *, images: int = 20) -> list[Said]:
    return [Said(str(number % images), chance, number < right) for number in range(right + wrong)]


def test_a_tenth_says_what_was_said_and_what_was_right() -> None:
    (one,) = calibration(cases(0.75, 60, 40))
    assert (one.first, one.cases, one.share) == (0.7, 100, 100)
    assert (one.said, one.right, one.gap) == pytest.approx((75, 60, -15))


def test_certainty_belongs_to_the_last_tenth() -> None:
    assert [one.first for one in calibration([*cases(1.0, 5, 0), *cases(0.0, 0, 5)])] == [0.0, 0.9]


def test_a_large_gap_that_chance_does_not_explain_is_off() -> None:
    assert calibration(cases(0.75, 1200, 800))[0].is_off
    assert "off" in calibration_table(cases(0.75, 1200, 800))


def test_a_gap_within_three_points_is_not_off_however_sure() -> None:
    (one,) = calibration(cases(0.75, 77_000, 23_000))
    assert not one.low <= 0 <= one.high and not one.is_off


def test_a_gap_that_chance_explains_is_not_off() -> None:
    (one,) = calibration(cases(0.75, 13, 7))
    assert one.low <= 0 <= one.high and not one.is_off


def test_a_tenth_with_few_cases_is_not_off() -> None:
    rare, _ = calibration([*cases(0.15, 40, 0), *cases(0.95, 950, 50)])
    assert rare.gap == pytest.approx(85) and not rare.is_off


def test_cases_of_one_image_count_as_one_when_images_are_resampled() -> None:
    alone, together = (calibration(cases(0.75, 120, 80, images=images))[0] for images in (200, 5))
    clustered = [Said(str(number // 40), 0.75, number < 120) for number in range(200)]
    (apart,) = calibration(clustered)
    assert apart.high - apart.low > 2 * (alone.high - alone.low) > 0
    assert together.cases == alone.cases


def test_the_last_line_is_of_all_cases() -> None:
    last = calibration_table([*cases(0.75, 60, 40), *cases(0.95, 100, 0)]).splitlines()[-1]
    assert last.split() == ["all", "200", "85.0", "80.0", "-5.0"]
