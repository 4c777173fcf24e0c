"""Broken files of COCO are refused in a sentence that names the file and the place, whichever reader meets them.
Captions are read by image from every form of file, and a bad one is named.
Exports in the format of COCO: those of the service with chains, and plain ones whose boxes are loose.
Exports of Flickr30k Entities are read alike from folders and archives, and bad files are named.
JSON from strangers.
The record of a project, read as pictures: its chains and boxes as they are in the end, and broken lines.
Forms of predicted boxes.
Replies of language models are predictions: boxes find the phrases that their labels name.
"""

import gzip
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from evaluation.errors import InputError
from evaluation.oracle.score import read_hypotheses
from evaluation.reading.caption_file import read_captions, read_named_captions
from evaluation.reading.coco import names_of, read_coco, read_instances
from evaluation.reading.picture import NOT_VISUAL, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.reading.predictions.read_file import ImagePhrases, NamedPhrase, PlacedPredictions, read_predictions
from evaluation.reading.predictions.rows import FORMS, read_box
from evaluation.reading.source import json_lines, number, whole
from exchange.dataset import DatasetImage
from exchange.formats.coco import COCO as COCO_FORMAT
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.formats.format import write_files
from tests.support.dataset_images import beach, dog
from tests.support.table import case, row

IMAGES = [{"id": n, "file_name": f"{name}.jpg", "width": 40, "height": 30} for n, name in ((5, "a"), (6, "b"))]
PHRASE = {"chain": "1", "types": ["animals"], "tokens_positive": [[0, 5]]}
CAPTION = {"image_id": 5, "caption": "A dog runs there .", "phrases": [PHRASE], "not_visual": [[[11, 16]]]}
BOX = {"image_id": 5, "category_id": 0, "bbox": [1, 2, 10, 20], "chains": ["1"]}
GOOD: dict[str, Any] = {
    "captions": {"images": IMAGES, "annotations": [CAPTION]},
    "instances": {"images": IMAGES, "categories": [{"id": 0, "name": "dog"}], "annotations": [BOX]},
}
CAPTIONS_AT, BOX_AT = ("captions", "annotations", 0), ("instances", "annotations", 0)
PHRASE_AT, HIDDEN_AT = (*CAPTIONS_AT, "phrases", 0), (*CAPTIONS_AT, "not_visual")
PHRASE_IS, HIDDEN_IS = "captions.json, caption 1, phrase 1: ", "captions.json, caption 1, not_visual 1"
PAIR = "not one pair [[from, to]] of characters"
Place = Sequence[str | int]
BROKEN_LISTS: list[tuple[Place, Any, str]] = [
    (("instances", "images"), None, "instances.json: the field 'images' is not a list"),
    (("instances", "images", 1, "id"), [6], "instances.json, image 2: the id is '[6]', not a whole number or a text"),
    (("instances", "images", 1, "id"), 5, "instances.json, image 2: the image 5 (b) stands twice"),
    (("instances", "images", 1), {"id": 6}, "instances.json, image 2: the field 'file_name' is missing"),
    (("instances", "categories"), None, "instances.json: the field 'categories' is not a list"),
    (("instances", "categories"), [7], "instances.json, category 1 is not an object with fields"),
    (("instances", "categories", 0, "id"), [0], "instances.json, category 1: the id is '[0]', not a whole number or"),
    (("instances", "categories"), [{"id": 0, "name": n} for n in "ab"], "instances.json, category 2: the id 0 stands"),
]  # fmt: skip
BROKEN: list[tuple[Place, Any, str]] = [
    *BROKEN_LISTS,
    ((*CAPTIONS_AT, "caption"), None, "captions.json, caption 1: the caption is not text"),
    ((*CAPTIONS_AT, "image_id"), [5], "captions.json, caption 1: the field 'image_id' is '[5]', not a whole number or"),
    ((*CAPTIONS_AT, "phrases"), None, "captions.json, caption 1: the field 'phrases' is not a list"),
    ((*CAPTIONS_AT, "phrases"), ["A dog"], "captions.json, caption 1, phrase 1 is not an object with fields"),
    ((*PHRASE_AT, "types"), None, f"{PHRASE_IS}the field 'types' is not a list"),
    ((*PHRASE_AT, "types"), "people", f"{PHRASE_IS}the field 'types' is not a list"),
    ((*PHRASE_AT, "types"), [None], f"{PHRASE_IS}a type is 'None', not a whole number or a text"),
    ((*PHRASE_AT, "chain"), None, f"{PHRASE_IS}the field 'chain' is 'None', not a whole number or a text"),
    ((*PHRASE_AT, "tokens_positive"), [], f"{PHRASE_IS}the field 'tokens_positive' is '[]', {PAIR}"),
    ((*PHRASE_AT, "tokens_positive"), 3, f"{PHRASE_IS}the field 'tokens_positive' is '3', {PAIR}"),
    ((*PHRASE_AT, "tokens_positive"), ["0", "5"], f"{PHRASE_IS}the field 'tokens_positive' is \"['0', '5']\", {PAIR}"),
    ((*PHRASE_AT, "tokens_positive"), [[0]], f"{PHRASE_IS}the field 'tokens_positive' is '[[0]]', {PAIR}"),
    ((*PHRASE_AT, "tokens_positive"), [["0", "5"]], f"{PHRASE_IS}the field 'tokens_positive': an edge is '0', not a"),
    ((*PHRASE_AT, "tokens_positive"), [[0, 5.5]], f"{PHRASE_IS}the field 'tokens_positive': an edge is '5.5', not a"),
    ((*PHRASE_AT, "tokens_positive"), [[5, 6]], f"{PHRASE_IS}the field 'tokens_positive': no word of the caption is"),
    ((*PHRASE_AT, "tokens_positive"), [[90, 95]], f"{PHRASE_IS}the field 'tokens_positive': no word of the caption is"),
    (HIDDEN_AT, None, "captions.json, caption 1: the field 'not_visual' is not a list"),
    (HIDDEN_AT, [[]], f"{HIDDEN_IS} is '[]', {PAIR}"),
    (HIDDEN_AT, [[[]]], f"{HIDDEN_IS} is '[[]]', {PAIR}"),
    (HIDDEN_AT, [[["there", 16]]], f"{HIDDEN_IS}: an edge is 'there', not a whole number from 0"),
    ((*BOX_AT, "chains"), None, "instances.json, box 1: the field 'chains' is not a list"),
    ((*BOX_AT, "chains"), 1, "instances.json, box 1: the field 'chains' is not a list"),
    ((*BOX_AT, "chains"), [None], "instances.json, box 1: a chain is 'None', not a whole number or a text"),
    ((*BOX_AT, "category_id"), [0], "instances.json, box 1: the field 'category_id' is '[0]', not a whole number or"),
    ((*BOX_AT, "category_id"), None, "instances.json, box 1: the field 'category_id' is 'None', not a whole number or"),
    (("instances", "images", 0, "width"), 4.5, "instances.json, image 1: the width is '4.5', not a whole number"),
    ((*BOX_AT, "bbox"), [1, 2, 3], "instances.json, box 1: the field 'bbox' is not a list of 4 numbers"),
]  # fmt: skip


def export(folder: Path, place: Place = (), value: Any = None) -> Path:
    """Write an export that holds the value at this place."""
    files = deepcopy(GOOD)
    if place:
        inner: Any = files
        for step in place[:-1]:
            inner = inner[step]
        inner[place[-1]] = value
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def test_the_export_is_read_before_it_is_broken(tmp_path: Path) -> None:
    first, second = read_coco(export(tmp_path))
    assert [phrase.text for phrase in first.captions[0].phrases] == ["A dog", "there"]
    assert first.gold == {"1": (1, 2, 11, 22)}
    assert (second.captions, second.gold) == ((), {})
    assert read_instances(tmp_path / "instances.json") == {"a": {"dog"}, "b": set()}


@pytest.mark.parametrize(("place", "value", "told"), BROKEN)
def test_a_broken_file_and_its_place_are_named(tmp_path: Path, place: Place, value: Any, told: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(told)}"):
        read_coco(export(tmp_path, place, value))


@pytest.mark.parametrize("read", [names_of, read_instances])
@pytest.mark.parametrize(("place", "value", "told"), BROKEN_LISTS)
def test_readers_of_instances_alone_refuse_broken_images_and_categories(
    tmp_path: Path, read: Callable[[Path], object], place: Place, value: Any, told: str
) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(told)}"):
        read(export(tmp_path, place, value) / "instances.json")


def test_two_images_of_one_name_are_refused_where_the_name_alone_tells_them_apart(tmp_path: Path) -> None:
    folder = export(tmp_path, ("instances", "images", 1, "file_name"), "other/a.jpg")
    for read, path in ((read_coco, folder), (read_instances, folder / "instances.json")):
        with pytest.raises(InputError, match=r"instances\.json, image 2: the image 6 \(a\) stands twice"):
            read(path)
    assert names_of(folder).images == {"a.jpg": "a", "5": "a", "other/a.jpg": "a", "6": "a"}


def test_an_export_without_categories_is_read_and_an_id_goes_before_the_name_of_a_file(tmp_path: Path) -> None:
    export(tmp_path, ("instances",), {name: own for name, own in GOOD["instances"].items() if name != "categories"})
    assert read_coco(tmp_path)[0].gold == {"1": (1, 2, 11, 22)}
    assert names_of(tmp_path).categories == {}
    images = [{"id": 1, "file_name": "2"}, {"id": 2, "file_name": "1"}]
    assert names_of(export(tmp_path, ("instances", "images"), images)).images == {"1": "2", "2": "1"}


COCO: dict[str, Any] = {
    "images": [{"id": 7, "file_name": "b.jpg"}, {"id": 3, "file_name": "train/a.jpg"}],
    "annotations": [
        {"id": 1, "image_id": 3, "caption": "A dog  sits.\n"},
        {"id": 2, "image_id": 7, "caption": "A cat."},
        {"id": 3, "image_id": 3, "caption": "The dog."},
    ],
}


def coco(folder: Path, **changes: Any) -> Path:
    path = folder / "captions.json"
    path.write_text(json.dumps({**COCO, **changes}))
    return path


@pytest.mark.parametrize("name", ["captions.token", "captions.token.gz"])
def test_a_token_file_is_read_plain_and_packed_and_a_bad_line_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = b"a.jpg#0\tA dog .\nb.jpg#0\tA cat .\na.jpg#1\tThe dog .\n"
    for written in (text, text + b"no tab\n"):
        path.write_bytes(gzip.compress(written) if name.endswith(".gz") else written)
        if written == text:
            assert read_captions(path) == {"a": ["A dog .", "The dog ."], "b": ["A cat ."]}
    with pytest.raises(InputError, match="line 4: IMAGE#NUMBER, a tab and a caption are expected"):
        read_captions(path)


def test_coco_captions_are_named_by_the_files_of_their_images_or_without_them_by_their_ids(tmp_path: Path) -> None:
    assert list(read_captions(coco(tmp_path)).items()) == [("b", ["A cat."]), ("a", ["A dog sits.", "The dog."])]
    path = tmp_path / "captions.json"
    path.write_text(json.dumps({"annotations": COCO["annotations"]}))
    assert read_captions(path) == {"3": ["A dog sits.", "The dog."], "7": ["A cat."]}


def test_an_export_is_read_without_its_markup(export: Path) -> None:
    assert read_captions(export) == {
        "cat": ["A cat sits ."],
        "man": ["A man in a red hat with a dog .", "There is a man on a beach ."],
    }


def test_real_coco_captions_have_their_pictures_names_and_boxes_without_chains_are_loose(
    data_folder: Path,
) -> None:
    found = read_captions(data_folder / "coco" / "captions.json")
    assert len(found) == 80 and {len(captions) for captions in found.values()} == {5}
    assert all((len(name), name.isdigit()) == (12, True) for name in found)
    pictures = read_pictures(data_folder / "coco")
    assert len(pictures) == 80 and sum(len(one.loose) for one in pictures) == 739
    assert not any(one.gold for one in pictures)


@row({"images": [*COCO["images"], {"id": 9, "file_name": "c"}]}, "the image 'c' has no caption (images without one: 1)")
@row({"images": [*COCO["images"], {"id": 9, "file_name": "a.png"}]}, "image 3: the image 9 (a) stands twice")
@row({"images": [{"id": 3}]}, "captions.json, image 1: the field 'file_name' is missing")
@row({"images": COCO["images"][:1]}, "annotation 1: the image 3 is not among the images")
@row({"annotations": [{"image_id": 3, "caption": " "}]}, "annotation 1: the caption is not text")
@row({"annotations": [{"image_id": 3}]}, "annotation 1: the field 'caption' is missing")
@row({"annotations": [{"image_id": None, "caption": "A dog."}]}, "annotation 1: the id of the image is 'None'")
@row({"annotations": {}}, "the field 'annotations' is not a list")
@row({"images": [], "annotations": []}, "captions.json holds no captions")
def test_bad_coco_captions_are_named(changes: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        read_captions(coco(tmp_path, **changes))


def test_captions_come_with_the_names_of_their_images_where_there_are_ids(tmp_path: Path, export: Path) -> None:
    token = tmp_path / "captions.token"
    token.write_text("a.jpg#0\tA dog .\n")
    names = {"b.jpg": "b", "train/a.jpg": "a", "7": "b", "3": "a"}
    for path, expected in ((coco(tmp_path), names), (token, {}), (export, {})):
        found = read_named_captions(path)
        assert (found.by_image, found.names) == (read_captions(path), expected)


COCO_GOOD: dict[str, Any] = {
    "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "sports ball"}],
    "images": [{"id": 5, "file_name": "a.jpg"}, {"id": 6, "file_name": "b.jpg"}],
    "annotations": [{"image_id": 5, "category_id": 2}, {"image_id": 5, "category_id": 1}],
}


def test_both_formats_of_an_export_give_the_same_phrases_and_boxes(tmp_path: Path) -> None:
    write_files(COCO_FORMAT, [beach(), dog()], tmp_path / "coco")
    write_files(FLICKR30K, [beach(), dog()], tmp_path / "entities")
    for one, other in zip(read_coco(tmp_path / "coco"), read_pictures(tmp_path / "entities"), strict=True):
        assert (one.captions, one.gold) == (other.captions, other.gold)
        assert (one.name, one.width, one.height) == (other.name, other.width, other.height)


def test_captions_of_a_system_tell_images_by_the_ids_of_an_export(tmp_path: Path) -> None:
    write_files(COCO_FORMAT, [replace(beach(), path="cam/1.jpg", coco_id=397133), dog()], tmp_path / "coco")
    known, names = read_named_captions(tmp_path / "coco")
    assert set(known) == {beach().name, dog().name}, "names as the service has them, not the users' paths"
    results = tmp_path / "results.json"
    results.write_text(json.dumps([{"image_id": 397133.0, "caption": "A beach"}]))
    assert read_hypotheses(results, names, known)[0] == {beach().name: "A beach"}


def test_a_file_that_is_missing_is_named_and_an_unknown_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a readable export"):
        read_pictures(tmp_path)
    (tmp_path / "instances.json").write_text("{}")
    with pytest.raises(InputError, match=r"has no captions\.json"):
        read_coco(tmp_path)


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "instances.json"
    path.write_text(json.dumps({**COCO_GOOD, **changes}))
    return path


@row({"annotations": [{"image_id": 7, "category_id": 1}]}, "instances.json, box 1: the image 7 is not among")
@row({"annotations": [{"image_id": 5, "category_id": 9}]}, "box 1: the category 9 is not among the categories")
@row({"categories": None}, "instances.json: the field 'categories' is not a list: give a file of COCO instances")
@row({"images": [{"id": 5}]}, "instances.json, image 1: the field 'file_name' is missing")
def test_a_bad_file_of_instances_is_named(changes: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        read_instances(written(tmp_path, **changes))


def test_every_image_has_the_categories_of_its_boxes_and_ids_begin_at_zero(tmp_path: Path) -> None:
    assert read_instances(written(tmp_path)) == {"a": {"dog", "sports ball"}, "b": set()}
    kinds = [{"id": 0, "name": "person"}, {"id": 1, "name": "dog"}]
    names = names_of(written(tmp_path, categories=kinds, images=[{"id": 0, "file_name": "c/a.jpg"}]))
    assert names.categories == {0: "person", 1: "dog"} and names.images == {"0": "a", "c/a.jpg": "a"}


def test_phrases_are_numbered_with_those_that_are_not_visual_and_boxes_are_half_open_and_joined(export: Path) -> None:
    cat, man = read_pictures(export)
    second = man.captions[1]
    phrases = [(one.number, one.chain, one.start, one.text) for one in second.phrases]
    assert phrases == [(0, "0", 0, "There"), (1, "1", 2, "a man"), (2, "4", 5, "a beach")]
    assert second.text == "There is a man on a beach ."
    assert cat.gold == {"9": (0, 0, 20, 40)}
    assert man.gold["2"] == (20, 10, 40, 30) and "4" not in man.gold


def test_an_export_of_the_service_reads_as_it_was(tmp_path: Path) -> None:
    write_files(FLICKR30K, [beach(), dog()], tmp_path / "out")
    shore, puppy = read_pictures(tmp_path / "out")
    assert puppy.gold == {"5": (0, 0, 10, 10)}
    assert shore.gold == {"1": (0, 0, 100, 100), "2": (10, 0, 30, 20), "4": (0, 0, 40, 100)}
    assert [one.types for one in shore.captions[0].phrases] == [("people",), ("clothing", "other"), ("scene",)]
    assert (shore.width, shore.height) == (200, 100)


def test_an_archive_reads_like_its_folder(export: Path, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.zip", "w") as packed:
        for file in sorted(export.rglob("*.*")):
            packed.write(file, Path("project-flickr30k-entities") / file.relative_to(export))
    assert [vars(one) for one in read_pictures(tmp_path / "a.zip")] == [vars(one) for one in read_pictures(export)]


@row("Sentences/cat.txt", "[/EN#9/animals A cat", "Sentences/cat.txt:1: the bracket at character 1 is not closed")
@row("Annotations/cat.xml", "<annotation>", "Annotations/cat.xml:1: broken XML")
@row("Annotations/cat.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a/>', "has a document type")
@row("Annotations/cat.xml", "<annotation/>", "Annotations/cat.xml:1: <annotation> has 0 <size> where one belongs")
def test_a_bad_file_is_named(file: str, text: str, told: str, export: Path) -> None:
    (export / file).write_text(text)
    with pytest.raises(InputError) as refused:
        read_pictures(export)
    assert told in str(refused.value)


def test_another_folder_a_file_that_is_no_archive_and_an_image_without_annotations_are_refused(export: Path) -> None:
    shutil.rmtree(export / "Annotations")
    (export / "Annotations").mkdir()
    sentences, missing = export / "Sentences", r"Sentences/cat\.txt: has no Annotations/cat\.xml"
    not_packed = (sentences / "cat.txt", "neither a folder nor a zip archive")
    for path, told in ((sentences, "is not a readable export"), not_packed, (export, missing)):
        with pytest.raises(InputError, match=told):
            read_pictures(path)


def test_real_data_reads_as_the_service_reads_it(entities: Path) -> None:
    pictures = {one.name: one for one in read_pictures(entities)}
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


@row('{"a": NaN}', "line 2: NaN is not a number")
@row('{"a": Infinity}', "line 2: Infinity is not a number")
@row('{"a": 1, "a": 2}', "line 2: the field 'a' stands twice")
@row("{", "line 2 is no JSON")
@row("[" * 100_000, "line 2 is no JSON")
def test_a_bad_line_is_named(line: str, told: str, lines: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=told):
        list(json_lines(lines("{}", line)))


def test_blank_lines_count_but_give_nothing(lines: Callable[..., Path]) -> None:
    found = [where for where, _ in json_lines(lines("", "1", " ", "2"))]
    assert found == ["predictions.jsonl, line 2", "predictions.jsonl, line 4"]


@pytest.mark.parametrize("value", [True, 1.0, "1", -1, None])
def test_a_whole_number_is_nothing_else(value: object) -> None:
    with pytest.raises(InputError, match=r"caption is .*, not a whole number from 0"):
        whole(value, "caption")


@pytest.mark.parametrize("value", [True, "1", None, 10**400, 1e999])
def test_a_number_is_finite(value: object) -> None:
    with pytest.raises(InputError, match="an edge is"):
        number(value, "an edge")


Lines = Callable[..., Path]
MENTIONS = [(0, 0, 2, "people", 0), (0, 3, 6, "clothing", 1), (1, 0, 1, "people", 0), (1, 2, 4, "body parts", 2)]


def image(**other: Any) -> dict[str, Any]:
    """Return the line of an image with two captions, whose last chain was merged into the second one."""
    mentions = [
        {"number": place, "caption": caption, "start": start, "end": end, "types": [kind], "chain": chain}
        for place, (caption, start, end, kind, chain) in enumerate(MENTIONS)
    ]
    captions = [
        {"words": ["A", "man", "in", "a", "red", "hat", "."], "non_visual": []},
        {"words": ["He", "has", "it", "on", "there"], "non_visual": [[4, 5]]},
    ]
    chains = [
        {"name": name, "merged_into": into, "non_visual": flag}
        for name, into, flag in ((0, None, "no box"), (1, None, ""), (2, 1, ""))
    ]
    boxes = [
        {"chain": 2, "box": [20, 10, 40, 30], "state": "accepted"},
        {"chain": 1, "box": [0, 0, 5, 5], "state": "discarded"},
    ]
    own = {"captions": captions, "mentions": mentions, "chains": chains, "boxes": boxes, "merged_boxes": []}
    return {"kind": "image", "name": "man", "width": 120, "height": 100, **own, **other}


def read(lines: Lines, **other: Any) -> Picture:
    """Return the picture of the line."""
    return read_pictures(lines({"kind": "project"}, image(**other), name="project.jsonl"))[0]


def test_phrases_have_the_chains_that_merging_left_and_types_as_other_formats_name_them(lines: Lines) -> None:
    phrases = [phrase for caption in read(lines).captions for phrase in caption.phrases]

    assert [one.text for one in phrases] == ["A man", "a red hat", "He", "it on", "there"]
    assert [one.chain for one in phrases] == ["1", "2", "1", "2", NOT_VISUAL]
    assert " ".join(kind for one in phrases for kind in one.types) == "people clothing people bodyparts notvisual"


def test_a_chain_has_its_accepted_boxes_or_those_that_merging_made_and_its_flag(lines: Lines) -> None:
    accepted, merged = read(lines), read(lines, merged_boxes=[{"box": [21, 11, 41, 31], "chains": [1]}])

    assert accepted.boxes == {"2": [(20, 10, 40, 30)]}
    assert merged.boxes == {"2": [(21, 11, 41, 31)]}
    assert accepted.flags == {"1": {"no box"}}


def test_an_image_without_chains_is_left_out(lines: Lines) -> None:
    mention = {"number": 0, "caption": 0, "start": 0, "end": 2, "types": [], "chain": None}

    assert read_pictures(lines(image(mentions=[mention], chains=[]), name="project.jsonl")) == []


@case("captions", {"captions": []}, "line 2: a mention is in caption 0, of 0 captions")
@case(
    "words", {"captions": [{"words": ["A"], "non_visual": []}] * 2}, "line 2: a phrase of caption 0 has no words of it"
)
@case("three edges", {"merged_boxes": [{"box": [1, 2, 3], "chains": [1]}]}, "line 2: a box has 3 edges, not 4")
@case("an edge", {"merged_boxes": [{"box": [1, 2, 3, "x"], "chains": [1]}]}, "line 2: a box is 'x', not a number")
@case("width", {"width": "wide"}, "line 2: the width is 'wide', not a whole number")
@case("a circle", {"chains": [{"name": 0, "merged_into": 0}]}, "line 2: chain 0 was merged into itself")
@case("a list", {"chains": [{"name": 0, "merged_into": [1]}]}, r"line 2: 'merged_into' is '\[1\]', not a whole number")
def test_a_broken_line_is_told_by_its_number(other: dict[str, Any], said: str, lines: Lines) -> None:
    with pytest.raises(InputError, match=f"project.jsonl, {said}"):
        read(lines, **other)


SAME = {
    "xyxy": [10, 20, 50, 60], "xywh": [10, 20, 40, 40], "xyxy-normalised": [0.1, 0.1, 0.5, 0.3],
    "cxcywh-normalised": [0.3, 0.2, 0.4, 0.2], "xyxy-1000": [100, 100, 500, 300],
    "yxyx-1000": [100, 100, 300, 500],
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_box(form: str) -> None:
    assert read_box(SAME[form], form, (100, 200), "line 1") == pytest.approx((10, 20, 50, 60))


def test_rounded_shares_are_cut_at_the_edge_and_so_does_clipping_but_keeps_no_box_that_lies_outside() -> None:
    assert read_box([0, 0, 1.0000001, 1], "xyxy-normalised", (500, 375), "line 1") == (0, 0, 500, 375)
    assert read_box([-5, -5, 10, 300], "xyxy", (100, 200), "line 1", clip=True) == (0, 0, 10, 200)
    with pytest.raises(InputError, match="outside"):
        read_box([100, 0, 110, 10], "xyxy", (100, 200), "line 1", clip=True)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "box",
    [[-200, 0, 10, 10], [0, 0, 10, 3000], [0, 0, 0, 5], [5, 5, 5, 5.0][:3], "box", [0, 0, 1, "1"], [0, 0, 1, True]],
)
def test_a_bad_box_is_refused(form: str, box: object) -> None:
    with pytest.raises(InputError, match=r"^line 1"):
        read_box(box, form, (100, 200), "line 1")


PHRASES = [
    NamedPhrase(0, 0, 0, 2, "A man", ("people",)), NamedPhrase(1, 0, 3, 5, "a dog", ("animals",)),
    NamedPhrase(2, 1, 0, 2, "a man", ("people",)), NamedPhrase(3, 1, 3, 5, "a man", ("people",)),
]  # fmt: skip
CORNERS, OTHER = (10, 20, 50, 60), (0, 0, 100, 200)
THOUSANDTHS, OTHER_THOUSANDTHS = [100, 100, 500, 300], [0, 0, 1000, 1000]


def read_replies(*lines: Mapping[str, Any], form: str = "") -> PlacedPredictions[ImagePhrases]:
    image = ImagePhrases("one", 100, 200, PHRASES)
    data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return read_predictions(
        "replies.jsonl", data, lambda names: {one: image for one in names if one == "one"}, form=form
    )


def boxes(found: PlacedPredictions[ImagePhrases]) -> dict[int | None, list[Any]]:
    """Return the boxes by the number of their phrase."""
    return {phrase.number: [one.box for one in own] for one in found.images for phrase, own in one.boxes.items()}


def reply(text: str, caption: int = 0) -> dict[str, Any]:
    return {"image": "one", "caption": caption, "reply": text}


def test_marks_in_a_caption_are_in_thousandths_and_gemini_gives_the_top_first() -> None:
    text = f"<ref>a man</ref><box>[{THOUSANDTHS}]</box> with <ref>a dog</ref> <box>{OTHER_THOUSANDTHS}</box>"
    assert boxes(read_replies(reply(text))) == {0: [CORNERS], 1: [OTHER]}
    text = json.dumps([{"box_2d": [100, 100, 300, 500], "label": "A MAN"}])
    assert boxes(read_replies(reply(f"Here you are:\n```json\n{text}\n```"))) == {0: [CORNERS]}


@pytest.mark.parametrize(("form", "box"), [("xyxy", list(CORNERS)), ("xyxy-1000", THOUSANDTHS)])
def test_qwen_gives_pixels_or_thousandths_and_the_form_must_be_told(form: str, box: list[int]) -> None:
    text = json.dumps([{"bbox_2d": box, "label": "a dog"}])
    assert boxes(read_replies(reply(text), form=form)) == {1: [CORNERS]}
    with pytest.raises(InputError, match="line 1: boxes of 'bbox_2d' are pixels or from 0 to 1000"):
        read_replies(reply(text))


def test_several_boxes_of_a_label_belong_to_its_phrase_and_labels_that_are_no_phrase_are_counted() -> None:
    rows = [{"box_2d": [100, 100, 300, 500], "label": "a dog"}, {"box_2d": OTHER_THOUSANDTHS, "label": "a dog"}]
    assert boxes(read_replies(reply(json.dumps(rows)))) == {1: [CORNERS, OTHER]}
    found = read_replies(
        reply(json.dumps([{"box_2d": THOUSANDTHS, "label": "a cat"}])), reply("I cannot see that, sorry.")
    )
    assert (boxes(found), found.unused) == ({}, 1), "prose gives no box"


@row('[{"box_2d": [100, 100, 300, 500], "label": "a man"}, {"box_2d": [0, 0, 1000', {0: [CORNERS]}, 1)
@row('```json\n[{"box_2d": [100, 100, 300, 500], "label": "a man"},', {0: [CORNERS]}, 1)
@row("<ref>a man</ref><box>[[100, 100, 500, 300]]</box> and <ref>a dog</ref><box>[[0,", {0: [CORNERS]}, 1)
@row("<ref>a man</ref><box>[[100, 100,", {}, 1)
@row('[{"box_2d": [100, 100, 300, 500], "label": "a man"}] [see', {0: [CORNERS]}, 0)
@row("I cannot [see", {}, 0)
def test_a_reply_that_was_cut_off_keeps_its_complete_boxes_and_is_counted(
    text: str, complete: dict[int, Any], cut_off: int
) -> None:
    found = read_replies(reply(text), reply("Nothing."))
    assert (boxes(found), found.cut_off) == (complete, cut_off)


def test_equal_phrases_take_as_many_boxes_in_turn_and_fewer_tell_nobody() -> None:
    rows = [{"box_2d": [100, 100, 300, 500], "label": "a man"}, {"box_2d": OTHER_THOUSANDTHS, "label": "a man"}]
    assert boxes(read_replies(reply(json.dumps(rows), caption=1))) == {2: [CORNERS], 3: [OTHER]}
    found = read_replies(reply(json.dumps(rows[:1]), caption=1))
    assert (boxes(found), found.unused) == ({}, 1)


def test_rows_and_replies_may_stand_in_one_file() -> None:
    row = {"image": "one", "caption": 0, "phrase": "a dog", "boxes": [list(CORNERS)]}
    assert boxes(read_replies(row, reply(f"<ref>a man</ref><box>[{OTHER_THOUSANDTHS}]</box>"))) == {
        0: [OTHER],
        1: [CORNERS],
    }


@row({"image": "one", "caption": 0, "reply": 3}, "line 1: field 'reply' is '3', not the text of the model's reply")
@row({"image": "one", "reply": ""}, "line 1: the field 'caption' is missing")
@row({"caption": 0, "reply": ""}, "line 1: the field 'image' is missing")
@row({"image": "one", "caption": -1, "reply": ""}, "line 1: field 'caption' is '-1', not a whole number")
@row({"image": "one", "caption": 0, "reply": "", "model": "x"}, "line 1 has the unknown field 'model'")
@row(reply("<ref>a dog</ref><box>[[0, 0, 3000, 9]]</box>"), "line 1: 'a dog' [0, 0, 3000, 9] reaches outside")
@row(reply("<ref>a dog</ref><box>[[5, 5, 5]]</box>"), "line 1: 'a dog' has 3 numbers")
def test_a_wrong_line_is_named(line: Mapping[str, Any], told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_replies(line)
    assert told in str(refused.value)
