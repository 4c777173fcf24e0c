"""COCO: captions and boxes as tables of JSON."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from exchange.formats.coco.read import caption_files, instance_files, read_coco
from exchange.formats.coco.write import (
    FILE_LAYOUT,
    LAYOUT,
    CaptionsFile,
    CocoFile,
    InstancesFile,
    patch_coco,
    write_coco,
)
from exchange.formats.edits import key_of_id
from exchange.formats.format import BBOX, INTEGER, NAME, SIZE, Column, Corrector, Format, RowNeed, Rows, count_matches
from exchange.formats.schema.kind import FileFault, FileKind, imported
from exchange.formats.spans import BOXES_ALONE


def _lacks(path: Path) -> str:
    boxes = instance_files(path)
    if not boxes:
        return ""
    return (
        f"{BOXES_ALONE}: {boxes[0].relative_to(path).as_posix()} has boxes and no caption. Add captions.json in "
        "the form of COCO, with the same ids of images"
    )


def _faults_of_folder(path: Path, name: str) -> Iterator[FileFault]:
    """Read captions and boxes together; boxes alone are not read."""
    names = ("captions.json", "instances.json")
    other = names[1 - names.index(name)]
    beside = path.name.replace(name.removesuffix(".json"), other.removesuffix(".json"))
    if name == names[0] or (beside != path.name and (path.parent / beside).is_file()):
        yield from imported(path, read_coco, name, {other: beside} if beside != path.name else {})


_ID = Column("id", "Its id.", INTEGER)
_IMAGE_ID = Column("image_id", "The id of the image.", INTEGER)
_IMAGES = (_ID, NAME, *SIZE)
_CAPTIONS = (_ID, _IMAGE_ID, Column("caption", "Its text."))
_BOXES = (
    *(_ID, _IMAGE_ID, BBOX),
    Column("category_id", "The id of its category.", INTEGER),
    Column("chains", "The numbers of its chains.", many=True),
)
COCO = Format(
    name="coco",
    title="COCO, with phrases and chains",
    marks="captions*.json in it or in annotations/",
    detects=lambda path: bool(caption_files(path, whole=False)),
    detects_late=lambda path: bool(caption_files(path)),  # an export into one file
    lacks=_lacks,
    read=read_coco,
    either_unit=True,
    count=lambda path: count_matches(caption_files(path), rb'"file_name"\s*:'),
    correct=Corrector(key_of_id, patch_coco),
    write=write_coco,
    layout=LAYOUT,
    file_layout=FILE_LAYOUT,
    file_ending=".json",
    needs=frozenset({RowNeed.OWN_FIELDS, RowNeed.CATEGORIES, RowNeed.ANSWERS}),
    record_sets=(
        Rows("images", "A row for each image.", _IMAGES, ("captions.json", "annotations.json"), "images"),
        Rows("captions", "A row for each caption.", _CAPTIONS, ("captions.json",), "annotations"),
        Rows("captions", "A row for each caption.", _CAPTIONS, ("annotations.json",), "captions"),
        Rows("boxes", "A row for each box.", _BOXES, ("instances.json", "annotations.json"), "annotations"),
    ),
    kinds=(
        FileKind(
            "coco",
            "A data set of COCO's in one file, with phrases and chains",
            CocoFile,
            is_lines=False,
            passes_over=True,
            faults=partial(imported, reader=read_coco, name="whole.json"),
        ),
        FileKind(
            "coco-captions",
            "captions.json of a folder of COCO's, with phrases and chains",
            CaptionsFile,
            is_lines=False,
            passes_over=True,
            faults=partial(_faults_of_folder, name="captions.json"),
        ),
        FileKind(
            "coco-instances",
            "instances.json of a folder of COCO's, with chains",
            InstancesFile,
            is_lines=False,
            passes_over=True,
            faults=partial(_faults_of_folder, name="instances.json"),
        ),
    ),
)
