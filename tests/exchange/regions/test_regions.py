"""RefCOCO and Visual Genome are read as they are published, and what is exported says the same.
Broken files of RefCOCO and Visual Genome are named by file and key, and nothing of them is imported by half.
Pickles are read without running anything in them, and no pickle takes much more than its own size.
"""

import json
import pickle
import struct
import tracemalloc
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as some

from annotation.models import Box as ModelsBox
from annotation.models import Gold, Image, Project
from annotation.rules.box import Box
from exchange.checks import Defect, SourceError
from exchange.dataset import DatasetImage, Problem
from exchange.export_dataset import export_dataset
from exchange.formats import detect
from exchange.formats import text_streams as entries_module
from exchange.formats.coco.read import read_coco
from exchange.formats.mdetr import read_mdetr
from exchange.formats.pictures import FolderPictures
from exchange.formats.plain_pickle import read_pickle
from exchange.formats.spans import head_of, whole_phrase
from exchange.formats.text_streams import json_entries
from exchange.import_dataset import import_dataset
from exchange.registry import import_format
from pipeline.record.read_record import replay
from tests.exchange.grounding.sets import Edit, set_of, without
from tests.exchange.regions.region_sets import GENOME, WRITTEN, genome, read, refcoco
from tests.support.table import row

SENTENCES = ["man on left", "guy.", "the dog", "blue shirt"]


def only_images(found: list[DatasetImage | Problem]) -> list[DatasetImage]:
    images = [one for one in found if isinstance(one, DatasetImage)]
    assert len(images) == len(found), [str(one) for one in found if isinstance(one, Problem)]
    return images


@pytest.mark.parametrize("protocol", [None, *range(6)])
def test_sentences_of_refs_are_captions_with_one_phrase_and_refs_of_an_annotation_one_chain(
    tmp_path: Path, protocol: int | None
) -> None:
    assert detect(refcoco(tmp_path, protocol=protocol)).name == "refcoco"
    one, two = only_images(read(tmp_path, "refcoco"))

    assert (one.path, one.width, one.height, one.coco_id) == ("one.jpg", 100, 80, 7)
    assert [caption.text for caption in one.captions] == SENTENCES
    phrases = [one.captions[mention.caption].words[mention.start : mention.end] for mention in one.mentions]
    assert phrases == [("man", "on", "left"), ("guy",), ("the", "dog"), ("blue", "shirt")], "without the last point"
    assert [mention.chain for mention in one.mentions] == ["11", "11", "12", "11"]
    assert [mention.types for mention in one.mentions] == [("people",), ("people",), ("animals",), ("people",)]
    assert [(tuple(box.box), box.chains, box.category) for box in one.boxes] == [
        ((0, 0, 21, 60), ("11",), ""),
        ((30, 20, 50, 40), ("12",), ""),
        ((1, 1, 6, 6), (), "tv"),
    ]
    assert (two.path, [mention.chain for mention in two.mentions]) == ("two.jpg", ["21"])
    assert import_format("refcoco").estimate(tmp_path, FolderPictures(tmp_path)) == 3


def test_regions_are_captions_with_one_phrase_and_a_chain_each(tmp_path: Path) -> None:
    assert detect(genome(tmp_path)).name == "visual-genome"
    one, two = only_images(read(tmp_path, "visual-genome"))

    assert (one.name, one.path, one.width, one.height, one.coco_id) == ("1", "1.jpg", 100, 80, 1)
    assert one.source == "region_descriptions.json:[0]"
    assert [caption.text for caption in one.captions] == ["the clock is green in colour", "Man, in a shirt."]
    assert [(mention.start, mention.end, mention.chain) for mention in one.mentions] == [(0, 6, "1382"), (0, 5, "1383")]
    assert [(tuple(box.box), box.chains) for box in one.boxes] == [
        ((21, 7, 61, 46), ("1382",)),
        ((0, 2, 10, 72), ("1383",)),
    ]
    assert (two.name, two.coco_id) == ("2", 2)
    assert import_format("visual-genome").estimate(tmp_path, FolderPictures(tmp_path)) == 2


@row("a man wearing a blue shirt", "a man", "people")
@row("shirt on the man", "shirt", "clothing")
@row("Dog, next to a car.", "Dog", "animals")
@row("the red car is parked", "the red car", "vehicles")
@row("a group of people in the street", "a group of people", "people")
@row("standing woman", "standing woman", "people")
@row("on the left", "on the left", "other")
@row("a tall building", "a tall building", "scene")
@row("walking", "walking", "other")
def test_the_head_of_a_description_tells_its_type(sentence: str, head: str, kind: str) -> None:
    said = whole_phrase(sentence, "here", [Box(0, 0, 1, 1)], "1")
    assert [*said.types.values()] == [(kind,)]
    assert " ".join(head_of(sentence.replace(",", " ,").split())) == head
    of_category = whole_phrase(sentence, "here", [Box(0, 0, 1, 1)], "1", "wine glass")
    assert [*of_category.types.values()] == [("other",)]


def test_two_annotations_with_the_same_box_stay_two_chains(tmp_path: Path) -> None:
    def same_box(data: Any) -> None:
        data["instances"]["annotations"][1]["bbox"] = data["instances"]["annotations"][0]["bbox"]

    one, _ = only_images(read(refcoco(tmp_path, same_box), "refcoco"))
    assert [mention.chain for mention in one.mentions] == ["11", "11", "12", "11"]
    assert [box.chains for box in one.boxes if box.chains] == [("11", "12")]


@pytest.mark.django_db
@pytest.mark.parametrize("source_format", WRITTEN)
def test_exports_keep_boxes_ids_sentences_and_chains(tmp_path: Path, source_format: str) -> None:
    folder = WRITTEN[source_format](tmp_path)
    images = only_images(read(folder, source_format))
    report = import_dataset(project_name="parks", path=folder)
    assert (report.images, report.problems) == (2, [])
    project = Project.objects.get()
    assert list(replay(project)) == []

    (tmp_path / "out").mkdir()
    for name, target in (("coco", "coco"), ("mdetr", "mdetr/set.json"), ("jsonl", "rows.jsonl")):
        (tmp_path / "out" / target).parent.mkdir(exist_ok=True)
        assert export_dataset(project=project, target=tmp_path / "out" / target, export_format=name).images == 2

    coco = only_images(list(read_coco(tmp_path / "out" / "coco")))
    mdetr = only_images(list(read_mdetr(tmp_path / "out" / "mdetr")))
    lines = [json.loads(line) for line in (tmp_path / "out" / "rows.jsonl").read_text().splitlines()][1:]
    assert [said(one) for one in coco] == [said(one) for one in mdetr] == [said(one) for one in images]
    assert [known(one) for one in coco] == [known(one) for one in images]
    for line, image in zip(lines, images, strict=True):
        assert (line["path"], line["coco_id"]) == (image.path, image.coco_id)
        assert [caption["text"] for caption in line["captions"]] == [caption.text for caption in image.captions]
        assert [tuple(box["box"]) for box in line["merged_boxes"]] == [tuple(b.box) for b in image.boxes if b.chains]


def said(image: DatasetImage) -> object:
    """Return what formats of phrases can hold: ids, sizes, captions, spans, and what has one chain by its boxes."""
    first = {mention.chain: place for place, mention in reversed(list(enumerate(image.mentions)))}
    boxes = {chain: sorted(box.box for box in image.boxes if chain in box.chains) for chain in first}
    phrases = [(one.caption, one.start, one.end, first[one.chain], boxes[one.chain]) for one in image.mentions]
    return image.path, image.width, image.height, image.coco_id, [one.text for one in image.captions], phrases


def known(image: DatasetImage) -> list[object]:
    return [(box.box, box.category) for box in image.boxes if not box.chains]


@pytest.mark.django_db
def test_as_gold_the_chains_keep_the_ids_of_their_annotations(tmp_path: Path) -> None:
    import_dataset(project_name="parks", path=refcoco(tmp_path), gold=True)
    assert {chain["name"] for chain in Gold.objects.get(image__path="one.jpg").chains} == {"11", "12"}
    assert Image.objects.filter(state="linking").count() == 2


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64])
def test_entries_are_the_same_wherever_the_file_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int):
    monkeypatch.setattr(entries_module, "_PIECE", piece)
    rows = [*GENOME["regions"], 12345, -1.5e3, True, None, 'é\u2028\\"😀', [], {}, "ends"]
    for indent in (None, 1):
        (tmp_path / "a.json").write_text(json.dumps(rows, indent=indent, ensure_ascii=bool(indent)), "utf-8-sig")
        assert list(json_entries(tmp_path / "a.json")) == rows
    (tmp_path / "a.json").write_text(" [ ]\n")
    assert list(json_entries(tmp_path / "a.json")) == []


@pytest.mark.django_db
def test_the_parts_of_refs_become_a_file_of_splits_without_images_of_several_parts(tmp_path: Path) -> None:
    out, told = StringIO(), StringIO()
    call_command("refs_splits", refcoco(tmp_path, protocol=2), stdout=out, stderr=told)
    assert out.getvalue() == "two.jpg,val\n"
    assert told.getvalue() == "No line for 1 image with refs in several parts: one.jpg\n"

    import_dataset(project_name="parks", path=tmp_path)
    (tmp_path / "splits.csv").write_text(out.getvalue())
    (tmp_path / "out").mkdir()
    call_command("export_dataset", "parks", tmp_path / "out" / "parks", format="coco", splits=tmp_path / "splits.csv")
    assert [one.path for one in only_images(list(read_coco(tmp_path / "out" / "parks" / "val")))] == ["two.jpg"]


@row(without("refs", 1, "split"), r"refs\[1\] has no 'split'")
@row(set_of("refs", 1, "image_id", to=99), r"refs\[1\].image_id 99 is in no list of images")
def test_a_ref_without_a_part_is_named(edit: Edit, told: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=f"refs.json: {told}"):
        call_command("refs_splits", refcoco(tmp_path, edit))


REF, BOX = ("refs", 0), ("instances", "annotations", 0)
BROKEN_REFCOCO: dict[str, tuple[Edit, str]] = {
    "an unknown image": (set_of(*REF, "image_id", to=99), "refs[0].image_id 99 is in no list of images"),
    "another image than the box's": (set_of(*REF, "image_id", to=8), "refs[0].ann_id 11 is of the image 7"),
    "an empty sentence": (set_of(*REF, "sentences", 1, "sent", to=" "), "refs[0].sentences[1].sent is empty"),
    "a long sentence": (set_of(*REF, "sentences", 1, "sent", to="m" * 3001), "has 3,001 characters: at most 3,000"),
    "a bad box of no ref": (set_of("instances", "annotations", 2, "bbox", to=[9]), "annotations[2].bbox has 1 numbers"),
    "an annotation twice": (set_of("instances", "annotations", 1, "id", to=11), "the annotation id 11 occurs twice"),
    "a path twice": (set_of("instances", "images", 1, "file_name", to="one.jpg"), "is that of another image, too"),
    "an image twice": (set_of("instances", "images", 2, "id", to=7), "images[0]: the image id 7 occurs again"),
}  # fmt: skip
REGION, LISTED = ("regions", 0, "regions", 1), ("images", 0)
BROKEN_GENOME: dict[str, tuple[Edit, str]] = {
    "an unknown image": (set_of("regions", 0, "id", to=9), "[0]: the image id 9 is not in image_data.json"),
    "an image twice": (set_of("regions", 1, "id", to=1), "[1]: the image id 1 occurs 2 times"),
    "a phrase of signs": (set_of(*REGION, "phrase", to="..."), "[0].regions[1].phrase has no word"),
    "201 regions": (set_of("regions", 0, "regions", to=[{}] * 201), "[0].regions has 201 regions: at most 200 are"),
    "an address without a path": (set_of(*LISTED, "url", to=""), "image_data.json [0]"),
    "a listed image twice": (set_of("images", 1, "image_id", to=1), "the image id 1 occurs twice"),
    "a picture of two images": (set_of("images", 1, "url", to="x/1.jpg"), "1.jpg is also the image"),
}  # fmt: skip
BROKEN = [
    pytest.param(of, *one, id=f"{of}: {name}")
    for of, broken in (("refcoco", BROKEN_REFCOCO), ("visual-genome", BROKEN_GENOME))
    for name, one in broken.items()
]
FILES = {"refcoco": ("refs.json", "instances.json"), "visual-genome": ("region_descriptions.json", "image_data.json")}


@pytest.mark.parametrize(("source_format", "edit", "told"), BROKEN)
def test_a_broken_file_is_named_with_the_key(tmp_path: Path, source_format: str, edit: Edit, told: str) -> None:
    found = read(WRITTEN[source_format](tmp_path, edit), source_format)

    problems = [one for one in found if isinstance(one, Problem)]
    assert any(told in str(one) for one in problems), [str(one) for one in problems]
    assert all(str(one).startswith(FILES[source_format]) for one in problems)
    whole = read(WRITTEN[source_format](tmp_path), source_format)
    kept = [one for one in found if isinstance(one, DatasetImage)]
    lost = {one.left_out for one in problems if one.image}
    assert len(kept) + len(lost) >= len(whole), "every image is read or left out by name"
    assert len(kept) == len(whole) or lost, "what a detail spoils is left out of its image, which stays"


@pytest.mark.django_db
@pytest.mark.parametrize(("source_format", "edit", "_"), BROKEN[::7])
def test_an_image_with_a_fault_is_not_imported_by_half(tmp_path: Path, source_format: str, edit: Edit, _: str) -> None:
    folder = WRITTEN[source_format](tmp_path, edit)
    report = import_dataset(project_name="parks", path=folder)

    assert report.problems
    whole = {one.path: one for one in read(folder, source_format) if isinstance(one, DatasetImage)}
    assert {*Image.objects.values_list("path", flat=True)} == whole.keys()
    boxes = sum(len(one.chains) for image in whole.values() for one in image.boxes)
    assert ModelsBox.objects.count() == boxes


REGIONS = "region_descriptions.json"


@row("refs.json", "[{", "refs.json:1: is not JSON")
@row("refs.json", "{}", "refs.json: the file is an object, not a list")
@row("refs.json", "[" * 100_000, "refs.json: is not JSON that can be read")
@row("refs(unc).p", "", "has 2 files refs*.json or refs*.p (refs(unc).p, refs.json): it needs one")
@row("instances.json", "[]", "instances.json: the file is a list, not an object")
@row("instances.json", "{}", "instances.json: the file has no 'images'")
@row(REGIONS, "{}", f"{REGIONS}:1: does not begin like a list")
@row(REGIONS, "", f"{REGIONS}:1: does not begin like a list")
@row(REGIONS, '[\n{"id": 1,\n"regions": [', f"{REGIONS}:2: ends within the list, in entry [0] or behind")
@row(REGIONS, '[{"id": 1}\n,\n{"id": x, "regions": "a long text"}]', f"{REGIONS}:3: [1] is not JSON: Expecting value")
@row(REGIONS, '[{"id": 1} {"id": 2}]', f"{REGIONS}:1: has no comma behind entry [0]")
@row(REGIONS, '[{"id": 1}] x', "goes on behind the end of the list")
@row(REGIONS, "[" * 100_000, "[0] is not JSON that can be read")
@row(REGIONS, '["\udcff"]', "is not UTF-8 (byte 0xff)")
@row("image_data.json", '[{"image_id": 1', "image_data.json:1: ends within the list")
@pytest.mark.django_db
def test_a_file_that_cannot_be_read_imports_nothing(file: str, text: str, told: str, tmp_path: Path) -> None:
    source_format = "visual-genome" if file in FILES["visual-genome"] else "refcoco"
    (WRITTEN[source_format](tmp_path) / file).write_text(text, errors="surrogateescape")
    with pytest.raises(SourceError) as refused:
        import_dataset(project_name="parks", path=tmp_path, source_format=source_format)
    assert told in str(refused.value)
    assert not Image.objects.exists()


@row("refcoco", "instances.json")
@row("visual-genome", "image_data.json")
def test_the_file_beside_is_asked_for_by_its_name(source_format: str, file: str, tmp_path: Path) -> None:
    (WRITTEN[source_format](tmp_path) / file).unlink()
    with pytest.raises(SourceError, match=f"has no {file.replace('s.json', 's.*json')}"):
        read(tmp_path, source_format)


@pytest.mark.django_db
def test_a_hostile_pickle_is_named_and_imports_nothing(tmp_path: Path) -> None:
    (refcoco(tmp_path) / "refs.json").unlink()
    (tmp_path / "refs(unc).p").write_bytes(b"cos\nsystem\n(S'id'\ntR.")
    with pytest.raises(SourceError, match=r"refs\(unc\)\.p: byte 0: the pickle wants os\.system by GLOBAL"):
        import_dataset(project_name="parks", path=tmp_path)
    assert not Image.objects.exists()


def test_an_entry_that_never_ends_is_not_kept_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exchange.formats.text_streams.ENTRY_CHARACTERS", 300_000)
    (genome(tmp_path) / "region_descriptions.json").write_text(json.dumps([{"id": "x" * 5_000_000}]))
    with pytest.raises(SourceError, match=r"\[0\] has more than 300,000 characters"):
        read(tmp_path, "visual-genome")


KEYS = some.text() | some.integers(-(2**63), 2**63 - 1)
ATOMS = some.none() | some.booleans() | KEYS | some.floats(allow_nan=False)
VALUES = some.recursive(ATOMS, lambda one: some.lists(one) | some.dictionaries(KEYS, one), max_leaves=20)


@pytest.mark.slow
@given(VALUES, some.sampled_from(range(6)))
def test_what_python_wrote_is_read_as_it_was(value: Any, protocol: int) -> None:
    assert read_pickle(pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize("protocol", range(6))
def test_tuples_become_lists_and_what_is_there_twice_stays_one(protocol: int) -> None:
    one = ["x"]
    read = read_pickle(pickle.dumps([(1, 2, (3, 4, 5, 6), ()), one, one], protocol))
    assert read == [[1, 2, [3, 4, 5, 6], []], ["x"], ["x"]]
    assert read[1] is read[2]


@row(b"S'guy on left'\n.", "guy on left")
@row(b"S'caf\\xc3\\xa9'\np0\n.", "café")
@row(b'S"caf\\xe9"\n.', "café")
@row(b"U\x04caf\xe9.", "café")
@row(b"T\x05\x00\x00\x00caf\xc3\xa9.", "café")
@row(b"Vcaf\\u00e9\n.", "café")
@row(b"C\x03abc.", "abc")
@row(b"\x8e\x03\x00\x00\x00\x00\x00\x00\x00abc.", "abc")
def test_texts_of_python_2_and_bytes_are_texts_in_utf_8_or_latin_1(data: bytes, text: str) -> None:
    assert read_pickle(data) == text


@pytest.mark.parametrize(("data", "number"), [(b"I5\n.", 5), (b"I01\n.", True), (b"I00\n.", False), (b"L-7L\n.", -7)])
def test_numbers_of_python_2_are_numbers(data: bytes, number: int) -> None:
    assert read_pickle(data) is number or read_pickle(data) == number


CALLED: list[str] = []


class Calls:
    """An object whose pickle calls a function when it is loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        return CALLED.append, ("called",)


EIGHT = struct.pack("<Q", 2**62)
HOSTILE: dict[str, tuple[bytes, str]] = {
    "a call, as text": (b"cos\nsystem\n(S'id'\ntR.", "wants os.system by GLOBAL"),
    "a call by protocol 4": (pickle.dumps(Calls(), 4), "wants builtins.getattr by STACK_GLOBAL"),
    "a call by protocol 2": (pickle.dumps(Calls(), 2), "wants __builtin__.getattr by GLOBAL"),
    "an old instance": (b"(S'id'\nios\nsystem\n.", "wants os.system by INST"),
    "an object": (b"(cos\nsystem\no.", "wants os.system by GLOBAL"),
    "an object without a class": (b"(]o.", "asks for OBJ"),
    "a call of a list": (b"](tR.", "asks for REDUCE"),
    "a state": (b"]}b.", "asks for BUILD"),
    "a new object": (b"])\x81.", "asks for NEWOBJ"),
    "a registered class": (b"\x82\x01.", "asks for EXT1"),
    "a persistent thing": (b"Pthing\n.", "asks for PERSID"),
    "a persistent thing by a value": (b"]Q.", "asks for BINPERSID"),
    "a date": (pickle.dumps(date(2020, 1, 1), 4), "wants datetime.date by STACK_GLOBAL"),
    "a set": (pickle.dumps({1}, 4), "asks for EMPTY_SET"),
    "changeable bytes": (pickle.dumps(bytearray(b"x"), 5), "asks for BYTEARRAY8"),
    "a buffer": (b"\x97.", "asks for NEXT_BUFFER"),
    "no pickle": (b"\xff\xd8\xff\xe0", "0xff is no operation of a pickle"),
    "JSON": (b'{"refs": []}', "is no operation of a pickle"),
    "nothing": (b"", "the file ends within the pickle"),
    "a protocol to come": (b"\x80\x09N.", "the pickle has protocol 9: 0 to 5 are read"),
    "four exabytes of bytes": (b"\x8e" + EIGHT + b"x.", "bytes are announced, and the file ends before"),
    "four exabytes of text": (b"\x8d" + EIGHT + b"x.", "bytes are announced, and the file ends before"),
    "a text cut off": (b"X\x09\x00\x00\x00abc", "9 bytes are announced, and the file ends before"),
    "a line cut off": (b"S'abc", "the file ends within a line"),
    "cut off behind a value": (b"]", "the file ends within the pickle"),
    "a text without quotes": (b"Sabc\n.", "a text has no quotes around it"),
    "no value to end with": (b".", "takes a value where there is none"),
    "no mark": (b"t.", "is no whole pickle"),
    "a value from below the mark": (b"](a.", "takes a value where there is none"),
    "a value that was not kept": (b"h\x05.", "is no whole pickle (KeyError)"),
    "values kept and none made": (b"q\x00.", "is no whole pickle (IndexError)"),
    "one value kept in all places": (b"N" + b"\x94" * 99, "keeps more values than it makes"),
    "an item for a text": (b"U\x01aNa.", "adds to something that is no list"),
    "a key without a value": (b"(Nd.", "a dict has a key without a value"),
    "a key that is a list": (b"}]Ns.", "a dict has a key that is neither a text nor a number"),
    "a number of a million digits": (b"L" + b"9" * 1_000_000 + b"L\n.", "a whole number has 1,000,001 characters"),
    "a number of a million bytes": (b"\x8b\x40\x42\x0f\x00" + b"9" * 1_000_000 + b".", "has 1,000,000 bytes"),
    "a key that has the hash of many": (b"}\x8a\x0a" + b"\xff" * 9 + b"\x7fNs.", "a whole number has 10 bytes"),
    "such a key as text": (b"}L" + str((2**61 - 1) * 9).encode() + b"L\nNs.", "a whole number has more than 64 bits"),
    "a list within itself": (b"]q\x00h\x00a.", "a list or dict of the pickle is within itself"),
    "lists in lists": (b"]" * 5_000 + b"a" * 4_999 + b".", "nested more than 1,000 deep"),
    "no number": (b"Ix\n.", "is no whole pickle (ValueError)"),
    "ten thousand marks": (b"(" * 10_000 + b".", "nested more than 1,000 deep"),
    "half a character": (b"X\x01\x00\x00\x00\xff.", "is no whole pickle (UnicodeDecodeError)"),
}


@pytest.mark.parametrize(("data", "told"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_pickle_is_refused_with_the_place_and_runs_nothing(data: bytes, told: str) -> None:
    with pytest.raises(Defect, match=r"^byte [0-9,]+: ") as refused:
        read_pickle(data)
    assert told in refused.value.message
    assert len(refused.value.message) < 300
    assert not CALLED


def test_every_beginning_of_a_pickle_is_refused() -> None:
    for protocol in range(6):
        whole = pickle.dumps([{"sent": "guy", "sent_id": 70_000, "n": 1.5, "tokens": ["guy"]}], protocol)
        for size in range(len(whole)):
            with pytest.raises(Defect):
                read_pickle(whole[:size])


def test_a_billion_laughs_are_refused_before_anybody_laughs() -> None:
    """Each list holds the one before twice: written out, the last would have 2 ** 500 values."""
    data = b"]" + b"q\x000]h\x00h\x00\x86a" * 500 + b"."
    tracemalloc.start()
    try:
        with pytest.raises(Defect, match="the pickle is more than 10 times as large with all that is shared in it"):
            read_pickle(data)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_pickle_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exchange.formats.plain_pickle.PICKLE_VALUES", 100)
    for many in (b"]" * 101, b"N" + b"2" * 100, b"N\x94" + b"h\x00" * 100):
        with pytest.raises(Defect, match="has more than 100 values"):
            read_pickle(many + b".")
    assert read_pickle(b"N" * 100 + b".") is None
