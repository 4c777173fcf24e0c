"""The baselines on real chains."""

import csv
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.content_selection.run_baselines import run_baselines
from evaluation.work import Work

Run = Callable[..., dict[str, Any]]
STEP = ("content_selection", "baselines", "--data")
SINGLE = ("position", "size", "unigram", "bigram")
USES = ("scored", "fitted")
COMBINED = ("unigram+position", "unigram+size", "bigram+position", "bigram+size")


@pytest.fixture(scope="module")
def halves(entities: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two exports, each with half of the real images."""
    folder = tmp_path_factory.mktemp("halves")
    names = sorted(file.stem for file in (entities / "Sentences").iterdir())
    for half, own in (("first", names[::2]), ("second", names[1::2])):
        for kind, suffix in (("Sentences", ".txt"), ("Annotations", ".xml")):
            (folder / half / kind).mkdir(parents=True)
            for name in own:
                shutil.copy(entities / kind / f"{name}{suffix}", folder / half / kind)
    return folder / "first", folder / "second"


@pytest.mark.slow
def test_all_images_have_the_known_upper_bound_and_chance_meets_its_closed_form(run: Run, entities: Path) -> None:
    report = run(*STEP, entities)
    figures = report["figures"]
    assert report["n"] == 500
    bound = {"P": 0.638, "R": 0.638, "F": 0.616, "P.sd": 0.188, "R.sd": 0.188, "F.sd": 0.189}
    assert {name: figures[f"upper_bound.{name}"] for name in bound} == pytest.approx(bound, abs=0.001)
    for k in range(1, 16):
        for letter in "PR":
            away = abs(figures[f"random.{letter}@{k}"] - figures[f"random.{letter}@{k}.closed"])
            assert away <= 3 * figures[f"random.{letter}@{k}.se"] + 1e-12
    names = {
        f"{name}.{letter}@{k}" for name in ("random", *SINGLE, *COMBINED) for letter in "PRF" for k in range(1, 16)
    }
    assert names <= set(figures)


@pytest.mark.slow
def test_the_papers_orders_hold_with_concepts_of_the_other_half(run: Run, halves: tuple[Path, Path]) -> None:
    data, fit = halves
    figures = run(*STEP, data, "--fit", fit, "--draws", "10")["figures"]
    for k in range(1, 6):
        assert figures[f"position.F@{k}"] < figures[f"size.F@{k}"]
    for text in ("unigram", "bigram"):
        assert figures[f"{text}.F@1"] > max(figures["size.F@1"], figures["position.F@1"])
    for k in range(1, 16):
        assert figures[f"bigram.P@{k}"] == max(figures[f"{name}.P@{k}"] for name in SINGLE)
    assert figures["bigram.R@15"] - figures["bigram.R@4"] < 0.05 < figures["size.R@15"] - figures["size.R@4"]
    for name in COMBINED:
        text, visual = name.split("+")
        assert figures[f"{name}.F@3"] > max(figures[f"{text}.F@3"], figures[f"{visual}.F@3"])


def test_no_image_is_both_fitted_and_scored(run: Run, export: Path, tmp_path: Path) -> None:
    run(*STEP, export, "--draws", "5")
    with (tmp_path / "report" / "splits.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    for part in {row["part"] for row in rows}:
        used = {use: {row["image"] for row in rows if (row["part"], row["use"]) == (part, use)} for use in USES}
        assert used["scored"].isdisjoint(used["fitted"])


def test_fitting_on_the_scored_images_is_refused(export: Path, refused: Callable[..., str]) -> None:
    assert "must be counted on other images" in refused(*STEP, export, "--fit", export)


def test_random_ties_depend_on_the_seed_alone(export: Path) -> None:
    file = export / "Annotations" / "man.xml"
    file.write_text(file.read_text().replace("<xmax>40</xmax><ymax>30", "<xmax>60</xmax><ymax>100"))
    options = {"draws": 5, "ties": "random", "fit": None}
    found = [
        run_baselines(Work(export, options, seed=seed)).figures["size.P@1"] for seed in (0, 1, 2, 3, 4, 5, 6, 7, 0)
    ]
    assert found[0] == found[-1]
    assert len(set(found)) == 2


def test_unlinked_boxes_are_refused_with_the_reason(data_folder: Path, refused: Callable[..., str]) -> None:
    assert "Boxes must be linked to phrases first" in refused(*STEP, data_folder / "coco")
