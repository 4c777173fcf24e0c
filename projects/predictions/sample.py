"""A sample of the form in which predictions are read, of phrases of the project: it can be sent as it stands."""

import json
from typing import Any, NamedTuple

from annotation.models import Image, Mention, Project
from annotation.rules.states import ImageState
from exchange.load_project import category_ids

COLUMNS = ("caption__number", "start", "end", "text", "types")


class Sample(NamedTuple):
    """Two files: a phrase a line, and a box an entry."""

    jsonl: str
    coco: str


def sample_of(project: Project) -> Sample | None:
    """Return a sample of an image's phrases, a finished one if there is one; None while there are no phrases."""
    images = Image.objects.filter(project=project).order_by("position")
    for some in (images.filter(state=ImageState.MERGED.value), images):
        image = some.first()
        if image is not None:
            mentions = Mention.objects.filter(image=image).order_by("caption__number", "start")
            if rows := list(mentions.values_list(*COLUMNS)):
                return _sample(image, rows, category_ids(project))
    return None


def _sample(image: Image, rows: list[Any], categories: dict[int, str]) -> Sample:
    x, y, width, height = image.width // 8, image.height // 8, image.width // 2, image.height // 2
    box, other, bbox = [x, y, x + width, y + height], [0, 0, width, height], [x, y, width, height]
    first, last = _named(rows[0], rows), _by_words(rows[-1])
    kind = next((number for number, name in categories.items() if name in rows[0][-1]), min(categories))
    lines = [
        {"image": image.name, **first, "boxes": [box], "scores": [0.9]},
        {"image": image.name, **last, "boxes": [box, other], "chain": "A"},
    ]
    entries = [
        {"image_id": image.coco_number, **first, "bbox": bbox, "score": 0.9},
        {"image_id": image.coco_number, "category_id": kind, "bbox": bbox, "score": 0.8},
    ]
    return Sample("\n".join(map(_text, lines)), "[" + ",\n ".join(map(_text, entries)) + "]")


def _named(row: Any, rows: list[Any]) -> dict[str, Any]:
    """Name a phrase by its words, or by their place if its caption says them twice."""
    caption, _, _, text, _ = row
    alike = [row for row in rows if row[0] == caption and row[3].casefold() == text.casefold()]
    return {"caption": caption, "phrase": text} if len(alike) == 1 else _by_words(row)


def _by_words(row: Any) -> dict[str, Any]:
    return {"caption": row[0], "words": [row[1], row[2]]}


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
