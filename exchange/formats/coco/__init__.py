"""COCO: captions and boxes as tables of JSON."""

from pathlib import Path

from exchange.formats.coco.correct import patch_coco
from exchange.formats.coco.read import read_coco
from exchange.formats.coco.tables import caption_files, instance_files
from exchange.formats.coco.write import layout, write_coco
from exchange.formats.edits import key_of_id
from exchange.formats.format import Corrector, Format, Need, count_matches
from exchange.formats.record_sets import BBOX, INTEGER, NAME, SIZE, Column, Rows
from exchange.formats.spans import BOXES_ALONE


def _lacks(path: Path) -> str:
    boxes = instance_files(path)
    if not boxes:
        return ""
    return (
        f"{BOXES_ALONE}: {boxes[0].relative_to(path).as_posix()} has boxes and no caption. Add captions.json in "
        "the form of COCO, with the same ids of images"
    )


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
    layout=layout,
    file_ending=".json",
    needs=frozenset({Need.OWN_FIELDS, Need.CATEGORIES, Need.ANSWERS}),
    record_sets=(
        Rows("images", "A row for each image.", _IMAGES, ("captions.json", "annotations.json"), "images"),
        Rows("captions", "A row for each caption.", _CAPTIONS, ("captions.json",), "annotations"),
        Rows("captions", "A row for each caption.", _CAPTIONS, ("annotations.json",), "captions"),
        Rows("boxes", "A row for each box.", _BOXES, ("instances.json", "annotations.json"), "annotations"),
    ),
)
