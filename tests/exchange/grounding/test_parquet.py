"""Parquet files of the hub: shards of bounded size, pictures inside, and what else data sets there look like."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet

from annotation.models import Project
from exchange.dataset import DatasetImage, Problem
from exchange.export_dataset import export_dataset
from exchange.export_options import ExportOptions
from exchange.formats import detect
from exchange.formats import parquet as writer
from exchange.formats.parquet import ParquetPictures
from exchange.formats.parquet_pages import page_sizes
from exchange.import_dataset import import_dataset
from exchange.problems import SourceError
from exchange.registry import installed_formats
from simulation.scenes.write import write_source
from tests.exchange.grounding.sets import read, written
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of
from tests.support.table import row


def table(
    folder: Path, columns: dict[str, list[Any]], name: str = "set", metadata: dict[str, Any] | None = None
) -> Path:
    """Write columns into a Parquet file of the folder."""
    made = pyarrow.table(columns)
    if metadata:
        made = made.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": metadata}})})
    parquet.write_table(made, folder / f"{name}.parquet")
    return folder


def images_of(*names: str | None, inside: bool = True) -> dict[str, list[Any]]:
    """Return columns of images of 9 x 9 pixels with a caption each."""
    picture = plain_jpeg(9, 9) if inside else None
    return {"image": [{"bytes": picture, "path": name} for name in names], "caption": ["a cat" for _ in names]}


# --- Writing ---


@pytest.mark.slow
@pytest.mark.django_db
def test_files_and_row_groups_are_bounded_and_named_by_their_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_source(tmp_path / "source", 5, 7)
    import_dataset(project_name="parks", path=tmp_path / "source")
    largest = max(file.stat().st_size for file in tmp_path.rglob("*.jpg"))
    monkeypatch.setattr(writer, "GROUP_ROWS", 2)
    monkeypatch.setattr(writer, "SHARD_BYTES", 3 * largest)

    export_dataset(project=Project.objects.get(), target=tmp_path / "out", export_format="parquet")

    files = sorted((tmp_path / "out" / "data").iterdir())
    assert [file.name for file in files] == [f"train-0000{place}-of-00002.parquet" for place in range(2)]
    sizes = [parquet.ParquetFile(file).metadata for file in files]
    assert [[one.row_group(group).num_rows for group in range(one.num_row_groups)] for one in sizes] == [[2, 2], [2, 1]]
    names = [name for file in files for name in parquet.read_table(file)["file_name"].to_pylist()]
    assert names == sorted(names) and len(names) == 7
    assert import_dataset(project_name="again", path=tmp_path / "out").images == 7


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["dev-1", "all"])
def test_parts_that_the_hubs_reader_would_not_find_are_refused(tmp_path: Path, part: str) -> None:
    options, project = ExportOptions(splits={"1": part}), project_of(phrases("people: a man"))
    with pytest.raises(ValueError, match=f"The part '{part}' has no Parquet files"):
        export_dataset(project=project, target=tmp_path / "out", export_format="parquet", options=options)
    assert not (tmp_path / "out").exists()


@pytest.mark.django_db
def test_without_the_extra_exports_and_imports_say_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    project = project_of(phrases("people: a man"))
    table(tmp_path, images_of("a.jpg"))
    monkeypatch.setattr(writer, "find_spec", lambda name: None)
    told = r"needs pyarrow.*run scripts/setup.sh hub"
    with pytest.raises(CommandError, match=told):
        call_command("export_dataset", project.name, str(tmp_path / "out"), "--format", "parquet")
    with pytest.raises(CommandError, match=told):
        call_command("import_dataset", "again", str(tmp_path))
    assert not (tmp_path / "out").exists() and Project.objects.count() == 1
    assert "parquet" not in installed_formats(), "pages offer what works"


# --- Reading ---


def test_images_keep_the_order_of_the_rows_so_that_pictures_are_read_once(tmp_path: Path) -> None:
    table(tmp_path, images_of("b.jpg", "a.jpg", "c/c.jpg"))
    assert detect(tmp_path).name == "parquet"

    found = read(tmp_path, "parquet")

    assert [one.path for one in found if isinstance(one, DatasetImage)] == ["b.jpg", "a.jpg", "c/c.jpg"]
    assert [(one.width, one.captions[0].text) for one in found if isinstance(one, DatasetImage)] == [(9, "a cat")] * 3


def test_a_picture_without_a_name_gets_one_from_its_file_and_row(tmp_path: Path) -> None:
    columns = images_of(None, None) | {"image": [{"bytes": plain_jpeg(9, 9), "path": None}, {"bytes": b"\x89PNG"}]}
    assert list(ParquetPictures(table(tmp_path, columns))) == ["set-00000.jpg", "set-00001.png"]


def test_pictures_may_lie_beside_the_file_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.jpg").write_bytes(plain_jpeg(9, 9))
    columns = images_of("a.jpg", inside=False) | {"width": [9], "height": [9]}

    (image,) = read(table(tmp_path, columns), "parquet")

    assert isinstance(image, DatasetImage) and image.picture == "images/a.jpg"


@pytest.mark.parametrize("column", ["categories", "category"])
def test_numbers_of_categories_get_the_names_that_the_file_gives_them(tmp_path: Path, column: str) -> None:
    label = {"names": ["cat", "dog"], "_type": "ClassLabel"}
    features = {"objects": {column: {"feature": label, "_type": "List"}}}
    objects = {"objects": [{"bbox": [[1, 1, 3, 3], [2, 2, 3, 3], [3, 3, 3, 3]], column: [1, 0, 7]}]}

    (image,) = read(table(tmp_path, images_of("a.jpg") | objects, metadata=features), "parquet")

    assert isinstance(image, DatasetImage)
    assert [one.category for one in image.boxes] == ["dog", "cat", "7"]


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def damage(file: Path) -> None:
    """Overwrite the rows, and keep the end, which says where they are and, in its last bytes, its own length."""
    data = file.read_bytes()
    end = int.from_bytes(data[-8:-4], "little") + 8
    file.write_bytes(data[:4] + bytes(len(data) - 4 - end) + data[-end:])


@row(lambda file: file.write_bytes(b""), "is no Parquet file that can be read")
@row(lambda file: file.write_text("image,caption\n"), "is no Parquet file that can be read")
@row(cut, "is no Parquet file that can be read")
@row(lambda file: file.write_bytes(b"PAR1" + bytes(40) + b"PAR1"), "is no Parquet file that can be read")
@row(damage, "cannot be read to its end")
@row(lambda file: table(file.parent, {"text": ["a cat"]}, "two"), "has neither a column image nor file_name, only")
def test_a_file_that_cannot_be_read_is_named_beside_one_that_can(
    spoil: Callable[[Path], object], told: str, tmp_path: Path
) -> None:
    table(tmp_path, {name: values * 9 for name, values in images_of("a.jpg").items()}, "one")
    table(tmp_path, images_of("b.jpg"), "two")
    spoil(tmp_path / "two.parquet")
    with pytest.raises(SourceError) as refused:
        read(tmp_path, "parquet")
    assert str(refused.value).startswith("two.parquet: ") and told in str(refused.value)


def test_a_group_of_rows_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exchange.formats.parquet.MOST_GROUP_BYTES", 99)
    with pytest.raises(SourceError, match=r"set\.parquet: row group 1 has too many bytes: write it with smaller ones"):
        read(table(tmp_path, images_of("a.jpg")), "parquet")


def test_a_text_that_is_not_utf_8_costs_its_own_row_alone(tmp_path: Path) -> None:
    texts = pyarrow.array([b"a cat", b"\xff", b"a dog"]).cast(pyarrow.string(), safe=False)
    made = pyarrow.table(images_of("a.jpg", "b.jpg", "c.jpg")).drop_columns("caption").append_column("caption", texts)
    parquet.write_table(made, tmp_path / "set.parquet")

    found = read(tmp_path, "parquet")

    assert [str(one) for one in found if isinstance(one, Problem)] == [
        "set.parquet: row 2 holds a text that is not UTF-8 (image b.jpg left out)"
    ]
    assert [one.path for one in found if isinstance(one, DatasetImage)] == ["a.jpg", "c.jpg"]


def test_rows_of_one_picture_are_one_image_and_a_path_of_two_pictures_is_two(tmp_path: Path) -> None:
    for name in ("one", "two"):
        table(tmp_path, images_of("a.jpg"), name)
    other: dict[str, list[Any]] = {
        "image": [{"bytes": plain_jpeg(9, 9, (9, 9, 9)), "path": "a.jpg"}],
        "caption": ["a dog"],
    }
    table(tmp_path, other, "three")
    found = [one for one in read(tmp_path, "parquet") if isinstance(one, DatasetImage)]
    assert [(one.path, [caption.text for caption in one.captions]) for one in found] == [
        ("a.jpg", ["a cat", "a cat"]),
        ("three-00000.jpg", ["a dog"]),
    ]


@pytest.mark.django_db
def test_with_strict_one_bad_row_refuses_every_other(tmp_path: Path) -> None:
    written(tmp_path, "parquet", lambda data: data[0]["objects"].update(start=[0]))
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("import_dataset", "parks", str(tmp_path), strict=True)
    assert not Project.objects.exists()


def test_a_file_whose_end_says_less_than_its_pages_take_is_refused(tmp_path: Path) -> None:
    """The size of the texts, as a whole number of Thrift, is written over with 1,000 in as many bytes."""
    columns = {"file_name": ["a.jpg"], "caption": ["m" * 20_000_000]}
    file = tmp_path / "set.parquet"
    options: dict[str, Any] = {"compression": "zstd", "use_dictionary": False, "store_schema": False}
    parquet.write_table(pyarrow.table(columns), file, **options)
    size = parquet.ParquetFile(file).metadata.row_group(0).column(1).total_uncompressed_size
    told = bytes([*((2 * size >> 7 * place) & 127 | 128 for place in range(3)), 2 * size >> 21])
    end = file.read_bytes().index(told, 100)
    assert len(told) == 4
    file.write_bytes(file.read_bytes()[:end] + b"\xd0\x8f\x80\x00" + file.read_bytes()[end + 4 :])
    assert parquet.ParquetFile(file).metadata.row_group(0).column(1).total_uncompressed_size == 1_000
    with pytest.raises(SourceError, match=r"set\.parquet: has more than 40 times as much in its rows"):
        read(tmp_path, "parquet")


@row({"compression": "zstd"})
@row({"compression": "none", "data_page_version": "2.0"})
@row({"use_dictionary": False, "write_page_checksum": True, "data_page_size": 300})
def test_pages_are_counted_as_the_file_says(options: dict[str, Any], tmp_path: Path) -> None:
    columns: dict[str, Any] = images_of(*(f"{place}.jpg" for place in range(300))) | {
        "objects": [{"bbox": [[1.5]]}] * 300
    }
    plain = {"row_group_size": 200, "write_statistics": False} | options
    parquet.write_table(pyarrow.table(columns), tmp_path / "set.parquet", **plain)
    data = (tmp_path / "set.parquet").read_bytes()
    metadata = parquet.ParquetFile(tmp_path / "set.parquet").metadata
    for group in map(metadata.row_group, range(2)):
        for one in map(group.column, range(group.num_columns)):
            start = one.dictionary_page_offset or one.data_page_offset
            sizes = list(page_sizes(data, start, start + one.total_compressed_size))
            headers = one.total_uncompressed_size - sum(sizes)
            assert sizes and 10 * len(sizes) <= headers <= 60 * len(sizes)
