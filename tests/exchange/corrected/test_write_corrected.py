"""A corrected set holds the labels of now in the format of its source, and all else as it was."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from annotation.rules.box import Box
from exchange.atomic import TargetExists
from exchange.corrected.formats import FORMATS
from exchange.corrected.held import NotHeld
from exchange.corrected.phrase_edits import moved
from exchange.corrected.write_corrected import CorrectedReport, write_corrected
from exchange.problems import SourceError
from pipeline.rules.checking.label import Label
from tests.exchange.corrected.sets import CORRECTED, DOG, IMAGES, corrector, entries, labels, written

MOVED = ([(0, 0), (2, 0)], [(5, 2, 35, 44)], "")
HAT_ALONE = ([(0, 3)], [(3, 2, 20, 12)], "")
SCENE: tuple[list[tuple[int, int]], list[Any], str] = ([(0, 6)], [], "scene")
DOGS = ([(1, 0), (2, 2)], [(50, 30, 80, 60)], "")
ONE_BALL = ([(1, 4)], [(30, 50, 40, 60)], "")
BOXED = [MOVED, HAT_ALONE, DOGS, ONE_BALL]
WITHOUT_FLAGS = ("mdetr", "odvg", "hub", "parquet")
OF_PHRASES = ("flickr30k-entities", "coco", *WITHOUT_FLAGS)


def corrected(tmp_path: Path, source_format: str, *wanted: Label, **options: Any) -> CorrectedReport:
    source = tmp_path / "source"
    source.mkdir()
    written(source, source_format)
    return write_corrected(path=source, target=tmp_path / "out", corrector=corrector(*wanted, **options))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


@pytest.mark.parametrize("source_format", FORMATS)
def test_a_set_of_which_nothing_changed_keeps_every_byte(tmp_path: Path, source_format: str) -> None:
    report = corrected(tmp_path, source_format)
    assert report.changed == 0
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "source")


@pytest.mark.parametrize("source_format", OF_PHRASES)
def test_the_corrected_set_is_read_with_the_labels_of_now(tmp_path: Path, source_format: str) -> None:
    report = corrected(tmp_path, source_format, *CORRECTED)
    lost = source_format in WITHOUT_FLAGS
    assert report.not_held == ({NotHeld.PHRASE: 1} if lost else {})
    assert labels(tmp_path / "out", source_format) == sorted([*BOXED, *([] if lost else [SCENE])])
    for name in ("a", "c"):
        assert labels(tmp_path / "out", source_format, name) == labels(tmp_path / "source", source_format, name)


def test_of_entities_only_the_files_of_changed_images_change(tmp_path: Path) -> None:
    corrected(tmp_path, "flickr30k-entities", *CORRECTED)
    before, after = bytes_of(tmp_path / "source"), bytes_of(tmp_path / "out")
    assert {name for name in before if before[name] != after[name]} == {"Sentences/b.txt", "Annotations/b.xml"}
    first, second, third = after["Sentences/b.txt"].decode().splitlines()
    assert [first, second] == before["Sentences/b.txt"].decode().splitlines()[:2]
    assert third == "[/EN#11/people He] likes [/EN#13/animals the dog]"
    assert b"<scene>1</scene>" in after["Annotations/b.xml"]


@pytest.mark.parametrize("source_format", ["coco", "mdetr", "odvg", "hub"])
def test_entries_that_did_not_change_keep_their_bytes_ids_and_order(tmp_path: Path, source_format: str) -> None:
    corrected(tmp_path, source_format, *CORRECTED)
    for file in (tmp_path / "source").iterdir():
        before, after = entries(file), entries(tmp_path / "out" / file.name)
        same = [one for one in after if one in before]
        assert same == [one for one in before if one in after]
        kept = [one for one in before if '"b"' not in one and '"b.jpg"' not in one and '"image_id": 80' not in one]
        assert source_format == "mdetr" or set(kept) <= set(same)
        assert len(before) - len(same) <= 9


def test_a_moved_box_keeps_its_id_and_new_chains_get_free_numbers(tmp_path: Path) -> None:
    alone = Label((6,), (Box(50, 30, 80, 61),))
    corrected(tmp_path, "coco", CORRECTED[0], CORRECTED[1], alone)
    before, after = (
        {one["id"]: one for one in json.loads((tmp_path / folder / "instances.json").read_text())["annotations"]}
        for folder in ("source", "out")
    )
    changed = {number: one for number, one in after.items() if before.get(number) != one}
    assert {number: (one["chains"], one["bbox"], one["types"]) for number, one in changed.items()} == {
        7: (["11"], [5, 2, 30, 42], ["people"]),
        8: (["12"], [3, 2, 17, 10], ["clothing"]),  # "the dog" was one of its phrases
        19: (["26"], [50, 30, 30, 31], ["animals"]),
    }  # fmt: skip
    assert before.keys() <= after.keys()


def test_boxes_that_moved_are_paired_with_the_nearest() -> None:
    one, other, new = Box(0, 0, 20, 20), Box(30, 30, 50, 50), Box(90, 0, 99, 9)
    instead = {one: Box(1, 0, 21, 20), other: Box(0, 25, 50, 50)}
    assert moved([one, other], [new, *reversed(instead.values())]) == (instead, (new,))
    assert moved([one, other], [instead[other]]) == ({one: None, other: instead[other]}, ())


def test_joined_chains_and_phrases_that_are_none_leave_their_names(tmp_path: Path) -> None:
    joined = Label((0, 3, 5), (Box(1, 2, 30, 40), Box(50, 30, 80, 60)))
    corrected(tmp_path, "flickr30k-entities", joined, gone=frozenset([4]))
    lines = (tmp_path / "out/Sentences/b.txt").read_text().splitlines()
    assert lines[1] == "[/EN#11/animals His dog] plays with balls ."
    xml = (tmp_path / "out/Annotations/b.xml").read_text()
    assert f"<name>{10 + DOG}</name>" not in xml
    assert xml.count("<name>11</name>") == 2


def test_refs_follow_their_thing_and_keep_their_ids(tmp_path: Path) -> None:
    """“guy.” is the dog, the man's box is moved, and the cat is not to be seen."""
    wanted = [Label((0, 3), (Box(2, 0, 22, 60),)), Label((1, 2), (Box(30, 20, 50, 40),))]
    report = corrected(tmp_path, "refcoco", *wanted, name="one")
    refs = {one["ref_id"]: one for one in json.loads((tmp_path / "out/refs.json").read_text())}
    told = {number: (one["ann_id"], [own["sent"] for own in one["sentences"]]) for number, one in refs.items()}
    assert told == {
        50: (11, ["man on left"]), 54: (12, ["guy."]), 51: (12, ["the dog"]), 52: (11, ["blue shirt"]),
        53: (21, ["a cat"]),
    }  # fmt: skip
    assert (refs[54]["sent_ids"], refs[50]["sent_ids"], refs[50]["file_name"]) == ([2], [1], "one_11.jpg")
    boxes = json.loads((tmp_path / "out/instances.json").read_text())["annotations"]
    assert [(one["id"], one["bbox"]) for one in boxes][:2] == [(11, [2, 0, 20, 60]), (12, [30, 20, 20, 20])]
    assert report.not_held == {}


def test_a_ref_without_a_box_is_left_out_and_counted(tmp_path: Path) -> None:
    report = corrected(tmp_path, "refcoco", Label((0,), (), "no box"), name="two")
    assert [one["ref_id"] for one in json.loads((tmp_path / "out/refs.json").read_text())] == [50, 51, 52]
    assert report.not_held == {NotHeld.PHRASE: 1}
    assert report.examples == {NotHeld.PHRASE: "two.jpg"}


def test_regions_move_and_go(tmp_path: Path) -> None:
    report = corrected(tmp_path, "visual-genome", Label((0,), (Box(20, 7, 61, 46),)), Label((1,), ()), name="1")
    first, second = json.loads((tmp_path / "out/region_descriptions.json").read_text())
    assert [(one["region_id"], one["x"], one["width"]) for one in first["regions"]] == [(1382, 20, 41)]
    assert second["regions"][0]["region_id"] == 1400
    assert report.not_held == {NotHeld.PHRASE: 1}


def test_two_boxes_of_a_region_cannot_be_held_and_are_counted(tmp_path: Path) -> None:
    report = corrected(tmp_path, "visual-genome", Label((0,), (Box(1, 1, 5, 5), Box(7, 7, 9, 9))), name="1")
    assert report.not_held == {NotHeld.BOXES: 1}
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "source")


def test_a_zip_comes_out_as_a_zip(tmp_path: Path, settings: Any) -> None:
    settings.DATA = tmp_path
    (tmp_path / "source").mkdir()
    written(tmp_path / "source", "odvg")
    with zipfile.ZipFile(tmp_path / "set.zip", "w") as archive:
        for name in ("README.txt", "set.jsonl"):
            archive.write(tmp_path / "source" / name, name)
    write_corrected(path=tmp_path / "set.zip", target=tmp_path / "out.zip", corrector=corrector(*CORRECTED))
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        archive.extractall(tmp_path / "out")
    assert labels(tmp_path / "out", "odvg") == sorted(BOXED)
    assert (tmp_path / "out/README.txt").read_bytes() == b"A set.\r\n"


def test_what_cannot_be_corrected_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "captions.jsonl").write_text('{"image": "a.jpg", "caption": "A man"}\n')
    with pytest.raises(SourceError, match="in the format folder, into which corrections are not written"):
        write_corrected(path=tmp_path, target=tmp_path.with_name("never"), corrector=corrector())
    with pytest.raises(SourceError, match="does not exist"):
        write_corrected(path=tmp_path / "nowhere", target=tmp_path / "new", corrector=corrector())
    with pytest.raises(TargetExists):
        write_corrected(path=tmp_path, target=tmp_path, corrector=corrector())
    assert not tmp_path.with_name("never").exists()
    assert len(IMAGES) == 3
