"""Every study runs at its smallest, writes the figures that the docs quote, and refuses what makes no sense."""

import json
import shlex
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.models import Project
from simulation.scenes.write import write_source
from tests.support.table import row

FRONTIER = "adaptive_frontier SOURCE --folds 1 --images 3 --fitted-on 0 --stops 0.5"
CAMPAIGN = "campaign_cost SOURCE --folds 1 --images 3 --no-gold"
BOXES = "box_policies --seeds 1"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Name the folders of a command: some images, none that can be read, and one that is not there."""
    folder = tmp_path_factory.mktemp("places")
    write_source(folder / "source", 0, 6, pictures=False)
    for name in ("empty/Sentences", "empty/Annotations"):
        (folder / name).mkdir(parents=True)
    return {name.upper(): str(folder / name) for name in ("source", "empty", "nowhere")}


def run(line: str, places: dict[str, str], **options: object) -> str:
    """Run the command with its options, in which capitals are folders. Returns what it says."""
    for name, folder in places.items():
        line = line.replace(name, folder)
    said = StringIO()
    name, *words = shlex.split(line)
    call_command(name, *words, stdout=said, **options)
    return said.getvalue()


@row(f"{FRONTIER} --seeds 2", {"greedy plus", "points"}, ["2 times with other samples", "86.07 % of chains"])
@row("narrations --images 1 --seeds 1 --stops 0.5", {"pairs", "chains", "points"}, ["90 % of chains"])
@row(
    f"{CAMPAIGN} --way own '{{}}' --annotator 0.1",
    {"way", "seconds", "exact chains %"},
    ["own", "the default link prior"],
)
@row(f"{BOXES} --chains 20 --sure 0.9", {"way", "chains with right boxes %"}, ["A chain:", "paper's loop"])
@row(
    f"{BOXES} --chains 20 --proposer 0.7 --annotator 0.08 --blind 0.5 --turns 10",
    {"way"},
    ["belief, 0.9, with programs"],
)
@pytest.mark.slow
def test_a_study_says_and_writes_its_figures(
    line: str, keys: set[str], words: list[str], places: dict[str, str], tmp_path: Path
) -> None:
    said = run(line, places, json=tmp_path / "figures.json")
    assert [one for one in words if one not in said] == []
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures and all(keys <= set(one) for one in figures)


@pytest.mark.slow
def test_planted_errors_are_said_by_kind_with_shares_that_fit(places: dict[str, str], tmp_path: Path) -> None:
    said = run(
        "planted SOURCE --images 4 --wrong 0.5 --seeds 2 --annotator 0.08", places, json=tmp_path / "figures.json"
    )
    words = ("workers simulated", "of annotating from nothing", "labels wrong before", "of 2 runs inside the interval")
    assert [one for one in words if one not in said] == []
    rows = json.loads((tmp_path / "figures.json").read_text())
    assert [(row["seed"], row["of"]) for row in rows] == [(seed, of) for seed in (0, 1) for of in ("links", "boxes")]
    assert all(row[name] >= 0 for row in rows for name in ("found", "asked", "made_wrong", "seconds_share"))
    assert all(0 <= row[name] < 1 for row in rows for name in ("expected_before", "wrong_after", "expected_after"))
    assert all(1 > row["wrong_before"] > row["wrong_after"] for row in rows)
    estimated = [one for row in rows for one in row["estimates"]]
    assert {one["of"] for one in estimated} == {"wrong before", "wrong after"}
    assert all(one["least"] <= one["estimate"] <= one["most"] and one["truth"] < 1 for one in estimated)


@pytest.mark.slow
def test_a_study_says_that_phrases_have_vectors(places: dict[str, str]) -> None:
    assert "the default prior with vectors of phrases" in run(f"{FRONTIER} --vectors", places)


def test_only_the_benchmark_that_is_named_runs(places: dict[str, str]) -> None:
    said = run("benchmark --quick --only merge-rule", places)
    assert "Merging 100 images, the rule" in said and "Next question" not in said


@row(f"{FRONTIER} --error 0.6", "--error")
@row(f"{FRONTIER} --error 0", "--error")
@row(f"{FRONTIER} --seeds 0", "--seeds 0: give at least 1")
@row(f"{FRONTIER} --folds 0", "at least")
@row(f"{FRONTIER} --images 0", "at least")
@row(f"{FRONTIER} --fitted-on -1", "at least")
@row(f"{FRONTIER} --stops 0.2 0", "at least")
@row(f"{FRONTIER} --images 7", "too few")
@row("adaptive_frontier NOWHERE", "no such folder")
@row("narrations --images 0", "--images 0: give at least 1")
@row("narrations --stops 1.5", "--stops: give numbers")
@row(f"{CAMPAIGN} --way x '{{'", "not JSON")
@row(f"{CAMPAIGN} --way x '[]'", "an object")
@row(f"{CAMPAIGN} --way x '{{\"stratgy\": 1}}'", "Unknown settings")
@row(f"{CAMPAIGN} --only", "--only")
@row(f"{CAMPAIGN} --folds 0", "at least one")
@row(f"{CAMPAIGN} --images 0", "at least one")
@row(f"{CAMPAIGN} --seeds 0", "at least one")
@row(f"{CAMPAIGN} --folds 4", "too few")
@row("campaign_cost NOWHERE", "no such folder")
@row("campaign_cost EMPTY", "no image could be read")
@row(f"{BOXES} --chains 0", "--chains 0")
@row(f"{BOXES} --sure 1", "box_sure")
@row(f"{BOXES} --annotator 1.5", "--annotator 1.5: give a share from 0 to 1")
@row(f"{BOXES} --blind 0.5", "give --annotator, too")
@row("real_boxes NOWHERE", r"answers\.csv: there is no such file")
@row("real_links NOWHERE", r"sentences\.csv: there is no such file")
@row("benchmark --quick --json NOWHERE/figures.json", r"nowhere/figures\.json")
@row("fuzz --requests 9", "from 10 to 10,000,000")
@row("fuzz --requests 99999999999", "from 10 to 10,000,000")
@row("mutants --since no-such-revision", "no-such-revision")
@row("planted SOURCE --annotator 2", "--annotator 2: give a share from 0 to 1")
@row("planted SOURCE --set '[1]'", "give an object")
@row("planted SOURCE --set '{'", "this is not JSON")
@row("planted SOURCE --images 0", "give at least 1")
@row("arithmetic --images 0", r"This study needs PostgreSQL|--images: give at least 1")
def test_a_study_names_what_makes_no_sense(line: str, words: str, places: dict[str, str]) -> None:
    with pytest.raises(CommandError, match=words):
        run(line, places)


@pytest.mark.django_db
def test_studies_of_servers_say_that_they_need_them(places: dict[str, str]) -> None:
    if connection.vendor == "postgresql":
        pytest.skip("this run has a server")
    for line, words in (("bench_http", "make bench-http"), ("large_project --name new", "PostgreSQL only")):
        with pytest.raises(CommandError, match=words):
            run(line, places)
    assert not Project.objects.exists()
