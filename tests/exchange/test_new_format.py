"""A format that the service has never seen is its object and a place in the registry: these two, and nothing else."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from typing_extensions import TypedDict

from annotation.models import Project
from annotation.storage import store
from exchange import export_parts
from exchange.dataset import DatasetImage, Problem
from exchange.details import BoxForm
from exchange.export_dataset import export_dataset
from exchange.formats import detect
from exchange.formats.format import INTEGER, Column, Format, Loss, Rows
from exchange.formats.parts import LAYOUT_OF_LINES, LINES, ExportPart
from exchange.formats.pictures import SourcePictures
from exchange.formats.schema.kind import FileFault, FileKind
from exchange.formats.schema.make_schema import fields_page
from exchange.import_dataset import import_dataset
from exchange.publish_export import PublishedExport, publish_export
from exchange.registry import FORMATS
from exchange.split_captions import joined_caption
from projects.schemas import kinds, validate_file

pytestmark = pytest.mark.django_db
TABLE = "captions.tsv"
TEXT = "".join(f"{number}\t64\t48\tone dog of {number}\n" for number in range(5))


def read_table(
    path: Path, pictures: SourcePictures, form: BoxForm | None = None, /
) -> Iterator[DatasetImage | Problem]:
    for line in (path / TABLE).read_text().splitlines():
        name, width, height, caption = line.split("\t")
        yield DatasetImage(name, int(width), int(height), (joined_caption(tuple(caption.split())),), path=f"{name}.jpg")


def write_table(images: Iterable[DatasetImage], part: ExportPart) -> int:
    lines = [f"{image.name}\t{image.width}\t{image.height}\t{image.captions[0].text}\n" for image in images]
    part.text(LINES.name).write("".join(lines).encode())
    return len(lines)


class TableFile(TypedDict):
    """A table as JSON."""

    rows: list[str]
    """A text for each row."""


def faults_of(path: Path) -> Iterator[FileFault]:
    yield from (FileFault(None, "row 0 is empty") for row in json.loads(path.read_text())["rows"][:1] if not row)


TABLES = Format(
    name="table",
    title="a table of captions",
    marks=TABLE,
    detects=lambda path: (path / TABLE).is_file(),
    read=read_table,
    write=write_table,
    layout=LAYOUT_OF_LINES,
    ending=".tsv",
    numbered=False,
    loses=frozenset(Loss) - {Loss.CAPTIONS},
    kinds=(FileKind("table", "A table of captions", TableFile, is_lines=False, faults=faults_of),),
    record_sets=(Rows("images", "A row for each image.", (Column("width", "In pixels.", INTEGER),), (".tsv",)),),
)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setitem(FORMATS, TABLES.name, TABLES)
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / TABLE).write_text(TEXT)
    return tmp_path / "source"


def test_it_is_detected_imported_and_exported_with_a_card(source: Path, tmp_path: Path) -> None:
    assert detect(source, FORMATS.values()) is TABLES
    assert import_dataset(project_name="dogs", path=source).images == 5
    target = tmp_path / "out.tsv"
    export_dataset(project=Project.objects.get(), target=target, export_format="table", include_unmerged=True)
    assert target.read_text() == TEXT
    assert '"width"' in (tmp_path / "out.tsv.card" / "croissant.json").read_text()


def test_its_files_have_a_schema_and_are_validated(source: Path, tmp_path: Path) -> None:
    texts = {"whole": '{"rows": ["a"]}', "other": '{"rows": [1]}', "empty": '{"rows": [""]}'}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = {name: [str(fault.words) for fault in validate_file(tmp_path / name, most=9).faults] for name in texts}
    assert found == {
        "whole": [],
        "other": ["rows[0] is a number, 1, not a text (A text for each row)"],
        "empty": ["row 0 is empty"],
    }
    assert "A text for each row." in fields_page(kinds().values())


def test_a_large_export_in_it_is_made_in_parts(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_parts, "LEAST_IMAGES", 2)
    monkeypatch.setattr(export_parts, "PART_IMAGES", 2)
    import_dataset(project_name="dogs", path=source)
    project = Project.objects.get()
    project.images.update(state="merged")
    archive = PublishedExport(project, "table", "1")
    publish_export(archive)
    with store().open(archive.path) as file, ZipFile(file) as packed:
        assert packed.read("dogs-table.tsv").decode() == TEXT


def test_an_unknown_source_is_told_what_it_lacks(source: Path, tmp_path: Path) -> None:
    (source / TABLE).unlink()
    with pytest.raises(Exception, match=r"nor captions.tsv \(table\)"):
        detect(source, FORMATS.values())
