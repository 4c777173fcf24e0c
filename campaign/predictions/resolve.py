"""Predictions of phrases as rows for the table and the record: whole pixels, and the best boxes alone."""

from dataclasses import dataclass, field

from campaign.predictions.phrases import ProjectImage
from evaluation.reading.predictions.read_file import Found as FoundPhrases
from evaluation.reading.predictions.read_file import Placed
from exchange.coco.read import whole_box

MOST_BOXES = 10
"""Boxes of one phrase. A worker judges one at a time, and a bad one ends the row."""


@dataclass(slots=True)
class Resolved:
    """All that was predicted for one image."""

    image: ProjectImage
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
    beyond: int = 0
    """Boxes behind the best ones of their phrase, which are left out."""


def resolved(found: FoundPhrases[ProjectImage]) -> Found:
    """Return what was found as rows. Chunks that show nothing are left out.

    Raises Defect for a box that has no pixel of its image after rounding.
    """
    rows = Found(unknown=found.unknown, unused=found.unused)
    for placed in found.images:
        rows.images.append(Resolved(placed.image, _boxes(placed), _chains(placed)))
        rows.beyond += sum(max(0, len(boxes) - MOST_BOXES) for boxes in placed.boxes.values())
    return rows


def _boxes(placed: Placed[ProjectImage]) -> list[list[int]]:
    image = placed.image
    ranked = []
    for phrase, boxes in placed.boxes.items():
        for rank, one in enumerate(boxes[:MOST_BOXES]):
            if phrase.number is not None:
                x0, y0, x1, y1 = one.box
                where = f"image {image.name!r}, phrase {phrase.words!r}: box"
                box = whole_box([x0, y0, x1 - x0, y1 - y0], image.width, image.height, where)
                ranked.append((rank, [phrase.number, *box, *([] if one.percent is None else [one.percent])]))
    return [row for _, row in sorted(ranked, key=lambda one: one[0])]


def _chains(placed: Placed[ProjectImage]) -> list[list[int]]:
    found = (sorted({one.number for one in own if one.number is not None}) for own in placed.chains.values())
    return [numbers for numbers in found if numbers]
