"""A small set through the whole service by the paper's way, killed in the middle and gone on with."""

import csv
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest
from django.core.management import CommandError, call_command

from exchange.export_dataset import ENDINGS
from studies.whole_set.made_set import MadeSet
from studies.whole_set.phases import TO_EXPORT
from studies.whole_set.progress_table import mark_rows
from tests.support.services import wait_until

ROOT = Path(__file__).resolve().parents[2]
IMAGES = 12


def command(folder: Path, figures: Path) -> list[str]:
    options = ["--images", str(IMAGES), "--scenes", "5", "--folder", str(folder), "--json", str(figures)]
    return [sys.executable, "-m", "studies", "whole_set", "--embedded", *options]


@pytest.mark.slow
def test_twelve_images_go_from_the_import_to_the_export_though_everything_is_killed_on_the_way(
    empty_service: Path, tmp_path: Path
) -> None:
    folder, file = tmp_path / "set", tmp_path / "figures.json"
    shutil.copytree(empty_service, folder / "data")
    marks = folder / "marks.csv"
    with subprocess.Popen(command(folder, file), cwd=ROOT, stdout=subprocess.DEVNULL) as first:
        assert wait_until(lambda: marks.exists() and len(marks.read_text().splitlines()) > 2)
        first.kill()
    with marks.open("a") as file_of_marks:
        file_of_marks.write("9")  # a row that was cut off
    done = subprocess.run(command(folder, file), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    figures = json.loads(file.read_text())
    assert (figures["images"], figures["starts"], figures["replay_equal"]) == (IMAGES, 2, True)
    assert figures["merged"] > 0.8 * IMAGES, "the others wait for an expert"
    with sqlite3.connect(folder / "data" / "chainbox.sqlite3") as database:
        assert database.execute("SELECT count(*) FROM pipeline_judgment").fetchone() == (figures["judgments"],)
    assert figures["judgments"] > 50 * IMAGES
    assert figures["seconds"] == pytest.approx(
        sum(
            figures["phases"][name] for name in ("import", "annotate", "merge", *(f"export {one}" for one in TO_EXPORT))
        )
    )
    for one in TO_EXPORT:
        assert (folder / "export" / f"{one}{ENDINGS[one]}").exists()
    with (folder / "table.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert [row["images"] for row in rows if row["phase"] == "import"][-1] == str(IMAGES)
    assert figures["first_tenth"]["ms"] > 0 < figures["last_tenth"]["ms"]
    each = [row["statements"] / row["answers"] for row in mark_rows(folder).read() if row["answers"]]
    assert median(each) < 2, "leases and submissions, of several answers each"
    assert {"time.svg", "memory.svg", "statistics.txt"} <= {path.name for path in folder.iterdir()}
    assert "paper" in done.stdout and "first and last tenth" in done.stdout
    again = subprocess.run(
        [*command(folder, file), "--images", "13"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "holds a set with images 12, not 13: give the same options, another --folder, or --anew." in again.stderr


def test_a_folder_of_something_else_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(CommandError, match=r"holds something else than a whole set: give another --folder"):
        call_command("whole_set", embedded=True, folder=tmp_path, anew=True)
    assert (tmp_path / "thesis.tex").exists()


def test_images_of_one_scene_share_its_phrases_and_gold_and_not_its_answers() -> None:
    made = MadeSet(8, scenes=2)
    first, other = made.image(1), made.image(3)
    assert (first.captions, first.boxes) == (other.captions, other.boxes) and first.name != other.name
    assert made.gold(first.name).chains is made.gold(other.name).chains
    crowd = made.crowd(0)
    pairs = [
        (a, b)
        for a in range(len(first.mentions))
        for b in range(a)
        if first.mentions[a].caption != first.mentions[b].caption
    ]
    said = [[crowd._links.answer(name, a, b, 7) for a, b in pairs] for name in (first.name, other.name, made.name(5))]
    assert len({tuple(one) for one in said}) > 1
