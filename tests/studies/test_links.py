"""Chances that were said, against what was right, tenth by tenth.
The cost of links in made narrations.
The study of links beside a program that judges them, on images small enough to check.
"""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from exchange.dataset import DatasetImage
from scenes.write import write_source
from studies.linking.adaptive_frontier import Point
from studies.linking.calibration import Said, calibration, calibration_table
from studies.linking.narrations import Measured, measure, table
from studies.linking.with_juror import Linked, cost_lines, linked_folds
from studies.whole_campaign.campaign_cost import campaign_images
from tests.support.projects import phrases
from tests.support.table import case


def cases(chance: float, right: int, wrong: int, *, images: int = 20) -> list[Said]:
    return [Said(str(number % images), chance, number < right) for number in range(right + wrong)]


def test_a_tenth_says_what_was_said_and_what_was_right_and_certainty_belongs_to_the_last() -> None:
    (one,) = calibration(cases(0.75, 60, 40))
    assert (one.first, one.cases, one.share) == (0.7, 100, 100)
    assert (one.said, one.right, one.gap) == pytest.approx((75, 60, -15))
    assert [one.first for one in calibration([*cases(1.0, 5, 0), *cases(0.0, 0, 5)])] == [0.0, 0.9]


@case("a large gap that chance does not explain is off", 1200, 800, False, True)
@case("a gap within three points is not off however sure", 77_000, 23_000, False, False)
@case("a gap that chance explains is not off", 13, 7, True, False)
def test_a_gap(right: int, wrong: int, *, chance: bool, off: bool) -> None:
    (one,) = calibration(cases(0.75, right, wrong))
    assert (one.low <= 0 <= one.high, one.is_off) == (chance, off)
    assert ("off" in calibration_table(cases(0.75, right, wrong))) is off


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


def test_a_later_stop_costs_more_and_the_same_seed_the_same() -> None:
    found = measure(1, 0, stops=(0.5, 0.2))
    assert found == measure(1, 0, stops=(0.5, 0.2))
    assert 0 < found.points[0.5].cost < found.points[0.2].cost < 100
    assert found.chains > 5


def test_goals_are_read_off_the_means_of_all_sets() -> None:
    runs = [Measured(10, 10, {0.5: Point(10, 80 + more), 0.1: Point(30, 94 + more)}) for more in (0, 4)]
    said = table(runs)
    assert "90 % of chains: 21.4 % of all pairs" in said
    assert "97 % of chains: not reached" in said


def test_the_command_writes_its_figures_and_refuses_bad_numbers(tmp_path: Path) -> None:
    call_command("narrations", images=1, seeds=1, stops=[0.5], json=tmp_path / "found.json")
    assert json.loads((tmp_path / "found.json").read_text())[0]["pairs"] > 100
    for wrong in (["--images", "0"], ["--stops", "1.5"]):
        with pytest.raises(CommandError, match="give"):
            call_command("narrations", *wrong)


def test_it_writes_its_narrations_as_a_source_and_over_none(tmp_path: Path) -> None:
    call_command("narrations", images=1, write=tmp_path / "told")
    assert {"Sentences", "Annotations", "images", "parts.json"} == {one.name for one in (tmp_path / "told").iterdir()}
    with pytest.raises(CommandError, match="told"):
        call_command("narrations", images=1, write=tmp_path / "told")


STOP = 0.05
WAYS = {"alone": None, "knowing": 0.0, "guessing": 0.5}


def image(name: str) -> DatasetImage:
    """A man, called by three names, and a woman."""
    texts = ("people: a man", "people: the tall one", "people: a person in a hat", "people: the woman")
    return phrases(*texts, name=name, chains=["man", "man", "man", "woman"])


@pytest.fixture(scope="module")
def found() -> dict[str, Linked]:
    bed = campaign_images(image(str(number)) for number in range(40))
    return {one.way: one for one in linked_folds(bed, WAYS, folds=1, images=40, seeds=1, seed=0, stops=[STOP])}


@pytest.mark.slow
def test_a_program_that_knows_saves_peoples_answers(found: dict[str, Linked]) -> None:
    assert found["knowing"].judgments < 0.7 * found["alone"].judgments
    assert found["knowing"].exact >= found["alone"].exact


def test_a_program_that_guesses_is_found_out_and_without_one_only_people_answer(found: dict[str, Linked]) -> None:
    assert found["guessing"].by_juror > 0 == found["alone"].by_juror
    assert found["guessing"].judgments == pytest.approx(found["alone"].judgments, rel=0.1)
    assert {(one.pairs, one.gold) for one in found.values()} == {(240, 80)}


def test_the_lines_name_each_way_and_what_a_goal_costs(found: dict[str, Linked]) -> None:
    lines = cost_lines(list(found.values()))
    assert all(way in lines for way in WAYS)
    assert "86.07 % of chains" in lines and f"stop {STOP}" in lines


def test_a_fold_larger_than_the_folder_is_refused() -> None:
    with pytest.raises(ValueError, match="0 images do not make 1 folds of 1"):
        list(linked_folds([], WAYS, folds=1, images=1, seeds=1, seed=0, stops=[STOP]))


def test_the_command_names_a_share_that_is_none(tmp_path: Path) -> None:
    write_source(tmp_path / "scenes", seed=1, count=1, pictures=False)
    with pytest.raises(CommandError, match="--juror 2: give a share from 0 to 1"):
        call_command("link_jurors", tmp_path / "scenes", juror=[2.0])
