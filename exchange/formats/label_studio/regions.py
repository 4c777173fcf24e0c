"""The results of one annotation of Label Studio: boxes, spans of texts, texts about boxes, and what relates them."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from annotation.rules.box import Box
from exchange.checks import as_list, as_number, as_pixels, as_text, member
from exchange.formats.shapes import POLYGONS, TURNED, box_around, turned
from exchange.formats.spans import SaidImage
from exchange.problems import Defect

UNUSED = "Relations between two boxes, passed over"
OTHERS = "Results of the kind {}, passed over"


@dataclass(slots=True)
class Span:
    """Characters of a text: [start, end), and what the text says there; None if the result does not tell."""

    to_name: str
    start: int
    end: int
    text: str | None
    labels: tuple[str, ...]
    where: str


@dataclass(slots=True)
class Regions:
    """The content of one annotation, by the ids of its regions, in the order of the file."""

    boxes: dict[str, Box] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)
    """Of each box."""
    spans: dict[str, Span] = field(default_factory=dict)
    about: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Texts about each box, with their places."""
    texts: list[tuple[str, str]] = field(default_factory=list)
    """Texts about the picture, with their places."""
    relations: list[tuple[str, str, str]] = field(default_factory=list)
    """Two ids and the place."""

    def one_thing(self) -> dict[str, list[str]]:
        """Return the spans of each group that relations make one thing."""
        above: dict[str, str] = {span: span for span in self.spans}

        def top(one: str) -> str:
            while above[one] != one:
                above[one] = above[above[one]]  # else a long row of relations is gone through for each of them
                one = above[one]
            return one

        for first, second, _ in self.relations:
            if first in above and second in above:
                above[top(second)] = top(first)
        groups: dict[str, list[str]] = defaultdict(list)
        for one in self.spans:
            groups[top(one)].append(one)
        return groups

    def boxes_by_span(self) -> dict[str, list[tuple[int, str]]]:
        """Return the boxes to which relations lead from each span, with the places of the relations."""
        found: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for place, (first, second, _) in enumerate(self.relations):
            for one, box in ((first, second), (second, first)):
                if one in self.spans and box in self.boxes:
                    found[one].append((place, box))
        return found


def size_said(result: list[Any], where: str) -> tuple[int, int] | None:
    """Return the width and height of the picture in pixels, as the results say. Raises Defect if they differ."""
    found: dict[tuple[int, int], str] = {}
    for place, one in enumerate(result):
        own = f"{where}[{place}]"
        if isinstance(one, dict) and one.get("original_width") is not None:
            width, height = (as_pixels(member(one, key, own), f"{own}.{key}") for key in SIDES)
            found.setdefault((width, height), own)
    for (size, first), (other, second) in pairwise(found.items()):
        raise Defect(
            f"{second}: the picture has {other[0]} x {other[1]} pixels here and {size[0]} x {size[1]} in {first}"
        )
    return next(iter(found), None)


SIDES = ("original_width", "original_height")


def read_regions(result: list[Any], image: SaidImage, where: str, counts: Counter[str]) -> Regions:
    """Return what the results say about the image. What cannot be used is left out, and named."""
    regions = Regions()
    others: list[tuple[Any, str]] = []
    for place, one in enumerate(result):
        own = f"{where}[{place}]"
        with image.details.left_out("the result"):
            kind = as_text(member(one, "type", own), f"{own}.type")
            if kind == "relation":
                first, second = (as_text(member(one, key, own), f"{own}.{key}") for key in ("from_id", "to_id"))
                regions.relations.append((first, second, own))
                continue
            value = member(one, "value", own)
            if not isinstance(value, dict):
                raise Defect(f"{own}.value is not an object")
            if kind == "textarea":
                others.append((one, own))
            elif not (_add_box(regions, one, kind, image, own, counts) or _add_span(regions, one, kind, own)):
                counts[OTHERS.format(kind)] += 1
    for one, own in others:
        with image.details.left_out("the text"):
            _add_text(regions, one, own)
    for first, second, own in regions.relations:
        with image.details.left_out("the relation"):
            for end in (first, second):
                if end not in regions.boxes and end not in regions.spans:
                    raise Defect(f"{own} names {end!r}, which is neither a box nor a span of the annotation")
            counts[UNUSED] += first in regions.boxes and second in regions.boxes
    return regions


def _add_box(
    regions: Regions, one: dict[str, Any], kind: str, image: SaidImage, where: str, counts: Counter[str]
) -> bool:
    """Add the box of a result, or the labels to a box that is there. Returns False for a result of another kind."""
    value = one["value"]
    points = value.get("points") if kind.startswith("polygon") else None
    if points is None and not {"x", "y", "width", "height"} <= value.keys():
        return False
    name = as_text(member(one, "id", where), f"{where}.id")
    labels = _labels(value, kind, where)
    if name not in regions.boxes:
        if one.get("image_rotation"):
            raise Defect(f"{where}.image_rotation is {one['image_rotation']}: turn the picture itself, and export anew")
        if points is None:
            regions.boxes[name] = _rectangle(value, image, f"{where}.value", counts)
        else:
            regions.boxes[name] = _polygon(points, image, f"{where}.value.points", counts)
    regions.labels.setdefault(name, []).extend(labels)
    return True


def _rectangle(value: dict[str, Any], image: SaidImage, where: str, counts: Counter[str]) -> Box:
    width, height = image.width, image.height
    x, y, w, h = (as_number(value[key], f"{where}.{key}") for key in ("x", "y", "width", "height"))
    pixels = [x * width / 100, y * height / 100, w * width / 100, h * height / 100]
    image.details.form.note(x + w, y + h)
    degrees = as_number(value.get("rotation") or 0, f"{where}.rotation")
    if degrees % 360:
        counts[TURNED] += 1
        return box_around(turned(pixels, degrees, (pixels[0], pixels[1])), width, height, where)
    return image.box(pixels, where)


def _polygon(points: object, image: SaidImage, where: str, counts: Counter[str]) -> Box:
    rows = [[as_number(edge, where) for edge in as_list(one, where)] for one in as_list(points, where)]
    if len(rows) < 3 or any(len(row) != 2 for row in rows):
        raise Defect(f"{where} is not a list of at least three pairs")
    counts[POLYGONS] += 1
    image.details.form.note(*(edge for row in rows for edge in row))
    width, height = image.width, image.height
    return box_around([(x * width / 100, y * height / 100) for x, y in rows], width, height, where)


def _add_span(regions: Regions, one: dict[str, Any], kind: str, where: str) -> bool:
    """Add the span of a text. Returns False for a result of another kind."""
    value = one["value"]
    if not {"start", "end"} <= value.keys():
        return False
    edges = value.get("globalOffsets", value)
    start, end = (as_number(member(edges, key, where), f"{where}.value.{key}") for key in ("start", "end"))
    name = as_text(member(one, "id", where), f"{where}.id")
    if name in regions.spans:
        raise Defect(f"{where}: the id {name!r} occurs twice")
    if not (start.is_integer() and end.is_integer()):
        raise Defect(f"{where}.value.start and end are not whole numbers of characters")
    text = value.get("text")
    regions.spans[name] = Span(
        as_text(one.get("to_name", ""), f"{where}.to_name"),
        int(start),
        int(end),
        None if text is None else as_text(text, f"{where}.value.text"),
        tuple(_labels(value, kind, where)),
        where,
    )
    return True


def _labels(value: dict[str, Any], kind: str, where: str) -> list[str]:
    rows = as_list(value.get(kind, []), f"{where}.value.{kind}") if kind.endswith("labels") else []
    return [as_text(row, f"{where}.value.{kind}") for row in rows]


def _add_text(regions: Regions, one: dict[str, Any], where: str) -> None:
    """Add a text about a box, which it names by its id or as its parent, or about the picture."""
    value = member(one["value"], "text", f"{where}.value")
    texts = [value] if isinstance(value, str) else as_list(value, f"{where}.value.text")
    said = [(as_text(text, f"{where}.value.text"), f"{where}.value.text") for text in texts]
    about = next((one[key] for key in ("id", "parentID") if one.get(key) in regions.boxes), None)
    if about is not None:
        regions.about.setdefault(about, []).extend(said)
    elif one.get("parentID") or "x" in one["value"]:
        raise Defect(f"{where} is about {one.get('parentID') or one.get('id')!r}, which is no box of the annotation")
    elif one.get("id") not in regions.spans:
        regions.texts.extend(said)
