"""COCO results: an entry a box, of a phrase, or of a category, which stands for the phrases that it fits."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, NotRequired

from annotated_types import Ge, Len
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.reading.json_lines import Id, coco_id, member, number
from evaluation.reading.predictions.rows import PredictionRow, read_phrase, text_of


class ResultRow(TypedDict):
    """A box of a category, or of one phrase."""

    image_id: Id
    """The image's id in COCO files, or its name."""
    bbox: Annotated[Sequence[float], Len(4, 4)]
    """[left, top, width, height] in pixels, or another form that is told."""
    score: NotRequired[float]
    """Any number; larger for surer boxes."""
    category_id: NotRequired[Id]
    """The category: the box is proposed for the phrases that it fits. Not needed beside `caption`."""
    caption: NotRequired[Annotated[int, Ge(0)]]
    """The number of the caption of the phrase, from 0."""
    phrase: NotRequired[str | Annotated[int, Ge(0)]]
    """The words of the phrase."""
    words: NotRequired[Annotated[Sequence[Annotated[int, Ge(0)]], Len(2, 2)]]
    """Its place, [first word, end)."""


class ResultImage(TypedDict):
    """An image that results are for."""

    id: Id
    """The `image_id` of entries."""
    file_name: str
    """The path of its picture."""


class ResultCategory(TypedDict):
    """A category of a detector."""

    id: Id
    """The `category_id` of entries."""
    name: str
    """Its name, such as `dog`."""


class ResultsFile(TypedDict):
    """Results with the lists that their ids name."""

    annotations: Sequence[ResultRow]
    images: NotRequired[Sequence[ResultImage]]
    """Without it, ids are those of the data."""
    categories: NotRequired[Sequence[ResultCategory]]
    """Without it, ids are those of the data."""


class CategoryBox(NamedTuple):
    """A box of a category in an image."""

    where: str
    """The place in the file, such as "annotations[3]"."""
    image: str | int
    """Its file name; or its id in COCO files, of a file that lists no images."""
    category: str
    bbox: Any
    """As it stands in the file."""
    score: float | None
    """Any number, larger for surer boxes; None: the detector gives none."""


class CocoResults(NamedTuple):
    """The entries of a file, those of the highest scores first."""

    rows: list[PredictionRow]
    boxes: list[CategoryBox]


def read_results(
    value: Any, known: Mapping[int, str] | Mapping[Id, str], left_out: list[str] | None = None
) -> CocoResults:
    """Return the entries. Raises InputError, which names list, place and field, for the first wrong one.

    A bare list is that of COCO's results. Its ids, and those of an object without the list, are the data's own.
    `known`: the data's categories by their ids. `left_out`: takes the reasons for which entries of no known category
    are left out; None: they are refused, too. An entry with a caption is for one phrase, others are for a category.
    """
    if isinstance(value, list):
        value = {"annotations": value}
    images = _names(value, "images", "file_name") if isinstance(value, dict) and "images" in value else None
    categories: Mapping[Id, str] = dict[Id, str](known.items())
    if isinstance(value, dict) and "categories" in value:
        categories = _names(value, "categories", "name")
    rows: list[tuple[float, PredictionRow]] = []
    boxes: list[tuple[float, CategoryBox]] = []
    for place, entry in enumerate(_listed(value, "annotations")):
        where = f"annotations[{place}]"
        image = _image(entry, where, images)
        score = number(entry["score"], f"{where}: field 'score'") if "score" in entry else None
        if "caption" in entry or "phrase" in entry or "words" in entry:
            sure = () if score is None else (score,)
            row = PredictionRow(
                where, image, *read_phrase(entry, where), (member(entry, "bbox", where),), sure, lists=False
            )
            rows.append((-(score or 0.0), row))
        else:
            try:
                category = _category(entry, where, categories)
            except InputError as wrong:
                if left_out is None:
                    raise
                left_out.append(str(wrong))
                continue
            box = CategoryBox(where, image, category, member(entry, "bbox", where), score)
            boxes.append((-(score or 0.0), box))
    rows.sort(key=lambda one: one[0])
    boxes.sort(key=lambda one: one[0])
    return CocoResults([row for _, row in rows], [box for _, box in boxes])


def _listed(value: Any, table: str) -> list[Any]:
    if not isinstance(value, dict) or not isinstance(value.get(table), list):
        raise InputError(f"the file has no list {table!r}: give a list of results, or an object that holds one there.")
    found: list[Any] = value[table]
    return found


def _names(value: Any, table: str, name: str) -> dict[Id, str]:
    found: dict[Id, str] = {}
    for place, row in enumerate(_listed(value, table)):
        where = f"{table}[{place}]"
        key = coco_id(member(row, "id", where), f"{where}: field 'id'")
        if key in found:
            raise InputError(f"{where}: field 'id' {key!r} occurs twice.")
        found[key] = text_of(member(row, name, where), f"{where}: field {name!r}")
    return found


def _image(entry: Any, where: str, images: Mapping[Id, str] | None) -> int | str:
    image = coco_id(member(entry, "image_id", where), f"{where}: field 'image_id'")
    if images is None:
        return image
    if image not in images:
        raise InputError(f"{where}: field 'image_id' {image!r} is not in the list 'images' of the file.")
    return images[image]


def _category(entry: Any, where: str, categories: Mapping[Id, str]) -> str:
    if "category_id" not in entry:
        raise InputError(f"{where} has neither 'category_id' nor 'caption' with 'phrase': tell what the box is of.")
    category = coco_id(entry["category_id"], f"{where}: field 'category_id'")
    if category not in categories:
        raise InputError(
            f"{where}: field 'category_id' {category!r} is in no list of the file and of no export of the project: put "
            "the results under 'annotations' of an object, with the list 'categories' that the ids name."
        )
    return categories[category]
