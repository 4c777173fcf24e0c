"""Corrections of files that other programs wrote: fields of their own stay, and boxes in fractions of pixels, too."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from annotation.rules.box import Box
from exchange.corrected.held import NotHeld
from exchange.corrected.json_edits import edit_json
from exchange.corrected.write_corrected import write_corrected
from pipeline.rules.checking.label import Label
from tests.exchange.corrected.sets import corrector, labels
from tests.exchange.grounding.sets import FORMATS, written
from tests.exchange.regions.region_sets import refcoco

MAN, DOG = Box(0, 0, 21, 60), Box(30, 20, 50, 40)
MOVED = Box(3, 0, 24, 60)
WANTED = [Label((0,), (MOVED,)), Label((2,), (MAN,))]
"""The man's box is moved, and the two friends are one."""


def rows(file: Path) -> list[Any]:
    if file.suffix == ".parquet":
        from pyarrow import parquet

        return list(parquet.read_table(file).to_pylist())
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("source_format", FORMATS)
def test_labels_of_now_are_in_files_that_name_no_chains(tmp_path: Path, source_format: str) -> None:
    (tmp_path / "in").mkdir()
    written(tmp_path / "in", source_format)
    report = write_corrected(path=tmp_path / "in", target=tmp_path / "out", corrector=corrector(*WANTED, name="a_one"))
    assert (report.changed, report.not_held) == (1, {})
    assert labels(tmp_path / "out", source_format, "a_one") == [
        ([(0, 0)], [MOVED], ""), ([(0, 3)], [DOG], ""), ([(1, 0)], [MAN], ""),
    ]  # fmt: skip
    file = FORMATS[source_format]
    if source_format == "parquet":
        from pyarrow import parquet

        assert parquet.read_schema(tmp_path / "in" / file) == parquet.read_schema(tmp_path / "out" / file)
    if source_format != "mdetr":
        before, after = rows(tmp_path / "in" / file), rows(tmp_path / "out" / file)
        assert before[1:] == after[1:] or source_format == "odvg"
        assert [0.5, 0, 20, 60] in after[0]["objects"]["bbox"] if "objects" in after[0] else True


def test_annotations_of_mdetr_keep_their_ids_and_numbers(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    written(tmp_path / "in", "mdetr", lambda data: data["annotations"][1].update(score=0.5))
    write_corrected(path=tmp_path / "in", target=tmp_path / "out", corrector=corrector(*WANTED, name="a_one"))
    before, after = (json.loads((tmp_path / at / "set.json").read_text()) for at in ("in", "out"))
    assert before["images"] == after["images"]
    told = {one["id"]: one["bbox"] for one in after["annotations"]}
    assert told == {1: [3, 0, 21, 60], 2: [30, 20, 20, 20], 3: [0.5, 0, 20, 60]}
    assert after["annotations"][1] == before["annotations"][1]


def test_a_phrase_without_boxes_is_left_out_and_counted(tmp_path: Path) -> None:
    for source_format in FORMATS:
        (tmp_path / source_format).mkdir()
        written(tmp_path / source_format, source_format)
        none, out = corrector(Label((1,), (), "no box"), name="a_one"), tmp_path / f"{source_format} out"
        report = write_corrected(path=tmp_path / source_format, target=out, corrector=none)
        assert report.not_held == {NotHeld.PHRASE: 1}
        assert len(labels(out, source_format, "a_one")) == 2


def test_one_thing_with_two_names_is_counted_where_equal_boxes_would_say_so(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    written(tmp_path / "in", "odvg")
    apart = [Label((0,), (MAN,)), Label((2,), (MAN,))]
    report = write_corrected(path=tmp_path / "in", target=tmp_path / "out", corrector=corrector(*apart, name="a_one"))
    assert report.not_held == {NotHeld.COREFERENCE: 2}


def test_refs_in_a_pickle_come_out_in_one(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    refcoco(tmp_path / "in", protocol=0)
    wanted = corrector(Label((0,), (Box(30, 20, 50, 40),)), Label((1, 3), (Box(0, 0, 21, 60),)), name="one")
    write_corrected(path=tmp_path / "in", target=tmp_path / "out", corrector=wanted)
    refs = pickle.loads((tmp_path / "out/refs(unc).p").read_bytes())
    assert [(one["ref_id"], one["ann_id"]) for one in refs] == [(50, 11), (54, 22), (51, 12), (52, 11), (53, 21)]
    boxes = json.loads((tmp_path / "out/instances.json").read_text())["annotations"]
    assert boxes[-1] == {"id": 22, "image_id": 7, "category_id": 1, "bbox": [30, 20, 20, 20], "iscrowd": 0}


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ('\ufeff{"a" :[ 1 ,\r\n 2, 3 ] , "b":{"c": [1]}}\n', '\ufeff{"a" :[ 1, 3 ] , "b":{"c": [1]}}\n'),
        ('{"a": [2], "x": null}', '{"a": [], "x": null}'),
        ("[2, 1.50,\n2]\n", "[1.50]\n"),
        ("[]", "[]"),
    ],
)
def test_text_around_entries_that_go_stays(tmp_path: Path, text: str, edited: str) -> None:
    (tmp_path / "in.json").write_bytes(text.encode())
    edit_json(tmp_path / "in.json", tmp_path / "out.json", lambda key, value: [] if value == 2 else None)
    assert (tmp_path / "out.json").read_bytes().decode() == edited
    edit_json(tmp_path / "in.json", tmp_path / "same.json", lambda key, value: None)
    assert (tmp_path / "same.json").read_bytes() == text.encode()


def test_entries_are_added_at_the_end_of_their_list(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text('{"a": [\n1,\n2\n], "b": [ ]}')
    edit_json(tmp_path / "in.json", tmp_path / "out.json", lambda key, value: None, lambda key: [f"{key}1", f"{key}2"])
    text = (tmp_path / "out.json").read_text()
    assert text == '{"a": [\n1,\n2,\n"a1",\n"a2"\n], "b": ["b1", "b2" ]}'
