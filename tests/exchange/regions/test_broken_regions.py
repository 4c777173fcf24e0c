"""Broken files of RefCOCO and Visual Genome are named by file and key, and nothing of them is imported by half."""

import json
from pathlib import Path

import pytest

from annotation.models import Box, Image
from exchange.dataset import DatasetImage, Problem
from exchange.import_dataset import import_dataset
from exchange.problems import SourceError
from tests.exchange.grounding.sets import Edit, set_of, without
from tests.exchange.regions.region_sets import WRITTEN, genome, read, refcoco

REF, BOX = ("refs", 0), ("instances", "annotations", 0)
BROKEN_REFCOCO: dict[str, tuple[Edit, str]] = {
    "a ref that is a list": (set_of("refs", 3, to=[]), "refs[3] is a list, not an object"),
    "no image": (without("refs", 3, "image_id"), "refs[3] has no 'image_id'"),
    "an unknown image": (set_of(*REF, "image_id", to=99), "refs[0].image_id 99 is in no list of images"),
    "another image than the box's": (set_of(*REF, "image_id", to=8), "refs[0].ann_id 11 is of the image 7"),
    "an image that is a list": (set_of(*REF, "image_id", to=[7]), "refs[0].image_id is a list, not a whole number"),
    "no ref_id": (without(*REF, "ref_id"), "refs[0] has no 'ref_id'"),
    "a ref_id twice": (set_of("refs", 3, "ref_id", to=50), "refs[3].ref_id 50 is that of refs[0], too"),
    "half a ref_id": (set_of(*REF, "ref_id", to=1.5), "refs[0].ref_id is a number, not a whole number or a text"),
    "no ann_id": (without(*REF, "ann_id"), "refs[0] has no 'ann_id'"),
    "an unknown ann_id": (set_of(*REF, "ann_id", to=99), "refs[0].ann_id 99 is in no list of annotations"),
    "an ann_id that is true": (set_of(*REF, "ann_id", to=True), "refs[0].ann_id is true or false"),
    "no sentences": (without(*REF, "sentences"), "refs[0] has no 'sentences'"),
    "an empty list of sentences": (set_of(*REF, "sentences", to=[]), "refs[0].sentences is empty"),
    "sentences that are a text": (set_of(*REF, "sentences", to="man"), "refs[0].sentences is a text, not a list"),
    "a sentence that is a text": (set_of(*REF, "sentences", 1, to="man"), "refs[0].sentences[1] is a text, not an"),
    "no sent": (without(*REF, "sentences", 1, "sent"), "refs[0].sentences[1] has no 'sent'"),
    "an empty sentence": (set_of(*REF, "sentences", 1, "sent", to=" "), "refs[0].sentences[1].sent is empty"),
    "a sentence of signs": (set_of(*REF, "sentences", 1, "sent", to="?!"), "refs[0].sentences[1].sent has no word"),
    "a number as a sentence": (set_of(*REF, "sentences", 1, "sent", to=4), "sentences[1].sent is a number, not a text"),
    "a control character": (set_of(*REF, "sentences", 1, "sent", to="a\x07b"), "has the control character U+0007"),
    "half a character": (set_of(*REF, "sentences", 1, "sent", to="a\ud800b"), "has the control character U+D800"),
    "a long sentence": (set_of(*REF, "sentences", 1, "sent", to="m" * 3001), "has 3,001 characters: at most 3,000"),
    "a box outside": (set_of(*BOX, "bbox", to=[0, 0, 300, 9]), "annotations[0].bbox [0.0, 0.0, 300.0, 9.0] is not"),
    "a box without area": (set_of(*BOX, "bbox", to=[0, 0, 0, 9]), "instances.json annotations[0].bbox"),
    "three edges": (set_of(*BOX, "bbox", to=[1, 2, 3]), "annotations[0].bbox has 3 numbers, not 4"),
    "an infinite box": (set_of(*BOX, "bbox", to=[0, 0, float("inf"), 9]), "is inf, not a finite number"),
    "a box of no number": (set_of(*BOX, "bbox", to=[0, 0, float("nan"), 9]), "is nan, not a finite number"),
    "no box": (without(*BOX, "bbox"), "instances.json annotations[0] has no 'bbox'"),
    "a category that is not there": (set_of(*BOX, "category_id", to=9), "category_id 9 is in no list of categories"),
    "a bad box of no ref": (set_of("instances", "annotations", 2, "bbox", to=[9]), "annotations[2].bbox has 1 numbers"),
    "an annotation twice": (set_of("instances", "annotations", 1, "id", to=11), "the annotation id 11 occurs twice"),
    "no path": (without("instances", "images", 0, "file_name"), "instances.json images[0] has no 'file_name'"),
    "a path twice": (set_of("instances", "images", 1, "file_name", to="one.jpg"), "is that of another image, too"),
    "a path that leads out": (set_of("instances", "images", 0, "file_name", to="../x.jpg"), "write it relative to"),
    "no width": (without("instances", "images", 0, "width"), "instances.json images[0] has no 'width'"),
    "half a pixel": (set_of("instances", "images", 0, "height", to=0.5), "height is 0.5, not a whole number of pixels"),
    "an image twice": (set_of("instances", "images", 2, "id", to=7), "images[0]: the image id 7 occurs again"),
}  # fmt: skip
REGION, LISTED = ("regions", 0, "regions", 1), ("images", 0)
BROKEN_GENOME: dict[str, tuple[Edit, str]] = {
    "an image that is a list": (set_of("regions", 0, to=[]), "[0] is a list, not an object"),
    "no id": (without("regions", 0, "id"), "[0] has no 'id'"),
    "an id that is a list": (set_of("regions", 0, "id", to=[1]), "[0].id is a list, not a whole number"),
    "an unknown image": (set_of("regions", 0, "id", to=9), "[0]: the image id 9 is not in image_data.json"),
    "an image twice": (set_of("regions", 1, "id", to=1), "[1]: the image id 1 occurs 2 times"),
    "no regions": (without("regions", 0, "regions"), "[0] has no 'regions'"),
    "an empty list of regions": (set_of("regions", 0, "regions", to=[]), "[0].regions is empty"),
    "regions that are an object": (set_of("regions", 0, "regions", to={}), "[0].regions is an object, not a list"),
    "a region that is a text": (set_of(*REGION, to="man"), "[0].regions[1] is a text, not an object"),
    "no region_id": (without(*REGION, "region_id"), "[0].regions[1] has no 'region_id'"),
    "a region_id twice": (set_of(*REGION, "region_id", to=1382), "regions[1].region_id 1382 is that of another region"),
    "a region of another image": (set_of(*REGION, "image_id", to=2), "[0].regions[1].image_id 2 is not 1"),
    "no x": (without(*REGION, "x"), "[0].regions[1] has no 'x'"),
    "no area": (set_of(*REGION, "width", to=0), "[0].regions[1] (x, y, width, height) [0.0, 2.0, 0.0, 70.0] has no"),
    "a negative height": (set_of(*REGION, "height", to=-4), "has no area"),
    "a box outside": (set_of(*REGION, "width", to=300), "is not inside the image of 100 x 80 pixels"),
    "an infinite edge": (set_of(*REGION, "y", to=float("inf")), "is inf, not a finite number"),
    "an edge that is a text": (set_of(*REGION, "y", to="2"), "is a text, not a number"),
    "no phrase": (without(*REGION, "phrase"), "[0].regions[1] has no 'phrase'"),
    "an empty phrase": (set_of(*REGION, "phrase", to=""), "[0].regions[1].phrase is empty"),
    "a phrase of signs": (set_of(*REGION, "phrase", to="..."), "[0].regions[1].phrase has no word"),
    "a phrase that is null": (set_of(*REGION, "phrase", to=None), "[0].regions[1].phrase is null, not a text"),
    "a control character": (set_of(*REGION, "phrase", to="a\x00b"), "has the control character U+0000"),
    "201 regions": (set_of("regions", 0, "regions", to=[{}] * 201), "[0].regions has 201 regions: at most 200 are"),
    "an image without a size": (without(*LISTED, "width"), "image_data.json [0] has no 'width'"),
    "a size of text": (set_of(*LISTED, "height", to="80"), "image_data.json [0].height is a text, not a number"),
    "a size of no pixels": (set_of(*LISTED, "height", to=0), "image_data.json [0].height is 0, not a whole number"),
    "an address that is a number": (set_of(*LISTED, "url", to=3), "image_data.json [0].url is a number, not a text"),
    "an address without a path": (set_of(*LISTED, "url", to=""), "image_data.json [0]"),
    "a listed image without an id": (without(*LISTED, "image_id"), "image_data.json: image_data.json [0] has no 'id'"),
    "a listed image twice": (set_of("images", 1, "image_id", to=1), "the image id 1 occurs twice"),
    "a picture of two images": (set_of("images", 1, "url", to="x/1.jpg"), "1.jpg is also the image"),
}  # fmt: skip
BROKEN = [("refcoco", name, *one) for name, one in BROKEN_REFCOCO.items()]
BROKEN += [("visual-genome", name, *one) for name, one in BROKEN_GENOME.items()]
FILES = {"refcoco": ("refs.json", "instances.json"), "visual-genome": ("region_descriptions.json", "image_data.json")}


@pytest.mark.parametrize(
    ("source_format", "edit", "told"),
    [(one, edit, told) for one, _, edit, told in BROKEN],
    ids=[f"{one}: {name}" for one, name, *_ in BROKEN],
)
def test_a_broken_file_is_named_with_the_key(tmp_path: Path, source_format: str, edit: Edit, told: str) -> None:
    found = read(WRITTEN[source_format](tmp_path, edit), source_format)

    problems = [one for one in found if isinstance(one, Problem)]
    assert any(told in str(one) for one in problems), [str(one) for one in problems]
    assert all(str(one).startswith(FILES[source_format]) for one in problems)
    whole = read(WRITTEN[source_format](tmp_path), source_format)
    kept = [one for one in found if isinstance(one, DatasetImage)]
    assert len(kept) < len(whole), "an image with a fault is left out"
    assert all(one in whole for one in kept), "others are as they were"


@pytest.mark.django_db
@pytest.mark.parametrize(("source_format", "edit", "_"), [(one, edit, told) for one, _, edit, told in BROKEN[::7]])
def test_an_image_with_a_fault_is_not_imported_by_half(tmp_path: Path, source_format: str, edit: Edit, _: str) -> None:
    folder = WRITTEN[source_format](tmp_path, edit)
    report = import_dataset(project_name="parks", path=folder)

    assert report.problems
    whole = {one.path: one for one in read(folder, source_format) if isinstance(one, DatasetImage)}
    assert {*Image.objects.values_list("path", flat=True)} == whole.keys()
    boxes = sum(len(one.chains) for image in whole.values() for one in image.boxes)
    assert Box.objects.count() == boxes


@pytest.mark.parametrize(
    ("source_format", "file", "text", "told"),
    [
        ("refcoco", "refs.json", "[{", "refs.json:1: is not JSON"),
        ("refcoco", "refs.json", "{}", "refs.json: the file is an object, not a list"),
        ("refcoco", "refs.json", "[" * 100_000, "refs.json: is not JSON that can be read"),
        ("refcoco", "refs(unc).p", "", "has 2 files refs*.json or refs*.p (refs(unc).p, refs.json): it needs one"),
        ("refcoco", "instances.json", "[]", "instances.json: the file is a list, not an object"),
        ("refcoco", "instances.json", "{}", "instances.json: the file has no 'images'"),
        ("visual-genome", "region_descriptions.json", "{}", "region_descriptions.json:1: does not begin like a list"),
        ("visual-genome", "region_descriptions.json", "", "region_descriptions.json:1: does not begin like a list"),
        ("visual-genome", "region_descriptions.json", '[\n{"id": 1,\n"regions": [',
         "region_descriptions.json:2: ends within the list, in entry [0] or behind"),
        ("visual-genome", "region_descriptions.json", '[{"id": 1}\n,\n{"id": x, "regions": "a long text"}]',
         "region_descriptions.json:3: [1] is not JSON: Expecting value"),
        ("visual-genome", "region_descriptions.json", '[{"id": 1} {"id": 2}]',
         "region_descriptions.json:1: has no comma behind entry [0]"),
        ("visual-genome", "region_descriptions.json", '[{"id": 1}] x', "goes on behind the end of the list"),
        ("visual-genome", "region_descriptions.json", "[" * 100_000, "[0] is not JSON that can be read"),
        ("visual-genome", "region_descriptions.json", '["\udcff"]', "is not UTF-8 (byte 0xff)"),
        ("visual-genome", "image_data.json", '[{"image_id": 1', "image_data.json:1: ends within the list"),
    ],
)  # fmt: skip
@pytest.mark.django_db
def test_a_file_that_cannot_be_read_imports_nothing(
    tmp_path: Path, source_format: str, file: str, text: str, told: str
) -> None:
    (WRITTEN[source_format](tmp_path) / file).write_text(text, errors="surrogateescape")
    with pytest.raises(SourceError) as refused:
        import_dataset(project_name="parks", path=tmp_path, source_format=source_format)
    assert told in str(refused.value)
    assert not Image.objects.exists()


@pytest.mark.parametrize(
    ("source_format", "file"), [("refcoco", "instances.json"), ("visual-genome", "image_data.json")]
)
def test_the_file_beside_is_asked_for_by_its_name(tmp_path: Path, source_format: str, file: str) -> None:
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
    monkeypatch.setattr("exchange.grounding.json_entries.ENTRY_CHARACTERS", 300_000)
    (genome(tmp_path) / "region_descriptions.json").write_text(json.dumps([{"id": "x" * 5_000_000}]))
    with pytest.raises(SourceError, match=r"\[0\] has more than 300,000 characters"):
        read(tmp_path, "visual-genome")
