"""Small sets with the same labels in each format, and corrections of one of their images.
A corrected set holds the labels of now in the format of its source, and all else as it was.
Corrected Entities are read by the rules of the data set's own reader, and files of other images keep their bytes.
Corrections of files that other programs wrote: fields of their own stay, and boxes in fractions of pixels, too.
"""

import json
import pickle
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from annotation.rules.box import Box
from exchange.atomic import TargetExists
from exchange.checks import SourceError, words_of
from exchange.corrected import CorrectedReport, Corrections, Corrector, UnwrittenPart, write_corrected
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention, Problem
from exchange.export_options import ExportOptions, filtered
from exchange.formats.edits import Edit, moved
from exchange.formats.flickr30k.write import edit_objects
from exchange.formats.pictures import FolderPictures
from exchange.formats.text_streams import edit_json
from exchange.import_image import flags_of, members_of
from exchange.registry import FORMATS, corrected_formats, import_format
from exchange.split_captions import joined_caption
from pipeline.checking.label_evidence import ChainLabel
from tests.exchange.grounding.sets import FILES as SETS_FILES
from tests.exchange.grounding.sets import written
from tests.exchange.regions.region_sets import genome, refcoco
from tests.support.bad_details import BAD, outcome, outcome_of
from tests.support.data_files import write_data
from tests.support.grounding_readers import read_odvg
from tests.support.pictures import plain_jpeg
from tests.support.table import row

MAN, HAT, DOG, PARK, BALLS = range(1, 6)
TEXTS = ("A man with a hat in a park", "His dog plays with balls .", "He likes the dog")
MENTIONS = (
    (0, 0, 2, "people", MAN), (0, 3, 5, "clothing", HAT), (0, 6, 8, "scene", PARK),
    (1, 0, 2, "animals", DOG), (1, 4, 5, "other", BALLS),
    (2, 0, 1, "people", MAN), (2, 2, 4, "animals", HAT),
)  # fmt: skip
"""The last one is in the wrong chain."""
BOXES = (
    ((1, 2, 30, 40), (MAN,)), ((3, 2, 20, 12), (HAT,)), ((0, 0, 90, 70), (PARK,)), ((50, 30, 80, 60), (DOG,)),
    ((10, 50, 20, 60), (BALLS,)), ((30, 50, 40, 60), (BALLS,)),
)  # fmt: skip


def image(name: str, first: int) -> DatasetImage:
    """Return an image whose chains are numbered from `first` + 1."""
    return DatasetImage(
        name, 100, 80,
        captions=tuple(joined_caption(tuple(text.split())) for text in TEXTS),
        mentions=tuple(
            DatasetMention(at, start, end, (kind,), str(first + own)) for at, start, end, kind, own in MENTIONS
        ),
        chains=tuple(DatasetChain(str(first + one)) for one in (MAN, HAT, PARK, DOG, BALLS)),
        boxes=tuple(DatasetBox(Box(*box), tuple(str(first + one) for one in own)) for box, own in BOXES),
        path=f"{name}.jpg", coco_id=first + 70,
    )  # fmt: skip


IMAGES = [image("a", 0), image("b", 10), image("c", 20)]
CORRECTED = [
    ChainLabel((0, 5), (Box(5, 2, 35, 44),)),  # the box is moved
    ChainLabel((1,), (Box(3, 2, 20, 12),)),
    ChainLabel((2,), (), "scene"),
    ChainLabel((3, 6), (Box(50, 30, 80, 60),)),  # a mention has changed its chain
    ChainLabel((4,), (Box(30, 50, 40, 60),)),  # a box is removed
]
"""The labels of the second image."""


def written_for_corrected(folder: Path, source_format: str, images: Sequence[DatasetImage] = ()) -> Path:
    """Write the images in a format into the folder; without them, the set."""
    if source_format == "refcoco":
        return refcoco(folder, lambda data: data.update(refs_of(images[0])) if images else None)
    if source_format == "visual-genome":
        return genome(folder, lambda data: data.update(regions_of(images[0])) if images else None)
    (folder / "README.txt").write_text("A set.\r\n")
    images = images or IMAGES
    write_data(FORMATS[source_format], images, folder, picture=lambda image: plain_jpeg(image.width, image.height))
    return folder


def first_boxes(image: DatasetImage) -> Iterator[tuple[int, str, Box]]:
    """Yield the number, the words and the first box of each phrase that has one."""
    for number, one in enumerate(image.mentions):
        if own := [box.box for box in image.boxes if one.chain in box.chains]:
            yield number, words_of(image, one), own[0]


def refs_of(image: DatasetImage) -> dict[str, Any]:
    """Return an image as RefCOCO has it: a thing for each box, to which phrases refer."""
    found = list(first_boxes(image))
    things = {box: number for number, box in enumerate(dict.fromkeys(box for *_, box in found), start=1)}
    refs = [
        {"ref_id": number, "ann_id": things[box], "image_id": 7, "category_id": 1, "split": "train",
         "sentences": [{"sent_id": number, "sent": words}]}
        for number, words, box in found
    ]  # fmt: skip
    boxes = [
        {"id": number, "image_id": 7, "category_id": 1, "iscrowd": 0, "bbox": [x0, y0, x1 - x0, y1 - y0]}
        for (x0, y0, x1, y1), number in things.items()
    ]
    images = [{"id": 7, "file_name": image.path, "width": image.width, "height": image.height}]
    categories = [{"id": 1, "name": "person"}]
    return {"refs": refs, "instances": {"images": images, "annotations": boxes, "categories": categories}}


def regions_of(image: DatasetImage) -> dict[str, Any]:
    """Return an image as Visual Genome has it: a region for each phrase."""
    regions = [
        {"region_id": number, "image_id": 1, "phrase": words, "x": x0, "y": y0, "width": x1 - x0, "height": y1 - y0}
        for number, words, (x0, y0, x1, y1) in first_boxes(image)
    ]
    size = {"width": image.width, "height": image.height}
    return {"regions": [{"id": 1, "regions": regions}], "images": [{"image_id": 1, "coco_id": None, **size}]}


def corrector(*wanted: ChainLabel, name: str = "b", gone: frozenset[int] = frozenset()) -> Corrector:
    """Return a corrector that gives these labels to one image."""

    def of(images: Any) -> Any:
        for one in images:
            given = Corrections(wanted, dict(enumerate(one.mentions)), gone)
            yield one, given if one.name == name else None

    return of


def labels(folder: Path, source_format: str, name: str = "b") -> list[Any]:
    """Return the labels of an image: the texts of their phrases, their boxes and their flag."""
    (read,) = [one for one in images_of(folder, source_format) if one.name == name]
    flags = {one.name: "scene" * one.scene + "no box" * one.no_box for one in read.chains}
    return sorted(
        (
            sorted((one.caption, one.start) for one in read.mentions if one.chain == chain),
            sorted(tuple(one.box) for one in read.boxes if chain in one.chains),
            flag,
        )
        for chain, flag in flags.items()
    )


def images_of(folder: Path, source_format: str) -> list[DatasetImage]:
    found = list(import_format(source_format).images(folder, FolderPictures(folder)))
    assert not [one for one in found if isinstance(one, Problem)]
    return [one for one in found if isinstance(one, DatasetImage)]


def entries(file: Path) -> list[str]:
    """Return what stands in a file, entry by entry, as text."""
    text = file.read_text()
    if file.suffix != ".json":
        return text.splitlines()
    data = json.loads(text)
    lists = data.values() if isinstance(data, dict) else [data]
    return [json.dumps(one, sort_keys=True) for own in lists if isinstance(own, list) for one in own]


MOVED = ([(0, 0), (2, 0)], [(5, 2, 35, 44)], "")
HAT_ALONE = ([(0, 3)], [(3, 2, 20, 12)], "")
SCENE: tuple[list[tuple[int, int]], list[Any], str] = ([(0, 6)], [], "scene")
DOGS = ([(1, 0), (2, 2)], [(50, 30, 80, 60)], "")
ONE_BALL = ([(1, 4)], [(30, 50, 40, 60)], "")
BOXED = [MOVED, HAT_ALONE, DOGS, ONE_BALL]
WITHOUT_FLAGS = ("mdetr", "odvg", "hub", "parquet")
OF_PHRASES = ("flickr30k-entities", "coco", *WITHOUT_FLAGS)


def corrected(
    tmp_path: Path,
    source_format: str,
    *wanted: ChainLabel,
    write: Callable[..., object] = written_for_corrected,
    **options: Any,
) -> CorrectedReport:
    source = tmp_path / "source"
    source.mkdir()
    write(source, source_format)
    return write_corrected(path=source, target=tmp_path / "out", corrector=corrector(*wanted, **options))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


@pytest.mark.parametrize("source_format", corrected_formats())
def test_a_set_of_which_nothing_changed_keeps_every_byte(tmp_path: Path, source_format: str) -> None:
    report = corrected(tmp_path, source_format)
    assert report.changed == 0
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "source")


@pytest.mark.parametrize("source_format", OF_PHRASES)
def test_the_corrected_set_is_read_with_the_labels_of_now(tmp_path: Path, source_format: str) -> None:
    report = corrected(tmp_path, source_format, *CORRECTED)
    lost = source_format in WITHOUT_FLAGS
    assert report.unwritten == ({UnwrittenPart.PHRASE: 1} if lost else {})
    assert labels(tmp_path / "out", source_format) == sorted([*BOXED, *([] if lost else [SCENE])])
    for name in ("a", "c"):
        assert labels(tmp_path / "out", source_format, name) == labels(tmp_path / "source", source_format, name)


@pytest.mark.parametrize("source_format", ["mdetr", "odvg", "hub"])
def test_a_negative_phrase_that_gets_a_box_is_none_of_the_negatives_any_more(
    tmp_path: Path, source_format: str
) -> None:
    def written_with_negatives(folder: Path, name: str) -> None:
        absent = {str(10 + chain) for chain in (HAT, DOG)}
        flagged = tuple(DatasetChain(chain.name, no_box=chain.name in absent) for chain in IMAGES[1].chains)
        boxes = tuple(box for box in IMAGES[1].boxes if absent.isdisjoint(box.chains))
        found = filtered([replace(IMAGES[1], chains=flagged, boxes=boxes)], ExportOptions(negatives=True), Counter())
        written_for_corrected(folder, name, [*found])

    corrected(tmp_path, source_format, ChainLabel((1,), (Box(3, 2, 20, 12),)), write=written_with_negatives)
    before, after = (labels(tmp_path / at, source_format) for at in ("source", "out"))
    assert [label for label in before if label not in after] == [([(0, 3)], [], "no box")]
    assert [label for label in after if label not in before] == [HAT_ALONE]
    assert ([(1, 0)], [], "no box") in after


def test_a_phrase_of_odvg_that_gets_several_boxes_gets_a_region_for_each(tmp_path: Path) -> None:
    three = (Box(3, 2, 20, 12), Box(30, 2, 40, 12), Box(50, 2, 60, 12))
    corrected(tmp_path, "odvg", *CORRECTED[:1], ChainLabel((1,), three), *CORRECTED[2:])
    (hat,) = [boxes for phrases, boxes, _ in labels(tmp_path / "out", "odvg") if phrases == [(0, 3)]]
    assert hat == [tuple(box) for box in three]
    read = [one for one in read_odvg(tmp_path / "out" / "set.jsonl") if one.file_name == "b.jpg"]
    assert [len(one.boxes) for one in read if one.start == 11] == [3], "by a reader that takes one box a region"


@pytest.mark.parametrize("source_format", [one for one in corrected_formats() if one != "coco"])
def test_a_detail_that_the_import_left_out_stays_as_it_is_beside_what_is_corrected(
    tmp_path: Path, source_format: str
) -> None:
    def to_the_right(images: Any) -> Any:
        for one in images:
            boxes, flags = {name: box.box for box in one.boxes for name in box.chains}, flags_of(one)
            moved_boxes = {name: (box._replace(x0=box.x0 + 2),) for name, box in boxes.items()}
            found = [
                ChainLabel(tuple(numbers), moved_boxes.get(name, ()), flags.get(name, ""))
                for name, numbers in members_of(one).items()
            ]
            yield one, Corrections(found, dict(enumerate(one.mentions))) if one.name == "1" else None

    for kind in (one for one, edits in BAD.items() if source_format in edits):
        source = tmp_path / kind
        source.mkdir()
        before = outcome(source, source_format, BAD[kind][source_format])
        report = write_corrected(path=source, target=tmp_path / f"{kind} out", corrector=to_the_right, pictures=True)
        assert report.changed == 1 or "left out" in before, "no box is left that could move"
        assert report.unwritten == {}, kind
        assert outcome_of(tmp_path / f"{kind} out", source_format)[:2] == before[:2], kind


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
    alone = ChainLabel((6,), (Box(50, 30, 80, 61),))
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
    joined = ChainLabel((0, 3, 5), (Box(1, 2, 30, 40), Box(50, 30, 80, 60)))
    corrected(tmp_path, "flickr30k-entities", joined, gone=frozenset([4]))
    lines = (tmp_path / "out/Sentences/b.txt").read_text().splitlines()
    assert lines[1] == "[/EN#11/animals His dog] plays with balls ."
    xml = (tmp_path / "out/Annotations/b.xml").read_text()
    assert (f"<name>{10 + DOG}</name>" in xml, xml.count("<name>11</name>")) == (False, 2)


def test_refs_follow_their_thing_and_keep_their_ids(tmp_path: Path) -> None:
    """“guy.” is the dog, the man's box is moved, and the cat is not to be seen."""
    wanted = [ChainLabel((0, 3), (Box(2, 0, 22, 60),)), ChainLabel((1, 2), (Box(30, 20, 50, 40),))]
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
    assert report.unwritten == {}


def test_a_ref_without_a_box_is_left_out_and_counted(tmp_path: Path) -> None:
    report = corrected(tmp_path, "refcoco", ChainLabel((0,), (), "no box"), name="two")
    assert [one["ref_id"] for one in json.loads((tmp_path / "out/refs.json").read_text())] == [50, 51, 52]
    assert report.unwritten == {UnwrittenPart.PHRASE: 1}
    assert report.examples == {UnwrittenPart.PHRASE: "two.jpg"}


def test_regions_move_and_go(tmp_path: Path) -> None:
    report = corrected(
        tmp_path, "visual-genome", ChainLabel((0,), (Box(20, 7, 61, 46),)), ChainLabel((1,), ()), name="1"
    )
    first, second = json.loads((tmp_path / "out/region_descriptions.json").read_text())
    assert [(one["region_id"], one["x"], one["width"]) for one in first["regions"]] == [(1382, 20, 41)]
    assert second["regions"][0]["region_id"] == 1400
    assert report.unwritten == {UnwrittenPart.PHRASE: 1}


def test_two_boxes_of_a_region_cannot_be_held_and_are_counted(tmp_path: Path) -> None:
    report = corrected(tmp_path, "visual-genome", ChainLabel((0,), (Box(1, 1, 5, 5), Box(7, 7, 9, 9))), name="1")
    assert report.unwritten == {UnwrittenPart.BOXES: 1}
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "source")


def test_a_zip_comes_out_as_a_zip(tmp_path: Path, settings: Any) -> None:
    settings.DATA = tmp_path
    (tmp_path / "source").mkdir()
    written_for_corrected(tmp_path / "source", "odvg")
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


Read = dict[str, tuple[list[tuple[int, int, int]], list[Box], list[str]]]


def own_reader(folder: Path, name: str) -> Read:
    """Read an image as the data set's own program does: the phrases, boxes and flags of each chain."""
    phrases: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for place, line in enumerate((folder / f"Sentences/{name}.txt").read_text().splitlines()):
        chain, start, number = "", 0, 0
        for token in line.split():
            if token.startswith("[/EN#"):
                chain, start = token.split("/")[1].removeprefix("EN#"), number
                continue
            number += 1
            if token.endswith("]"):
                phrases[chain].append((place, start, number))
    boxes: dict[str, list[Box]] = defaultdict(list)
    flags: dict[str, list[str]] = defaultdict(list)
    for one in ElementTree.parse(folder / f"Annotations/{name}.xml").getroot().findall("object"):
        for chain in (str(own.text) for own in one.findall("name")):
            if (box := one.find("bndbox")) is not None:
                x0, y0, x1, y1 = (int(box.findtext(side, "")) for side in ("xmin", "ymin", "xmax", "ymax"))
                boxes[chain].append(Box(x0 - 1, y0 - 1, x1, y1))
            else:
                flags[chain] += [flag for flag in ("nobndbox", "scene") if int(one.findtext(flag, "")) > 0]
    return {
        chain: (sorted(own), sorted(boxes[chain]), sorted(flags[chain]))
        for chain, own in phrases.items()
        if chain != "0"
    }


def changed(image: DatasetImage) -> list[ChainLabel]:
    """Return labels that differ: two joined, one split, a box moved, one more, one flag."""
    members = members_of(image)
    boxes = {name: tuple(sorted({one.box for one in image.boxes if name in one.chains})) for name in members}
    names = sorted(members, key=lambda name: (-len(members[name]), int(name)))
    longest, *others = names
    found = [ChainLabel((number,), boxes[longest]) for number in members[longest]]
    if len(others) > 1:
        first, second = others[:2]
        found.append(ChainLabel(tuple(sorted(members[first] + members[second])), boxes[second]))
    for name, box in zip(others[2:4], (Box(0, 0, 9, 9), Box(1, 2, 30, 40)), strict=False):
        found.append(ChainLabel(tuple(members[name]), tuple(sorted({box, *boxes[name][1:]}))))
    return found + [ChainLabel(tuple(members[name]), (), "scene") for name in others[4:5]]


def check(source: Path, out: Path, every: int) -> int:
    """Correct one image of so many, and return the number of labels that were written."""
    wanted: dict[str, list[ChainLabel]] = {}
    mentions: dict[str, Any] = {}

    def corrector(images: Iterable[DatasetImage]) -> Iterator[tuple[DatasetImage, Corrections | None]]:
        for place, image in enumerate(images):
            labels = changed(image) if place % every == 1 else []
            if labels:
                wanted[image.name], mentions[image.name] = labels, image.mentions
            yield image, Corrections(labels, dict(enumerate(image.mentions))) if labels else None

    report = write_corrected(path=source, target=out, corrector=corrector)
    assert (report.changed, report.unwritten) == (len(wanted), {})
    for name, one_labels in wanted.items():
        read = list(own_reader(out, name).values())
        for label in one_labels:
            own = [mentions[name][one] for one in label.mentions]
            places = [(one.caption, one.start, one.end) for one in own]
            assert (sorted(places), list(label.boxes), [label.flag] if label.flag else []) in read
    for file in (*source.glob("Sentences/*"), *source.glob("Annotations/*")):
        if file.stem not in wanted:
            assert file.read_bytes() == (out / file.relative_to(source)).read_bytes()
            assert file.suffix != ".xml" or own_reader(out, file.stem) == own_reader(source, file.stem)
    return sum(map(len, wanted.values()))


def test_a_made_set(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    assert check(written_for_corrected(tmp_path / "in", "flickr30k-entities"), tmp_path / "out", every=3) == 5


@pytest.mark.slow
def test_the_real_set(data_folder: Path, tmp_path: Path) -> None:
    assert check(data_folder / "flickr30k-entities", tmp_path / "out", every=5) > 500


FILES_FROM_ELSEWHERE_MAN, FOREIGN_DOG = Box(0, 0, 21, 60), Box(30, 20, 50, 40)
FOREIGN_MOVED = Box(3, 0, 24, 60)
WANTED = [ChainLabel((0,), (FOREIGN_MOVED,)), ChainLabel((2,), (FILES_FROM_ELSEWHERE_MAN,))]
"""The man's box is moved, and the two friends are one."""


def rows(file: Path) -> list[Any]:
    if file.suffix == ".parquet":
        from pyarrow import parquet

        return list(parquet.read_table(file).to_pylist())
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("source_format", SETS_FILES)
def test_labels_of_now_are_in_files_that_name_no_chains(tmp_path: Path, source_format: str) -> None:
    report = corrected(tmp_path, source_format, *WANTED, write=written, name="a_one")
    assert (report.changed, report.unwritten) == (1, {})
    assert labels(tmp_path / "out", source_format, "a_one") == [
        ([(0, 0)], [FOREIGN_MOVED], ""), ([(0, 3)], [FOREIGN_DOG], ""), ([(1, 0)], [FILES_FROM_ELSEWHERE_MAN], ""),
    ]  # fmt: skip
    file = SETS_FILES[source_format]
    if source_format == "parquet":
        from pyarrow import parquet

        assert parquet.read_schema(tmp_path / "source" / file) == parquet.read_schema(tmp_path / "out" / file)
    if source_format != "mdetr":
        before, after = rows(tmp_path / "source" / file), rows(tmp_path / "out" / file)
        assert before[1:] == after[1:] or source_format == "odvg"
        assert [0.5, 0, 20, 60] in after[0]["objects"]["bbox"] if "objects" in after[0] else True


def test_annotations_of_mdetr_keep_their_ids_and_numbers(tmp_path: Path) -> None:
    scored = partial(written, edit=lambda data: data["annotations"][1].update(score=0.5))
    corrected(tmp_path, "mdetr", *WANTED, write=scored, name="a_one")
    before, after = (json.loads((tmp_path / at / "set.json").read_text()) for at in ("source", "out"))
    assert before["images"] == after["images"]
    told = {one["id"]: one["bbox"] for one in after["annotations"]}
    assert told == {1: [3, 0, 21, 60], 2: [30, 20, 20, 20], 3: [0.5, 0, 20, 60]}
    assert after["annotations"][1] == before["annotations"][1]


def test_a_phrase_without_boxes_is_left_out_and_counted(tmp_path: Path) -> None:
    for source_format in SETS_FILES:
        (tmp_path / source_format).mkdir()
        none = ChainLabel((1,), (), "no box")
        report = corrected(tmp_path / source_format, source_format, none, write=written, name="a_one")
        assert report.unwritten == {UnwrittenPart.PHRASE: 1}
        assert len(labels(tmp_path / source_format / "out", source_format, "a_one")) == 2


def test_one_thing_with_two_names_is_counted_where_equal_boxes_would_say_so(tmp_path: Path) -> None:
    apart = [ChainLabel((number,), (FILES_FROM_ELSEWHERE_MAN,)) for number in (0, 2)]
    report = corrected(tmp_path, "odvg", *apart, write=written, name="a_one")
    assert report.unwritten == {UnwrittenPart.COREFERENCE: 2}


def test_refs_in_a_pickle_come_out_in_one(tmp_path: Path) -> None:
    wanted = ChainLabel((0,), (Box(30, 20, 50, 40),)), ChainLabel((1, 3), (Box(0, 0, 21, 60),))
    corrected(tmp_path, "refcoco", *wanted, write=lambda folder, _: refcoco(folder, protocol=0), name="one")
    refs = pickle.loads((tmp_path / "out/refs(unc).p").read_bytes())
    assert [(one["ref_id"], one["ann_id"]) for one in refs] == [(50, 11), (54, 22), (51, 12), (52, 11), (53, 21)]
    boxes = json.loads((tmp_path / "out/instances.json").read_text())["annotations"]
    assert boxes[-1] == {"id": 22, "image_id": 7, "category_id": 1, "bbox": [30, 20, 20, 20], "iscrowd": 0}


@row('\ufeff{"a" :[ 1 ,\r\n 2, 3 ] , "b":{"c": [1]}}\n', '\ufeff{"a" :[ 1, 3 ] , "b":{"c": [1]}}\n')
@row('{"a": [2], "x": null}', '{"a": [], "x": null}')
@row("[2, 1.50,\n2]\n", "[1.50]\n")
@row("[]", "[]")
def test_text_around_entries_that_go_stays(text: str, edited: str, tmp_path: Path) -> None:
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


def test_blanks_of_an_annotation_file_are_looked_through_once() -> None:
    """Looked through again from each of them, these would take a day."""
    image = DatasetImage("a", 9, 9, (), ())
    blank = b"<annotation>" + b" " * 1_000_000 + b"</annotation>"
    assert edit_objects(blank, Edit(image, image)) == blank
