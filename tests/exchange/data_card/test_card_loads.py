"""The card of every format is valid, names every file, and its rows load: as many as the export holds."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Caption, MergedBox, Project
from exchange.data_card.record_sets import ROWS
from exchange.export_dataset import ENDINGS, FORMATS
from exchange.import_dataset import import_dataset
from pipeline.project.settings_versions import make_project
from tests.support.data_cards import card_folder, card_json, card_text, front_matter, read_croissant

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(pictured: Path, empty_storage: Path) -> Project:
    """Four finished scenes with pictures."""
    import_dataset(project_name="parks", path=pictured)
    return Project.objects.get()


def export(project: Project, target: Path, export_format: str, *options: str) -> Path:
    call_command("export_dataset", project.name, str(target), "--format", export_format, *options)
    return target


def counted(project: Project) -> dict[str, int]:
    """Return the rows that each record set should have."""
    images, captions = project.images.count(), Caption.objects.filter(image__project=project).count()
    boxes = MergedBox.objects.filter(image__project=project).count()
    return {"images": images, "captions": captions, "conversations": captions, "lines": images + 1, "boxes": boxes}


@pytest.mark.slow
@pytest.mark.parametrize("export_format", FORMATS)
def test_the_rows_load_as_many_as_there_are(project: Project, tmp_path: Path, export_format: str) -> None:
    target = export(project, tmp_path / f"out{ENDINGS[export_format]}", export_format)
    rows = read_croissant(target)
    expected = counted(project)
    if export_format == "flickr30k-entities":
        expected["captions"] = expected["images"]  # a row holds the file of a picture
    if export_format == "mdetr":
        expected["boxes"] = len(json.loads(target.read_text())["annotations"])
    assert {name: len(found) for name, found in rows.items()} == {name: expected[name] for name in rows}
    assert set(rows) == {one.name for one in ROWS[export_format]}


def test_values_are_those_of_the_export(project: Project, tmp_path: Path) -> None:
    out = export(project, tmp_path / "out.jsonl", "odvg")
    rows = read_croissant(out)["captions"]
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    for row, line in zip(rows, lines, strict=True):
        grounding = line["grounding"]
        assert (row["filename"], row["caption"]) == (line["filename"], grounding["caption"])
        for name in ("phrase", "bbox", "chain"):
            assert row[name] == [region[name] for region in grounding["regions"]]


def test_coco_in_one_file_has_its_lists_too(project: Project, tmp_path: Path) -> None:
    rows = read_croissant(export(project, tmp_path / "all.json", "coco"))
    assert {name: len(found) for name, found in rows.items()} == {
        name: counted(project)[name] for name in ("images", "captions", "boxes")
    }


@pytest.mark.parametrize("export_format", FORMATS)
def test_one_card_tells_of_all_parts(project: Project, tmp_path: Path, export_format: str) -> None:
    options = ("--pictures", "64") if export_format != "jsonl" else ()
    out = export(project, tmp_path / "out", export_format, "--shares", "train=0.5,test=0.5", *options)
    parts = {name.partition("-")[0] for name in read_croissant(out)}
    assert parts == ({"train", "test"} if export_format != "parquet" else {"images"})
    assert [*out.rglob("croissant.json")] == [out / "croissant.json"]


@pytest.mark.parametrize("export_format", FORMATS)
def test_every_file_is_named_and_single_ones_have_their_digest(
    project: Project, tmp_path: Path, export_format: str
) -> None:
    target = export(project, tmp_path / f"out{ENDINGS[export_format]}", export_format)
    folder = card_folder(target)
    seen = set[Path]()
    for one in card_json(target)["distribution"]:
        if one["@type"] == "cr:FileObject":
            file = (folder / one["contentUrl"]).resolve()
            data = file.read_bytes()
            assert (one["sha256"], one["contentSize"]) == (sha256(data).hexdigest(), f"{len(data)} B")
            seen.add(file)
        else:
            seen |= {file for pattern in one["includes"] for file in folder.glob(pattern)}
    own = {folder / "README.md", folder / "croissant.json"}
    assert seen | own == {file for file in tmp_path.joinpath(target).rglob("*") if file.is_file()} | own | (
        {target} if target.is_file() else set()
    )


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--shares", "train=0.5,test=0.5")])
def test_a_hub_folder_loads_by_its_own_readme(project: Project, tmp_path: Path, options: tuple[str, ...]) -> None:
    out = export(project, tmp_path / "out", "hub", *options)
    from datasets import load_dataset  # takes a second, in every process that collects the tests

    loaded: Any = load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert sum(part.num_rows for part in loaded.values()) == project.images.count()
    assert set(loaded) == ({"train", "test"} if options else {"train"})
    assert "phrase" in loaded["train"].features["objects"]
    assert front_matter(out)["size_categories"] == ["n<1K"]


@pytest.mark.parametrize("export_format", FORMATS)
def test_the_same_project_gives_the_same_card(project: Project, tmp_path: Path, export_format: str) -> None:
    name = f"out{ENDINGS[export_format]}"
    cards = []
    for place in ("first", "second"):
        (tmp_path / place).mkdir()
        target = export(project, tmp_path / place / name, export_format)
        cards.append([(card_folder(target) / file).read_bytes() for file in ("README.md", "croissant.json")])
    assert cards[0] == cards[1]


def test_the_card_of_an_export_that_is_gone_is_replaced_and_nothing_else(project: Project, tmp_path: Path) -> None:
    out = export(project, tmp_path / "out.jsonl", "odvg")
    out.unlink()
    Project.objects.update(title="Parks again")
    assert "# Parks again" in card_text(export(project, out, "odvg"))
    out.unlink()
    (card_folder(out) / "mine").touch()
    with pytest.raises(CommandError, match="is in the place of the export's card"):
        export(project, out, "odvg")
    assert not out.exists()


@pytest.mark.parametrize("export_format", ["odvg", "coco"])
def test_an_export_whose_card_fails_does_not_appear(
    project: Project, tmp_path: Path, export_format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exchange.data_card.write_card.readme", lambda *_: 1 / 0)
    (tmp_path / "place").mkdir()
    with pytest.raises(ZeroDivisionError):
        export(project, tmp_path / "place" / f"out{ENDINGS[export_format]}", export_format)
    assert [*(tmp_path / "place").iterdir()] == []


def test_a_project_without_images_has_a_card(tmp_path: Path) -> None:
    out = export(make_project(name="empty"), tmp_path / "out.jsonl", "odvg")
    assert card_json(out)["distribution"][0]["contentSize"] == "0 B"
    assert "0 pictures" in card_text(out)
