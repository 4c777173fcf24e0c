"""Exports of Flickr30k Entities are read alike from folders and archives, and bad files are named."""

import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from evaluation.errors import InputError
from evaluation.reading.entities import read_entities
from exchange.dataset import DatasetImage
from exchange.flickr30k.read import read_flickr30k
from exchange.flickr30k.write import write_flickr30k
from tests.support.small_data_set import beach, dog


def test_phrases_are_numbered_with_those_that_are_not_visual(export: Path) -> None:
    _, man = read_entities(export)
    second = man.captions[1]
    assert [(one.number, one.chain, one.text) for one in second.phrases] == [
        (0, "0", "There"), (1, "1", "a man"), (2, "4", "a beach"),
    ]  # fmt: skip
    assert [one.start for one in second.phrases] == [0, 2, 5]
    assert second.text == "There is a man on a beach ."


def test_boxes_are_half_open_and_those_of_a_chain_are_joined(export: Path) -> None:
    cat, man = read_entities(export)
    assert cat.gold == {"9": (0, 0, 20, 40)}
    assert man.gold["2"] == (20, 10, 40, 30)
    assert "4" not in man.gold


def test_an_export_of_the_service_reads_as_it_was(tmp_path: Path) -> None:
    write_flickr30k([beach(), dog()], tmp_path / "out")
    shore, puppy = read_entities(tmp_path / "out")
    assert puppy.gold == {"5": (0, 0, 10, 10)}
    assert shore.gold == {"1": (0, 0, 100, 100), "2": (10, 0, 30, 20), "4": (0, 0, 40, 100)}
    assert [one.types for one in shore.captions[0].phrases] == [("people",), ("clothing", "other"), ("scene",)]
    assert (shore.width, shore.height) == (200, 100)


def test_an_archive_reads_like_its_folder(export: Path, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.zip", "w") as packed:
        for file in sorted(export.rglob("*.*")):
            packed.write(file, Path("project-flickr30k-entities") / file.relative_to(export))
    assert [vars(one) for one in read_entities(tmp_path / "a.zip")] == [vars(one) for one in read_entities(export)]


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("Sentences/cat.txt", "[/EN#9/animals A cat", "Sentences/cat.txt, line 1: the bracket at character 1"),
        (
            "Sentences/cat.txt",
            "[/EN#9/animals ] .",
            "Sentences/cat.txt, line 1: the phrase at character 1 has no words",
        ),
        ("Annotations/cat.xml", "<annotation>", "Annotations/cat.xml is broken XML"),
        ("Annotations/cat.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a/>', "has a document type"),
        ("Annotations/cat.xml", "<annotation/>", "<size/width> is ''"),
        (
            "Annotations/cat.xml",
            "<annotation><size><width>9</width><height>9</height></size><object><name>9</name><bndbox><xmin>0</xmin>"
            "<ymin>1</ymin><xmax>5</xmax><ymax>5</ymax></bndbox></object></annotation>",
            "object 1: the box 0 1 5 5 is not inside 9 x 9 pixels",
        ),
    ],
)
def test_a_bad_file_is_named(export: Path, file: str, text: str, told: str) -> None:
    (export / file).write_text(text)
    with pytest.raises(InputError) as refused:
        read_entities(export)
    assert told in str(refused.value)


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no folder Sentences/"):
        read_entities(tmp_path)


def test_a_file_that_is_no_archive_is_refused(export: Path) -> None:
    with pytest.raises(InputError, match="neither a folder nor a zip archive"):
        read_entities(export / "Sentences" / "cat.txt")


def test_an_image_without_annotations_is_named(export: Path) -> None:
    shutil.rmtree(export / "Annotations")
    (export / "Annotations").mkdir()
    with pytest.raises(InputError, match=r"Annotations/cat\.xml is missing \(2 are\)"):
        read_entities(export)


def test_real_data_reads_as_the_service_reads_it(entities: Path) -> None:
    pictures = {one.name: one for one in read_entities(entities)}
    assert len(pictures) == 500
    for image in read_flickr30k(entities):
        if not isinstance(image, DatasetImage):
            continue  # the service says which chains no caption names
        picture = pictures[image.name]
        assert [caption.words for caption in picture.captions] == [caption.words for caption in image.captions]
        visual = [one for caption in picture.captions for one in caption.phrases if one.chain != "0"]
        assert [(one.caption, one.start, one.chain) for one in visual] == [
            (one.caption, one.start, one.chain) for one in image.mentions
        ]
        assert {box for boxes in picture.boxes.values() for box in boxes} == {tuple(one.box) for one in image.boxes}
