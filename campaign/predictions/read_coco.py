"""Predictions of a detector as a COCO file: boxes with categories, which fit phrases by their head nouns."""

from collections import defaultdict
from typing import Any, NamedTuple

from exchange.checks import as_id, as_list, as_number, as_text, member
from exchange.problems import Defect


class PredictedBox(NamedTuple):
    """An annotation: a box of a category in an image."""

    where: str
    """The place in the file, such as "annotations[3]"."""
    image: str
    category: str
    bbox: tuple[float, ...]
    """x, y, width, height in pixels."""
    score: float | None
    """Any number, larger for surer boxes; None: the detector gives none."""

    @property
    def percent(self) -> int | None:
        """The score in percent; None for one that is not from 0 to 1, which only says which box is surer."""
        return None if self.score is None or not 0 <= self.score <= 1 else round(100 * self.score)


def read_coco(value: Any) -> dict[str, list[PredictedBox]]:
    """Return the boxes by the file name of their image, the highest scores first.

    Raises Defect, which names list, place and field, for the first wrong entry.
    """
    if isinstance(value, list):
        raise Defect(
            "is a bare list of results: put it under 'annotations' of an object, with the lists 'images' and "
            "'categories' that its ids name"
        )
    images = _names(value, "images", "file_name")
    categories = _names(value, "categories", "name")
    found: dict[str, list[PredictedBox]] = defaultdict(list)
    for place, row in enumerate(as_list(member(value, "annotations", "the file"), "'annotations'")):
        box = _box(row, f"annotations[{place}]", images, categories)
        found[box.image].append(box)
    return {image: sorted(boxes, key=lambda one: -(one.score or 0.0)) for image, boxes in found.items()}


def _names(value: Any, table: str, name: str) -> dict[int | str, str]:
    found: dict[int | str, str] = {}
    for place, row in enumerate(as_list(member(value, table, "the file"), f"'{table}'")):
        where = f"{table}[{place}]"
        number = as_id(member(row, "id", where), f"{where}: field 'id'")
        if number in found:
            raise Defect(f"{where}: field 'id' {number!r} occurs twice")
        found[number] = as_text(member(row, name, where), f"{where}: field {name!r}")
    return found


def _box(row: Any, where: str, images: dict[int | str, str], categories: dict[int | str, str]) -> PredictedBox:
    image = as_id(member(row, "image_id", where), f"{where}: field 'image_id'")
    category = as_id(member(row, "category_id", where), f"{where}: field 'category_id'")
    for name, number, known in (("image_id", image, images), ("category_id", category, categories)):
        if number not in known:
            raise Defect(f"{where}: field {name!r} {number!r} is in no list of the file")
    field = f"{where}: field 'bbox'"
    bbox = tuple(as_number(one, field) for one in as_list(member(row, "bbox", where), field))
    if len(bbox) != 4:
        raise Defect(f"{field} has {len(bbox)} numbers, not 4 (x, y, width, height)")
    score = as_number(row["score"], f"{where}: field 'score'") if "score" in row else None
    return PredictedBox(where, images[image], categories[category], bbox, score)
