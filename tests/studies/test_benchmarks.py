"""The benchmark command, in small sizes, and the made-up images that it merges."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from annotation.rules.box_merge import merge_boxes
from pipeline.rules.image.merging import can_merge
from pipeline.rules.progress.progress_json import from_json, to_json
from studies.pipeline_speed.figure import Figure
from studies.pipeline_speed.made_boxes import HEIGHT, WIDTH, made_images
from studies.pipeline_speed.made_rows import just_before_merging
from studies.pipeline_speed.scratch import scratch_databases

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
GOALS = {"judgments": 300, "growth": 1.2, "merge-rule": 4, "merge-rows": 60, "plan-median": 5, "plan-worst": 100}


def benchmark(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, because it uses other databases than the test's."""
    data.mkdir(exist_ok=True)
    environment = {**os.environ, "CHAINBOX_DATA": str(data)}
    command = [sys.executable, "-m", "studies", "benchmark", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)


def test_it_measures_every_figure_and_leaves_nothing_behind(tmp_path: Path):
    file = tmp_path / "figures.json"
    done = benchmark(tmp_path / "data", "--quick", "--json", str(file))
    assert done.returncode == 0, done.stderr
    result = json.loads(file.read_text())
    figures = {figure["name"]: figure for figure in result["figures"]}
    assert {name: figure["goal"] for name, figure in figures.items()} == GOALS
    assert all(figure["value"] > 0 for figure in figures.values())
    assert all(figure["met"] is None for figure in figures.values()), "the goals are for the full sizes"
    assert not result["full_size"]
    assert result["machine"]["cores"] >= 1
    assert sum(figures["judgments"]["details"]["judgments per task"].values()) > 100
    assert figures["growth"]["details"]["with 8 scenes"]["judgments"] >= 100
    # Images of more than one transaction, counted in the tables.
    rows = figures["merge-rows"]["details"]
    assert rows["images"] == 600
    assert 8 < rows["left per image"] < 9.3 < rows["boxes per image"]
    # On SQLite not even an empty database appears in the service's folder.
    assert [one.name for one in (tmp_path / "data").iterdir() if "sqlite3" in one.name] == []


def test_only_runs_the_benchmark_that_is_named(tmp_path: Path):
    done = benchmark(tmp_path / "data", "--quick", "--only", "merge-rule")
    assert done.returncode == 0, done.stderr
    assert "the rule alone" in done.stdout
    assert "rows read and written" not in done.stdout


def test_a_file_that_cannot_be_written_is_told_before_anything_is_measured(tmp_path: Path):
    done = benchmark(tmp_path / "data", "--quick", "--json", str(tmp_path / "missing" / "figures.json"))
    assert done.returncode == 1
    assert "missing/figures.json" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Judgments" not in done.stdout


@pytest.mark.parametrize(
    ("value", "most", "met"), [(4, True, True), (5, True, False), (4, False, True), (3, False, False)]
)
def test_a_goal_is_met_at_the_goal_and_on_its_better_side(value: float, most: bool, met: bool):
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
