"""An import of our own export lacks little, by the format: docs/reference/formats.md lists the same."""

from collections import defaultdict
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Project
from exchange.export_dataset import ENDINGS
from exchange.import_dataset import import_dataset
from exchange.load_project import stream_images
from studies.interop.sources import made_images, write_source

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_storage")]

EVERYTHING = frozenset({
    "paths", "ids", "captions", "phrases with boxes", "other phrases", "types", "first types", "chains", "reasons",
    "other boxes",
})  # fmt: skip
LOST = {
    "coco": set(),
    "flickr30k-entities": {"paths", "ids", "other boxes"},
    "mdetr": {"other phrases", "types", "first types", "reasons", "other boxes"},
    "odvg": {"paths", "ids", "captions", "other phrases", "types", "first types", "reasons", "other boxes"},
    "hub": {"other phrases", "types", "reasons"},
    "parquet": {"other phrases", "types", "reasons"},
}
"""Of `odvg` paths and ids are lost with the images without any phrase that has a box, and those images alone."""


def held(name: str) -> dict[str, set[object]]:
    """Return what the project holds, by kind."""
    found: dict[str, set[object]] = {kind: set() for kind in EVERYTHING}
    for image in stream_images(Project.objects.get(name=name), include_unmerged=True, own_fields=True):
        here = image.name
        chains = defaultdict(set)
        found["paths"].add(image.file_name)
        found["ids"].add((here, image.coco_id))
        found["captions"] |= {(here, caption.text) for caption in image.captions}
        for one in image.mentions:
            boxes = frozenset(box.box for box in image.boxes if one.chain in box.chains)
            place = (here, image.captions[one.caption].text, one.start, one.end)
            found["phrases with boxes" if boxes else "other phrases"].add((*place, boxes))
            if boxes:
                found["types"].add((*place, one.types))
                found["first types"].add((*place, one.types[0]))
                chains[one.chain].add(place)
        found["chains"] |= {frozenset(own) for own in chains.values()}
        found["reasons"] |= {(here, one.scene, one.no_box) for one in image.chains if one.scene or one.no_box}
        found["other boxes"] |= {(here, box.category, box.box) for box in image.boxes if not box.chains}
    return found


def round_trip(tmp_path: Path, export_format: str) -> None:
    """Import the made images as `first`, and their export as `second`."""
    write_source(made_images(), tmp_path / "source")
    import_dataset(project_name="first", path=tmp_path / "source")
    ending = ENDINGS[export_format]
    target = tmp_path / "out" / f"set{ending}" if ending else tmp_path / "out"
    target.parent.mkdir(exist_ok=True)
    call_command("export_dataset", "first", str(target), format=export_format, include_unmerged=True)
    report = import_dataset(project_name="second", path=tmp_path / "out")
    assert report.problems == []


@pytest.mark.slow
@pytest.mark.parametrize("export_format", LOST)
def test_what_comes_back_is_what_went_out_but_for_what_the_reference_lists(tmp_path: Path, export_format: str) -> None:
    round_trip(tmp_path, export_format)

    before, after = held("first"), held("second")

    assert all(before.values()), "the made images hold something of every kind"
    assert {kind for kind in EVERYTHING if before[kind] != after[kind]} == LOST[export_format]


def test_images_that_odvg_holds_keep_their_paths_and_ids(tmp_path: Path) -> None:
    round_trip(tmp_path, "odvg")

    after = held("second")

    assert after["paths"] == {"cam 1/pair.jpg", "B.PNG"}
    assert after["ids"] == {("cam 1_pair", 397133), ("B", 9)}
