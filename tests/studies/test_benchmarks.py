"""The benchmark command, in small sizes, and the made-up images that it merges."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.rules.box_merge import merge_boxes
from pipeline.rules.image.merging import can_merge
from pipeline.rules.progress.progress_json import from_json, to_json
from studies.pipeline_speed import merging, scratch
from studies.pipeline_speed.figure import Figure
from studies.pipeline_speed.merging import HEIGHT, WIDTH, just_before_merging, made_images
from studies.pipeline_speed.scratch import scratch_databases

GOALS = {"judgments": 300, "growth": 1.2, "merge-rule": 4, "merge-rows": 60, "plan-median": 5, "plan-worst": 100}
GOALS |= {"narrations-median": 5, "narrations-worst": 100}


@pytest.fixture
def nowhere(transactional_db: None, empty_service: Path, tmp_path: Path) -> Iterator[Path]:
    """Name a database of the service that does not exist, and spare the temporary ones the migrations."""
    own = tmp_path / "own.sqlite3"
    with pytest.MonkeyPatch.context() as patch:  # ends before the test's own database is emptied
        connection.close()
        patch.setattr(scratch, "_migrated", [(empty_service / "chainbox.sqlite3").read_bytes()])
        patch.setitem(connection.settings_dict, "NAME", str(own))
        yield own
        connection.close()


def benchmark(**options: object) -> str:
    """Run the command in its small sizes, and return its output."""
    said = StringIO()
    call_command("benchmark", quick=True, stdout=said, **options)
    return said.getvalue()


@pytest.mark.slow
def test_it_measures_every_figure_and_leaves_nothing_behind(
    nowhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(merging, "IMAGES_PER_TRANSACTION", 100)
    file = tmp_path / "figures.json"
    benchmark(json=file)
    result = json.loads(file.read_text())
    figures = {figure["name"]: figure for figure in result["figures"]}
    assert {name: figure["goal"] for name, figure in figures.items()} == GOALS
    assert all(figure["value"] > 0 for figure in figures.values())
    assert all(figure["met"] is None for figure in figures.values()), "the goals are for the full sizes"
    assert not result["full_size"]
    assert result["machine"]["cores"] >= 1
    assert sum(figures["judgments"]["details"]["judgments per task"].values()) > 30
    assert figures["growth"]["details"]["with 4 scenes"]["judgments"] >= 40
    # Images of more than one transaction, counted in the tables.
    rows = figures["merge-rows"]["details"]
    assert rows["images"] == 120
    assert 8 < rows["left per image"] < 9.3 < rows["boxes per image"]
    assert connection.settings_dict["NAME"] == str(nowhere)
    assert not nowhere.exists(), "not even an empty database appears in the service's place"


def test_only_runs_the_benchmark_that_is_named():
    said = benchmark(only=["merge-rule"])
    assert "the rule alone" in said
    assert "rows read and written" not in said


def test_a_file_that_cannot_be_written_is_told_before_anything_is_measured(tmp_path: Path):
    with pytest.raises(CommandError, match=r"missing/figures\.json"):
        benchmark(json=tmp_path / "missing" / "figures.json")


@pytest.mark.parametrize(
    ("value", "most", "met"), [(4, True, True), (5, True, False), (4, False, True), (3, False, False)]
)
def test_a_goal_is_met_at_the_goal_and_on_its_better_side(value: float, *, most: bool, met: bool):
    figure = Figure("name", "what", value, "s", 4, most)
    assert figure.met is met
    assert ("MISSED" in figure.as_text(full_size=True)) is not met
    assert "MISSED" not in figure.as_text(full_size=False)


def test_made_boxes_are_as_many_as_in_the_paper_before_and_after_merging():
    images = list(made_images(2000, seed=1))
    before = sum(map(len, images)) / len(images)
    after = sum(len(merge_boxes(boxes).groups) for boxes in images) / len(images)
    assert before == pytest.approx(10.8, abs=0.15)
    assert after == pytest.approx(8.7, abs=0.15)
    assert all(box.box.fits(WIDTH, HEIGHT) for boxes in images for box in boxes)
    assert images == list(made_images(2000, seed=1))


def test_a_made_image_is_one_that_the_pipeline_would_merge():
    for boxes in made_images(50, seed=2):
        progress = just_before_merging(boxes)
        assert can_merge(progress)
        assert [tuple(box.box) for box in progress.boxes.values()] == [tuple(box.box) for box in boxes]
        for name, chain in progress.chains.items():
            assert progress.reading_order(chain.mentions)[0] == name
        assert to_json(from_json(json.loads(json.dumps(to_json(progress))))) == to_json(progress)


def test_the_benchmark_does_not_change_where_the_settings_point(tmp_path: Path):
    before = connection.settings_dict["NAME"]
    with pytest.raises(ZeroDivisionError), scratch_databases(0):
        raise ZeroDivisionError
    assert connection.settings_dict["NAME"] == before
