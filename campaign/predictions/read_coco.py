"""Predictions of a detector as a COCO file: boxes with categories, which fit phrases by their head nouns."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from exchange.checks import as_id, as_list, as_number, as_text, member
from exchange.problems import Defect


class PredictedBox(NamedTuple):
    """An annotation: a box of a category in an image."""

    where: str
    """The place in the file, such as "annotations[3]"."""
    image: str | int
    """Its file name; or its id in COCO files, of a file that lists no images."""
    category: str
    bbox: tuple[float, ...]
    """x, y, width, height in pixels."""
    score: float | None
    """Any number, larger for surer boxes; None: the detector gives none."""

    @property
    def percent(self) -> int | None:
        """The score in percent; None for one that is not from 0 to 1, which only says which box is surer."""
        return None if self.score is None or not 0 <= self.score <= 1 else round(100 * self.score)


def read_coco(value: Any, known: Mapping[int, str]) -> dict[str | int, list[PredictedBox]]:
    """Return the boxes by the file name of their image, or by its id if none are listed; the highest scores first.

    A bare list is that of COCO's results. Its ids, and those of an object without the list, are the project's own:
    those of its import and exports. `known`: the categories of the project's exports by their ids. Raises Defect, which
    names list, place and field, for the first wrong entry.
    """
    if isinstance(value, list):
        value = {"annotations": value}
    images = _names(value, "images", "file_name") if isinstance(value, dict) and "images" in value else None
    categories: Mapping[int | str, str] = dict[int | str, str](known.items())
    if isinstance(value, dict) and "categories" in value:
        categories = _names(value, "categories", "name")
    found: dict[str | int, list[PredictedBox]] = defaultdict(list)
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


def _box(
    row: Any, where: str, images: dict[int | str, str] | None, categories: Mapping[int | str, str]
) -> PredictedBox:
    image = as_id(member(row, "image_id", where), f"{where}: field 'image_id'")
    category = as_id(member(row, "category_id", where), f"{where}: field 'category_id'")
    if images is not None and image not in images:
        raise Defect(f"{where}: field 'image_id' {image!r} is in no list of the file")
    if category not in categories:
        raise Defect(
            f"{where}: field 'category_id' {category!r} is in no list of the file and of no export of the project: put "
            "the results under 'annotations' of an object, with the list 'categories' that the ids name"
        )
    field = f"{where}: field 'bbox'"
    bbox = tuple(as_number(one, field) for one in as_list(member(row, "bbox", where), field))
    if len(bbox) != 4:
        raise Defect(f"{field} has {len(bbox)} numbers, not 4 (x, y, width, height)")
    score = as_number(row["score"], f"{where}: field 'score'") if "score" in row else None
    return PredictedBox(where, image if images is None else images[image], categories[category], bbox, score)
