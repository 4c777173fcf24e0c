"""Two versions of a data set compared by the command: every kind of change, opposites, formats, and refusals."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import make_archive
from typing import Any

import numpy as np
import pytest
from PIL import Image

from evaluation.dataset.changes import WEIGHTS
from evaluation.reading.caption_file import read_captions
from evaluation.work import PictureFiles
from exchange.formats.coco import COCO
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.format import write_files
from exchange.formats.hub import HUB
from exchange.formats.mdetr import MDETR
from exchange.formats.odvg import ODVG
from exchange.formats.parquet import PARQUET
from studies.interop.sources import made_images, write_source
from tests.support.data_files import write_data
from tests.support.pictures import plain_jpeg
from tests.support.table import case

Lines = Callable[..., Path]
Run = Callable[..., dict[str, Any]]
SENTENCES = (
    "[/EN#1/people A man] in [/EN#2/clothing a red hat] with [/EN#3/animals a dog] .\n"
    "[/EN#1/people He] has [/EN#2/clothing a hat] and [/EN#3/animals the dog] on [/EN#4/scene a beach] .\n"
)
OBJECT = "<object><name>{}</name><bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox></object>"
SCENE = "<object><name>{}</name><scene>1</scene><nobndbox>0</nobndbox></object>"
MAN, HAT, DOG = (OBJECT.format(*row) for row in ((1, 11, 11, 50, 100), (2, 21, 11, 40, 30), (3, 61, 61, 100, 100)))
BEACH, BOXED_BEACH = SCENE.format(4), OBJECT.format(4, 1, 1, 120, 100)
UNBOXED_BEACH = BEACH.replace("<scene>1", "<scene>0").replace("box>0", "box>1")
NO_BEACH = SENTENCES.replace("[/EN#4/scene a beach]", "a beach")
GROWN_HAT, HALF_MAN = OBJECT.format(2, 16, 6, 45, 35), OBJECT.format(1, 11, 11, 30, 100)
JOINED = SENTENCES.replace("#2/clothing a hat", "#1/clothing a hat")


def dog_at(left: int, right: int) -> str:
    return OBJECT.format(3, left, 61, right, 100)


OPPOSITES = (
    ("chains merged", "chain split"), ("chain added", "chain removed"), ("box added", "box removed"),
    ("flag set", "flag cleared"), ("phrase added", "phrase removed"), ("now a mention", "no mention any more"),
)  # fmt: skip
"""Kinds that are each other's opposite; every other kind is its own."""


@pytest.fixture
def version(tmp_path: Path) -> Lines:
    """Return a function that writes a version of a data set of one image."""

    def write(name: str, sentences: str = SENTENCES, *objects: str, image: str = "man") -> Path:
        folder = tmp_path / name
        for kind in ("Sentences", "Annotations"):
            (folder / kind).mkdir(parents=True, exist_ok=True)
        (folder / "Sentences" / f"{image}.txt").write_text(sentences)
        inner = "".join(objects or (MAN, HAT, DOG, BEACH))
        size = "<size><width>120</width><height>100</height></size>"
        (folder / "Annotations" / f"{image}.xml").write_text(f"<annotation>{size}{inner}</annotation>")
        return folder

    return write


def kinds(report: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts of the changes that there are."""
    found = {kind: report["figures"][f"changes.{kind.replace(' ', '_')}"] for kind in WEIGHTS}
    return {kind: count for kind, count in found.items() if count}


def mirrored(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts that the opposite comparison has."""
    opposite = dict([*OPPOSITES, *((later, earlier) for earlier, later in OPPOSITES)])
    return {opposite.get(kind, kind): count for kind, count in counts.items()}


@case("two chains are one", (SENTENCES.replace("#3", "#2"), MAN, HAT, BEACH), {"chains merged": 1, "box removed": 1})
@case("a mention is a chain of its own", (SENTENCES.replace("#1/people He", "#7/people He"),), {"chain split": 1})
@case("a mention is in another chain that both have", (JOINED,), {"mention in another chain": 1})
@case("a box lies a third further right", (SENTENCES, MAN, HAT, dog_at(71, 110), BEACH), {"box moved": 1})
@case("a box grew around its middle", (SENTENCES, MAN, GROWN_HAT, DOG, BEACH), {"box resized": 1})
@case("a box lost its right half", (SENTENCES, HALF_MAN, HAT, DOG, BEACH), {"box redrawn": 1})
@case("a box is somewhere else", (SENTENCES, MAN, HAT, dog_at(1, 40), BEACH), {"box elsewhere": 1})
@case("a chain has one more box", (SENTENCES, MAN, HAT, DOG, dog_at(1, 40), BEACH), {"box added": 1})
@case("a scene has a box", (SENTENCES, MAN, HAT, DOG, BOXED_BEACH), {"box added": 1, "flag cleared": 1})
@case("a scene has no box because it cannot", (SENTENCES, MAN, HAT, DOG, UNBOXED_BEACH), {"flag changed": 1})
@case("a type is another one", (SENTENCES.replace("#3/animals a dog", "#3/other a dog"),), {"type changed": 1})
@case("a phrase is no phrase", (NO_BEACH, MAN, HAT, DOG), {"chain removed": 1, "phrase removed": 1})
@case("a phrase is longer", (SENTENCES.replace("A man] in", "A man in]"),), {"phrase with other bounds": 1})
@case("a mention is not visual", (SENTENCES.replace("#1/people He", "#0/notvisual He"),), {"no mention any more": 1})
def test_a_change_is_found_and_its_opposite_the_other_way_round(
    later: tuple[str, ...], told: dict[str, int], run: Run, version: Callable[..., Path]
) -> None:
    before, after = version("before"), version("after", *later)

    there = run("dataset", "compare", "--before", before, "--after", after)
    back = run("dataset", "compare", "--before", after, "--after", before, out="back")

    assert (kinds(there), kinds(back)) == (told, mirrored(told))
    assert there["figures"]["changed.before"] == back["figures"]["changed.after"] > 0
    assert there["figures"]["images.changed"] == 1
    assert there["figures"]["coreference.CoNLL"] == pytest.approx(back["figures"]["coreference.CoNLL"])


def test_a_version_is_the_same_as_itself(run: Run, export: Path, tmp_path: Path) -> None:
    figures = run("dataset", "compare", "--before", export, "--after", export)["figures"]

    assert (figures["changes"], figures["images.changed"], figures["changed.before"]) == (0, 0, 0.0)
    assert (figures["coreference.CoNLL"], figures["localization.recall@0.9"], figures["overlap.mean"]) == (100, 100, 1)
    assert "Nothing changed" in (tmp_path / "report" / "report.md").read_text()


def test_chains_are_told_by_their_mentions_and_captions_by_their_words(run: Run, version: Lines) -> None:
    renamed = SENTENCES.replace("#1", "#51").replace("#4", "#1")
    turned = "".join(reversed(renamed.splitlines(keepends=True)))
    objects = MAN.replace("<name>1", "<name>51"), HAT, DOG, SCENE.format(1)

    report = run("dataset", "compare", "--before", version("before"), "--after", version("after", turned, *objects))

    assert kinds(report) == {} and report["figures"]["coreference.CoNLL"] == 100


def test_of_two_chains_that_were_one_the_one_with_its_box_is_the_same(run: Run, version: Lines, tmp_path: Path) -> None:
    joined = version("before", "[/EN#3/clothing A hat] on [/EN#3/animals a dog] .\n", DOG)
    apart = version("after", "[/EN#2/clothing A hat] on [/EN#3/animals a dog] .\n", HAT, DOG)

    assert kinds(run("dataset", "compare", "--before", joined, "--after", apart)) == {"chain split": 1, "box added": 1}
    rows = list(csv.DictReader((tmp_path / "report" / "changes.csv").read_text().splitlines()))
    assert [(row["change"], row["phrase"], row["types"]) for row in rows] == [
        ("chain split", "A hat", "animals/clothing"),
        ("box added", "A hat", "clothing"),
    ]


def test_changes_count_by_type_and_boxes_by_their_overlap(run: Run, version: Lines, tmp_path: Path) -> None:
    moved = SENTENCES, MAN, HAT, OBJECT.format(3, 71, 61, 110, 100), BEACH

    figures = run("dataset", "compare", "--before", version("before"), "--after", version("after", *moved))["figures"]

    assert figures["changes.box_moved.animals"] == 1 and "changes.box_moved.people" not in figures
    assert figures["overlap.changed.q50"] == pytest.approx(0.6)
    assert (figures["overlap.changed.bin6"], figures["boxes.both"], figures["boxes.changed"]) == (1, 3, 1)
    assert (figures["localization.recall@0.5"], figures["localization.recall@0.7"]) == pytest.approx((100, 400 / 6))
    assert (figures["changed.before"], figures["changed.before.animals"]) == (25, 100)


def test_edges_within_the_tolerance_are_the_same(run: Run, version: Callable[..., Path]) -> None:
    near = version("after", SENTENCES, MAN, HAT, OBJECT.format(3, 62, 60, 100, 100), BEACH)
    sides = ("dataset", "compare", "--before", version("before"), "--after", near)

    assert kinds(run(*sides)) == {"box redrawn": 1} and kinds(run(*sides, "--tolerance", "1")) == {}


def test_images_and_captions_of_one_version_are_told(run: Run, version: Lines, tmp_path: Path) -> None:
    before, after = version("before"), version("after", SENTENCES.replace("A man", "A tall man"))
    version("before", image="gone")
    version("after", image="new")
    version("after", image="newer")

    figures = run("dataset", "compare", "--before", before, "--after", after)["figures"]

    assert (figures["images"], figures["images.only_before"], figures["images.only_after"]) == (1, 1, 2)
    assert (figures["captions.only_before"], figures["captions.only_after"]) == (1, 1)
    assert (figures["changes.phrase_removed"], figures["changes.phrase_added"]) == (3, 3)
    assert "later version has the images new, newer" in (tmp_path / "report" / "report.md").read_text()


def test_the_largest_of_each_kind_is_drawn_and_none_without_photos(run: Run, version: Lines, tmp_path: Path) -> None:
    later = SENTENCES.replace("#1/people He", "#7/people He"), MAN, HAT, OBJECT.format(3, 1, 61, 40, 100), BEACH
    before, after = version("before"), version("after", *later)
    (tmp_path / "photographs").mkdir()
    Image.new("RGB", (120, 100), "#336699").save(tmp_path / "photographs" / "man.png")
    sides = ("dataset", "compare", "--before", before, "--after", after)

    run(*sides, out="without")
    run(*sides, "--pictures", tmp_path / "photographs")

    assert "name the folder of the photographs with --pictures" in (tmp_path / "without" / "report.md").read_text()
    assert sorted(file.name for file in (tmp_path / "report").glob("*.jpg")) == ["change_01.jpg", "change_02.jpg"]
    page = (tmp_path / "report" / "report.html").read_text()
    assert "man: chain split: “He”" in page
    assert 'src="change_02.jpg" alt="man: box elsewhere (IOU 0.00): “a dog”"' in page
    with Image.open(tmp_path / "report" / "change_02.jpg") as drawn:
        red, green, blue = np.moveaxis(np.asarray(drawn), -1, 0)
        assert drawn.width > 2 * 120
    assert ((red < 40) & (green > 90) & (green < 130) & (blue > 130)).sum() > 300, "lines of boxes"


IN_ALL_FORMATS = [replace(one, boxes=tuple(box for box in one.boxes if box.chains)) for one in made_images()]
"""Several boxes a chain, equal phrases and captions, flags, several types, pictures in folders."""
WRITTEN: dict[str, Callable[[Path], object]] = {
    "coco": lambda folder: write_files(COCO, IN_ALL_FORMATS, folder / "set"),
    "coco.json": lambda folder: write_files(COCO, IN_ALL_FORMATS, folder / "set.json"),
    "mdetr.json": lambda folder: write_data(MDETR, IN_ALL_FORMATS, folder),
    "odvg.jsonl": lambda folder: write_data(ODVG, IN_ALL_FORMATS, folder),
    "mdetr beside pictures": lambda folder: write_data(MDETR, IN_ALL_FORMATS, folder, name="annotations"),
    "hub": lambda folder: write_data(HUB, IN_ALL_FORMATS, folder),
    "parquet": lambda folder: write_data(
        PARQUET, IN_ALL_FORMATS, folder, picture=lambda one: plain_jpeg(one.width, one.height)
    ),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_a_data_set_is_the_same_in_every_format_as_far_as_the_format_can_say(
    run: Run, written: str, tmp_path: Path
) -> None:
    write_files(FLICKR30K, IN_ALL_FORMATS, tmp_path / "entities")
    place = tmp_path / "other"
    place.mkdir()
    WRITTEN[written](place)
    (place / "card").mkdir()
    (place / "card" / "croissant.json").write_text("{}")
    other = next((one for one in place.glob("set*")), place)
    packed = Path(make_archive(str(tmp_path / "packed"), "zip", place))
    for before, after in ((tmp_path / "entities", other), (packed, tmp_path / "entities")):
        report = run("dataset", "compare", "--before", before, "--after", after)
        figures = report["figures"]
        assert (figures["changes"], figures["captions.only_before"], figures["coreference.CoNLL"]) == (0, 0, 100)
        assert (
            {*read_captions(other)} <= {one.name for one in IN_ALL_FORMATS} == {*read_captions(tmp_path / "entities")}
        )
        assert figures["boxes.both"] == 8 and figures["before.mentions"] == (9 if "coco" in written else 7)


def test_photographs_in_folders_are_those_of_the_images_that_are_named_after_them(tmp_path: Path) -> None:
    write_source(made_images(), tmp_path / "source")
    found = PictureFiles([tmp_path / "source" / "images"])
    assert found.has_all(IN_ALL_FORMATS) and found.open(IN_ALL_FORMATS[0]).size == (100, 80)  # type: ignore[arg-type]


@case("a bracket", lambda text, _: text.write_text("A [man\n"), "man.txt:1: the bracket")
@case("no annotations", lambda _, boxes: boxes.unlink(), "has no Annotations/man.xml")
@case("no phrases", lambda text, _: text.write_text("A man .\n"), "no caption has a phrase")
@case(
    "other images",
    lambda *both: [one.rename(one.with_stem("other")) for one in both],
    "No image is in both: before has man, after has other.",
)
@case("no data set", lambda text, _: text.parent.rename(text.parents[1] / "Words"), "is not a readable export")
def test_what_cannot_be_compared_is_refused_with_its_place(
    spoil: Callable[..., object], said: str, version: Callable[..., Path], refused: Callable[..., str]
) -> None:
    before, after = version("before"), version("after")
    spoil(after / "Sentences" / "man.txt", after / "Annotations" / "man.xml")

    assert said in refused("dataset", "compare", "--before", before, "--after", after)


@pytest.mark.slow
def test_versions_of_real_data_mirror_each_other(run: Run, entities: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    for kind, ending in (("Sentences", "txt"), ("Annotations", "xml")):
        (changed / kind).mkdir(parents=True)
        for place, file in enumerate(sorted((entities / kind).glob(f"*.{ending}"))[:60]):
            text = file.read_text()
            if ending == "txt" and place % 3 == 0:
                first, last = (text.split("/EN#")[i].partition("/")[0] for i in (1, -1))
                text = text.replace(f"/EN#{last}/", f"/EN#{first}/", place % 4)
            elif ending == "xml" and place % 5 == 0:
                text = text.replace("<object>", "<!--", 1).replace("</object>", "-->", 1)
            (changed / kind / file.name).write_text(text)

    there = run("dataset", "compare", "--before", entities, "--after", changed)["figures"]
    back = run("dataset", "compare", "--before", changed, "--after", entities, out="back")["figures"]

    assert kinds({"figures": back}) == mirrored(kinds({"figures": there})) and there["changes"] > 20
    for side in ("before", "after"):
        assert there[f"{side}.boxes"] == back[f"{'after' if side == 'before' else 'before'}.boxes"]
    assert there["after.boxes"] - there["before.boxes"] == there["changes.box_added"] - there["changes.box_removed"]
    assert there["coreference.MUC.P"] == pytest.approx(back["coreference.MUC.R"])
