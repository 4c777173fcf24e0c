"""The cost of links in made narrations."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from studies.linking.adaptive_frontier import Point
from studies.linking.narrations import Measured, measure, table


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
    call_command(
        "narrations", "--images", "1", "--seeds", "1", "--stops", "0.5", "--json", str(tmp_path / "found.json")
    )
    assert json.loads((tmp_path / "found.json").read_text())[0]["pairs"] > 100
    for wrong in (["--images", "0"], ["--stops", "1.5"]):
        with pytest.raises(CommandError, match="give"):
            call_command("narrations", *wrong)


def test_it_writes_its_narrations_as_a_source(tmp_path: Path) -> None:
    call_command("narrations", "--images", "1", "--write", str(tmp_path / "told"))
    assert {"Sentences", "Annotations", "images", "parts.json"} == {one.name for one in (tmp_path / "told").iterdir()}
    with pytest.raises(CommandError, match="told"):
        call_command("narrations", "--images", "1", "--write", str(tmp_path / "told"))
