"""Captions of a system are scored against the references of their images, and of no others."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.table import row

pytestmark = pytest.mark.usefixtures("no_java")

pytest.importorskip("pycocoevalcap", reason="needs the extra evaluation")
Run = Callable[..., dict[str, Any]]


@pytest.fixture
def references(tmp_path: Path) -> Path:
    images = [{"id": i, "file_name": f"photo_{i}.jpg"} for i in (1, 2, 3)]
    said = {1: ["A man rides a horse.", "The man is on a horse."], 2: ["A dog sits."], 3: ["Two boys play."]}
    annotations = [{"image_id": image, "caption": one} for image, own in said.items() for one in own]
    path = tmp_path / "references.json"
    path.write_text(json.dumps({"images": images, "annotations": annotations}))
    return path


def results(folder: Path, *pairs: tuple[Any, Any]) -> Path:
    path = folder / "results.json"
    path.write_text(json.dumps([{"image_id": image, "caption": caption} for image, caption in pairs]))
    return path


def test_images_are_told_by_number_or_by_name(run: Run, references: Path, tmp_path: Path) -> None:
    by_number = results(tmp_path, (1, "A man rides a horse."), (2, "A dog runs."))
    first = run("oracle", "score", "--hypotheses", by_number, "--references", references)
    by_name = results(tmp_path, ("photo_1", "A man rides a horse."), ("photo_2.jpg", "A dog runs."))
    second = run("oracle", "score", "--hypotheses", by_name, "--references", references, out="second")
    assert first["figures"] == second["figures"] and first["n"] == 2
    assert 0.5 < first["figures"]["BLEU-1"] < 1


def test_without_java_the_report_says_so(run: Run, references: Path, tmp_path: Path) -> None:
    figures = run("oracle", "score", "--hypotheses", results(tmp_path, (1, "A man.")), "--references", references)[
        "figures"
    ]
    assert set(figures) == {"BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr"}
    page = (tmp_path / "report/report.md").read_text()
    assert "The program java was not found" in page
    assert "METEOR: not reproduced: needs the program java" in page


def test_captions_of_images_without_references_are_only_counted(run: Run, references: Path, tmp_path: Path) -> None:
    given = results(tmp_path, (1, "A man."), (77, "A dog."))

    assert run("oracle", "score", "--hypotheses", given, "--references", references)["figures"]["unknown"] == 1


@row(((77, "A dog."),), "the image 77 has no references, nor has any other one")
@row(((1, "A man."), (1, "A dog.")), "caption 2: the image photo_1 has a caption already")
@row(((1, None),), "caption 1: the field 'caption' is not text")
@row((), "results.json holds no captions")
def test_other_results_are_refused(
    pairs: Any, told: str, references: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    assert told in refused("oracle", "score", "--hypotheses", results(tmp_path, *pairs), "--references", references)


def test_an_empty_file_is_refused(references: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text("")
    for given, known in ((empty, references), (results(tmp_path, (1, "A man.")), empty)):
        assert "empty.json is no JSON" in refused("oracle", "score", "--hypotheses", given, "--references", known)
