"""The study of links beside a program that judges them, on images small enough to check."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from exchange.dataset import DatasetImage
from scenes.write import write_source
from studies.linking.with_juror import Linked, cost_lines, linked_folds
from studies.whole_campaign.campaign_cost import campaign_images
from tests.support.projects import phrases

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


def test_a_program_that_guesses_is_found_out(found: dict[str, Linked]) -> None:
    assert found["guessing"].by_juror > 0
    assert found["guessing"].judgments == pytest.approx(found["alone"].judgments, rel=0.1)


def test_without_a_program_only_people_answer(found: dict[str, Linked]) -> None:
    assert found["alone"].by_juror == 0
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
