"""Predictions as JSON lines: one phrase a line, with its boxes, its chain, or both."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from exchange.checks import as_id, as_list, as_number, as_text, kind, parse_json
from exchange.problems import Defect

FIELDS = ("image", "caption", "phrase", "words", "boxes", "scores", "chain")
MOST_BOXES = 10
"""Boxes of one phrase. A worker judges one at a time, and a bad one ends the row."""


class PredictedPhrase(NamedTuple):
    """A line: the place of a phrase, and what a program predicts for it."""

    where: str
    """The place in the file, such as "line 3"."""
    image: str
    caption: int
    phrase: str | None
    """The words of the phrase, or None if `span` tells which it is."""
    span: tuple[int, int] | None
    """[first word, end) in the caption."""
    boxes: tuple[tuple[float, float, float, float], ...]
    """Edges x0, y0, x1, y1 in pixels, the best box first."""
    scores: tuple[int, ...]
    """The program's score of each box, in percent. Empty: it gives none."""
    chain: str
    """Phrases of an image with the same text here refer to the same. Empty: nothing is said about it."""


def read_jsonl(lines: Iterable[str]) -> Iterator[PredictedPhrase]:
    """Yield the lines that are not empty. Raises Defect, which names line and field, for the first wrong one."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            value = parse_json(line)
        except Defect as defect:
            raise Defect(f"{where} {defect.message}") from defect
        yield read_row(value, where)


def read_row(value: Any, where: str) -> PredictedPhrase:
    """Read one object. Raises Defect that names the place and the field."""
    if not isinstance(value, dict):
        raise Defect(f"{where} is {kind(value)}, not an object like {{'image': …, 'caption': 0, 'phrase': …}}")
    if unknown := sorted(set(value).difference(FIELDS)):
        raise Defect(f"{where} has the unknown field {unknown[0]!r}; fields are {', '.join(FIELDS)}")
    for name in ("image", "caption"):
        if name not in value:
            raise Defect(f"{where} has no field {name!r}")
    if ("phrase" in value) == ("words" in value):
        raise Defect(f"{where} needs one of the fields 'phrase' and 'words'")
    if not value.get("boxes") and "chain" not in value:
        raise Defect(f"{where} needs the field 'boxes' or the field 'chain': it predicts nothing")
    phrase = as_text(value["phrase"], f"{where}: field 'phrase'").strip() if "phrase" in value else None
    boxes = _boxes(value.get("boxes", []), f"{where}: field 'boxes'")
    return PredictedPhrase(
        where,
        as_text(value["image"], f"{where}: field 'image'"),
        whole(value["caption"], f"{where}: field 'caption'"),
        phrase,
        _span(value["words"], f"{where}: field 'words'") if "words" in value else None,
        boxes,
        _scores(value["scores"], len(boxes), f"{where}: field 'scores'") if "scores" in value else (),
        str(as_id(value["chain"], f"{where}: field 'chain'")) if "chain" in value else "",
    )


def whole(value: object, where: str) -> int:
    """Return a whole number of at least 0. Raises Defect for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Defect(f"{where} is {value!r}, not a whole number from 0")
    return value


def _span(value: object, where: str) -> tuple[int, int]:
    found = [whole(one, where) for one in as_list(value, where)]
    if len(found) != 2 or found[0] >= found[1]:
        raise Defect(f"{where} is {value!r}, not [first word, end]")
    return found[0], found[1]


def _boxes(value: object, where: str) -> tuple[tuple[float, float, float, float], ...]:
    rows = as_list(value, where)
    if len(rows) > MOST_BOXES:
        raise Defect(f"{where} has {len(rows)} boxes: at most {MOST_BOXES} are taken, the best first")
    found = []
    for place, row in enumerate(rows):
        edges = [as_number(one, f"{where}[{place}]") for one in as_list(row, f"{where}[{place}]")]
        if len(edges) != 4:
            raise Defect(f"{where}[{place}] has {len(edges)} numbers, not 4 (x0, y0, x1, y1)")
        found.append((edges[0], edges[1], edges[2], edges[3]))
    return tuple(found)


def _scores(value: object, boxes: int, where: str) -> tuple[int, ...]:
    found = [as_number(one, f"{where}[{place}]") for place, one in enumerate(as_list(value, where))]
    if len(found) != boxes:
        raise Defect(f"{where} has {len(found)} scores for {boxes} boxes: give one for each box, or leave it out")
    for place, score in enumerate(found):
        if not 0 <= score <= 1:
            raise Defect(f"{where}[{place}] is {score:g}, not a score from 0 to 1")
    return tuple(round(100 * score) for score in found)
