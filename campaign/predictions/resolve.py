"""Predictions, whose phrases are found in the project's images, as rows for the table and the record."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from annotation.models import Project
from campaign.predictions.phrases import ImagePhrases, phrases_of
from campaign.predictions.read_coco import PredictedBox
from campaign.predictions.read_jsonl import MOST_BOXES, PredictedPhrase
from exchange.coco.read import whole_box
from exchange.problems import Defect


@dataclass(slots=True)
class Resolved:
    """All that was predicted for one image."""

    image: ImagePhrases
    boxes: list[list[int]] = field(default_factory=list)
    """Rows of [mention, x0, y0, x1, y1], with the score in percent behind where there is one.

    They hold the best box of every phrase, then the second ones, and so on.
    """
    chains: list[list[int]] = field(default_factory=list)


@dataclass(slots=True)
class Found:
    """The images of the project, and the names that none of them has."""

    images: list[Resolved] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    unused: int = 0
    """Boxes of a detector whose category fits no phrase of their image."""


def resolve_phrases(project: Project, rows: Iterable[PredictedPhrase]) -> Found:
    """Find the phrases of the rows. Raises Defect for a phrase or a box that its image does not have."""
    by_image: dict[str, list[PredictedPhrase]] = defaultdict(list)
    for row in rows:
        by_image[row.image].append(row)
    images = phrases_of(project, by_image)
    found = Found(unknown=sorted(set(by_image).difference(images)))
    found.images = [_phrases(images[name], own) for name, own in by_image.items() if name in images]
    return found


def _phrases(image: ImagePhrases, rows: list[PredictedPhrase]) -> Resolved:
    ranked: list[tuple[int, list[int]]] = []
    chains: dict[str, list[int]] = defaultdict(list)
    chain_of: dict[int, str] = {}
    for row in rows:
        if row.span is not None:
            phrase = image.at(row.caption, *row.span, f"{row.where}: field 'words'")
        else:
            phrase = image.named(row.caption, row.phrase or "", f"{row.where}: field 'phrase'")
        for rank, (x0, y0, x1, y1) in enumerate(row.boxes):
            where = f"{row.where}: field 'boxes'[{rank}]"
            box = whole_box([x0, y0, x1 - x0, y1 - y0], image.width, image.height, where)
            ranked.append((rank, [phrase.number, *box, *row.scores[rank : rank + 1]]))
        if row.chain:
            if chain_of.setdefault(phrase.number, row.chain) != row.chain:
                chosen = chain_of[phrase.number]
                raise Defect(
                    f"{row.where}: field 'chain' is {row.chain!r}, but an earlier row has this phrase in {chosen!r}"
                )
            chains[row.chain].append(phrase.number)
    boxes = [row for _, row in sorted(ranked, key=lambda one: one[0])]
    return Resolved(image, boxes, [sorted(set(numbers)) for numbers in chains.values()])


def resolve_boxes(project: Project, boxes: Mapping[str | int, list[PredictedBox]]) -> Found:
    """Give each box of a detector to the phrases that its category fits. Raises Defect for a box that does not fit."""
    images = phrases_of(project, boxes)
    found = Found(unknown=sorted(map(str, set(boxes).difference(images))))
    for name, own in boxes.items():
        if name in images:
            resolved = Resolved(images[name])
            found.images.append(resolved)
            found.unused += _give(resolved, own)
    return found


def _give(resolved: Resolved, boxes: list[PredictedBox]) -> int:
    """Give the boxes, which come best first, to phrases, and return how many fit none."""
    image, unused = resolved.image, 0
    given: dict[int, int] = defaultdict(int)
    for one in boxes:
        box = whole_box(list(one.bbox), image.width, image.height, f"{one.where}: field 'bbox'")
        score = [] if one.percent is None else [one.percent]
        fitting = image.of_category(one.category)
        unused += not fitting
        for phrase in fitting:
            if given[phrase.number] < MOST_BOXES:
                given[phrase.number] += 1
                resolved.boxes.append([phrase.number, *box, *score])
    return unused
