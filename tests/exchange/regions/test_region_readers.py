"""RefCOCO and Visual Genome are read as they are published, and what is exported says the same."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Gold, Image, Project
from annotation.rules.box import Box
from exchange.coco.read import read_coco
from exchange.dataset import DatasetImage, Problem
from exchange.detect import count_images, detect_format
from exchange.export_dataset import export_dataset
from exchange.grounding import json_entries as entries_module
from exchange.grounding.json_entries import json_entries
from exchange.grounding.read_mdetr import read_mdetr
from exchange.grounding.whole_phrase import head_of, whole_phrase
from exchange.import_dataset import import_dataset
from pipeline.record.replay import replay
from tests.exchange.grounding.sets import Edit, set_of, without
from tests.exchange.regions.region_sets import GENOME, WRITTEN, genome, read, refcoco

SENTENCES = ["man on left", "guy.", "the dog", "blue shirt"]


def only_images(found: list[DatasetImage | Problem]) -> list[DatasetImage]:
    images = [one for one in found if isinstance(one, DatasetImage)]
    assert len(images) == len(found), [str(one) for one in found if isinstance(one, Problem)]
    return images


@pytest.mark.parametrize("protocol", [None, *range(6)])
def test_sentences_of_refs_are_captions_with_one_phrase_and_refs_of_an_annotation_one_chain(
    tmp_path: Path, protocol: int | None
) -> None:
    assert detect_format(refcoco(tmp_path, protocol=protocol)) == "refcoco"
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
    assert count_images(tmp_path, "refcoco") == 3


def test_regions_are_captions_with_one_phrase_and_a_chain_each(tmp_path: Path) -> None:
    assert detect_format(genome(tmp_path)) == "visual-genome"
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
    assert count_images(tmp_path, "visual-genome") == 2


@pytest.mark.parametrize(
    ("sentence", "head", "kind"),
    [
        ("a man wearing a blue shirt", "a man", "people"),
        ("shirt on the man", "shirt", "clothing"),
        ("Dog, next to a car.", "Dog", "animals"),
        ("the red car is parked", "the red car", "vehicles"),
        ("a group of people in the street", "a group of people", "people"),
        ("standing woman", "standing woman", "people"),
        ("on the left", "on the left", "other"),
        ("a tall building", "a tall building", "scene"),
        ("walking", "walking", "other"),
    ],
)
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
    boxes = {chain: sorted(box.box for box in image.boxes if chain in box.chains) for chain in _chains(image)}
    first = {mention.chain: place for place, mention in reversed(list(enumerate(image.mentions)))}
    phrases = [(one.caption, one.start, one.end, first[one.chain], boxes[one.chain or ""]) for one in image.mentions]
    return image.path, image.width, image.height, image.coco_id, [one.text for one in image.captions], phrases


def _chains(image: DatasetImage) -> set[str]:
    return {one.chain for one in image.mentions if one.chain is not None}


def known(image: DatasetImage) -> list[object]:
    return [(box.box, box.category) for box in image.boxes if not box.chains]


@pytest.mark.django_db
def test_as_gold_the_chains_keep_the_ids_of_their_annotations(tmp_path: Path) -> None:
    import_dataset(project_name="parks", path=refcoco(tmp_path), gold=True)
    assert {chain["name"] for chain in Gold.objects.get(image__path="one.jpg").chains} == {"11", "12"}
    assert Image.objects.filter(state="linking").count() == 2


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64])
def test_entries_are_the_same_wherever_the_file_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
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


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (without("refs", 1, "split"), r"refs\[1\] has no 'split'"),
        (set_of("refs", 1, "image_id", to=99), r"refs\[1\].image_id 99 is in no list of images"),
    ],
)
def test_a_ref_without_a_part_is_named(tmp_path: Path, edit: Edit, told: str) -> None:
    with pytest.raises(CommandError, match=f"refs.json: {told}"):
        call_command("refs_splits", refcoco(tmp_path, edit))
