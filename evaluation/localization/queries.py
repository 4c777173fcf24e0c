"""Queries [paper 4.1.2]: every mention with a box is a query; its gold box is the union of its chain's boxes."""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.reading.picture import TYPES, Box, Phrase, Picture

PIXELS, PRINTED = "pixels", "printed"
EDGES = (PIXELS, PRINTED)
"""The edges of gold boxes: around all their pixels, or the numbers that annotation files print."""


@dataclass(frozen=True, slots=True)
class Query:
    """A phrase whose box is to be found. Mentions that are not visual, or without a box, are none."""

    image: str
    size: tuple[int, int]
    """Width and height of the image in pixels."""
    phrase: Phrase
    gold: Box
    boxes: tuple[Box, ...] = ()
    """The chain's boxes; `gold` is the smallest box around them. Empty: it has that one alone."""

    @property
    def key(self) -> tuple[str, int, int]:
        """Return image, caption and phrase, as a line of predictions names them."""
        return self.image, self.phrase.caption, self.phrase.number

    @property
    def types(self) -> tuple[str, ...]:
        """Return the types of the phrase, in the order of the file."""
        return self.phrase.types


def queries_of(pictures: Iterable[Picture]) -> list[Query]:
    """Return the queries in the order of images, captions and phrases."""
    return [
        Query(
            picture.name,
            (picture.width, picture.height),
            phrase,
            picture.gold[phrase.chain],
            tuple(picture.boxes[phrase.chain]),
        )
        for picture in pictures
        for caption in picture.captions
        for phrase in caption.phrases
        if phrase.chain in picture.gold
    ]


def as_printed(picture: Picture) -> Picture:
    """Return the picture with the edges of its boxes as annotation files print them: xmin, ymin, xmax, ymax."""
    boxes = {chain: [(x0 + 1, y0 + 1, x1, y1) for x0, y0, x1, y1 in box] for chain, box in picture.boxes.items()}
    return Picture(picture.name, picture.width, picture.height, picture.captions, boxes)


def query_counts(queries: Iterable[Query]) -> dict[str, float]:
    """Return the number of queries, and of each type. A query of two types counts in both [paper 4.1.3, Table 6]."""
    counts: dict[str, float] = dict.fromkeys(TYPES, 0)
    total = 0
    for query in queries:
        total += 1
        for kind in set(query.types) & counts.keys():
            counts[kind] += 1
    return {"queries": total} | {f"queries.{kind}": count for kind, count in counts.items()}
