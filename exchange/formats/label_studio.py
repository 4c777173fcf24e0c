"""The reader for Label Studio's exports: a JSON list of tasks with boxes, spans and relations, read as a stream."""

import re
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from annotation.bounds import MOST_BOXES, MOST_CAPTIONS, MOST_PHRASES
from annotation.rules.box import Box
from annotation.rules.mention_type import MentionType
from exchange.checks import Defect, as_list, as_number, as_pixels, as_text, member, source_error
from exchange.dataset import DatasetImage, Problem
from exchange.formats.format import Format, SourceFiles, count_matches
from exchange.formats.pictures import FolderPictures, PictureAddresses, SourcePictures, is_picture
from exchange.formats.spans import (
    SourceCaption,
    SourceImage,
    SourceImages,
    caption_text,
    spans_of,
    unnamed,
    whole_phrase,
)
from exchange.formats.text_streams import json_entries

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

        def top(span: str) -> str:
            while above[span] != span:
                above[span] = above[above[span]]  # else a long row of relations is gone through for each of them
                span = above[span]
            return span

        for first, second, _ in self.relations:
            if first in above and second in above:
                above[top(second)] = top(first)
        groups: dict[str, list[str]] = defaultdict(list)
        for span_id in self.spans:
            groups[top(span_id)].append(span_id)
        return groups

    def boxes_by_span(self) -> dict[str, list[tuple[int, str]]]:
        """Return the boxes to which relations lead from each span, with the places of the relations."""
        found: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for place, (first, second, _) in enumerate(self.relations):
            for span_id, box in ((first, second), (second, first)):
                if span_id in self.spans and box in self.boxes:
                    found[span_id].append((place, box))
        return found


def size_in_results(result: list[Any], where: str) -> tuple[int, int] | None:
    """Return the width and height of the picture in pixels, as the results say. Raises Defect if they differ."""
    found: dict[tuple[int, int], str] = {}
    for place, entry in enumerate(result):
        own = f"{where}[{place}]"
        if isinstance(entry, dict) and entry.get("original_width") is not None:
            width, height = (as_pixels(member(entry, key, own), f"{own}.{key}") for key in SIDES)
            found.setdefault((width, height), own)
    for (size, first), (other, second) in pairwise(found.items()):
        raise Defect(
            f"{second}: the picture has {other[0]} x {other[1]} pixels here and {size[0]} x {size[1]} in {first}"
        )
    return next(iter(found), None)


SIDES = ("original_width", "original_height")


def read_regions(result: list[Any], image: SourceImage, where: str) -> Regions:
    """Return what the results say about the image. What cannot be used is left out, and named."""
    regions = Regions()
    others: list[tuple[Any, str]] = []
    for place, entry in enumerate(result):
        own = f"{where}[{place}]"
        with image.details.left_out("the result"):
            kind = as_text(member(entry, "type", own), f"{own}.type")
            if kind == "relation":
                first, second = (as_text(member(entry, key, own), f"{own}.{key}") for key in ("from_id", "to_id"))
                regions.relations.append((first, second, own))
                continue
            value = member(entry, "value", own)
            if not isinstance(value, dict):
                raise Defect(f"{own}.value is not an object")
            if kind == "textarea":
                others.append((entry, own))
            elif not (_add_box(regions, entry, kind, image, own) or _add_span(regions, entry, kind, own)):
                image.counts[OTHERS.format(kind)] += 1
    for entry, entry_where in others:
        with image.details.left_out("the text"):
            _add_text(regions, entry, entry_where)
    for first, second, entry_where in regions.relations:
        with image.details.left_out("the relation"):
            for end in (first, second):
                if end not in regions.boxes and end not in regions.spans:
                    raise Defect(f"{entry_where} names {end!r}, which is neither a box nor a span of the annotation")
            image.counts[UNUSED] += first in regions.boxes and second in regions.boxes
    return regions


def _add_box(regions: Regions, result: dict[str, Any], kind: str, image: SourceImage, where: str) -> bool:
    """Add the box of a result, or the labels to a box that is there. Returns False for a result of another kind."""
    value = result["value"]
    points = value.get("points") if kind.startswith("polygon") else None
    if points is None and not {"x", "y", "width", "height"} <= value.keys():
        return False
    name = as_text(member(result, "id", where), f"{where}.id")
    labels = _labels(value, kind, where)
    if name not in regions.boxes:
        if result.get("image_rotation"):
            raise Defect(
                f"{where}.image_rotation is {result['image_rotation']}: turn the picture itself, and export anew"
            )
        if points is None:
            regions.boxes[name] = _rectangle(value, image, f"{where}.value")
        else:
            regions.boxes[name] = _polygon(points, image, f"{where}.value.points")
    regions.labels.setdefault(name, []).extend(labels)
    return True


def _rectangle(value: dict[str, Any], image: SourceImage, where: str) -> Box:
    width, height = image.width, image.height
    x, y, w, h = (as_number(value[key], f"{where}.{key}") for key in ("x", "y", "width", "height"))
    pixels = [x * width / 100, y * height / 100, w * width / 100, h * height / 100]
    image.details.form.note(x + w, y + h)
    degrees = as_number(value.get("rotation") or 0, f"{where}.rotation")
    return image.turned_box(pixels, degrees, (pixels[0], pixels[1]), where, None)


def _polygon(points: object, image: SourceImage, where: str) -> Box:
    rows = [[as_number(edge, where) for edge in as_list(point, where)] for point in as_list(points, where)]
    if len(rows) < 3 or any(len(row) != 2 for row in rows):
        raise Defect(f"{where} is not a list of at least three pairs")
    image.details.form.note(*(edge for row in rows for edge in row))
    width, height = image.width, image.height
    return image.polygon([(x * width / 100, y * height / 100) for x, y in rows], where)


def _add_span(regions: Regions, result: dict[str, Any], kind: str, where: str) -> bool:
    """Add the span of a text. Returns False for a result of another kind."""
    value = result["value"]
    if not {"start", "end"} <= value.keys():
        return False
    edges = value.get("globalOffsets", value)
    start, end = (as_number(member(edges, key, where), f"{where}.value.{key}") for key in ("start", "end"))
    name = as_text(member(result, "id", where), f"{where}.id")
    if name in regions.spans:
        raise Defect(f"{where}: the id {name!r} occurs twice")
    if not (start.is_integer() and end.is_integer()):
        raise Defect(f"{where}.value.start and end are not whole numbers of characters")
    text = value.get("text")
    regions.spans[name] = Span(
        as_text(result.get("to_name", ""), f"{where}.to_name"),
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


def _add_text(regions: Regions, result: dict[str, Any], where: str) -> None:
    """Add a text about a box, which it names by its id or as its parent, or about the picture."""
    value = member(result["value"], "text", f"{where}.value")
    texts = [value] if isinstance(value, str) else as_list(value, f"{where}.value.text")
    said = [(as_text(text, f"{where}.value.text"), f"{where}.value.text") for text in texts]
    about = next((result[key] for key in ("id", "parentID") if result.get(key) in regions.boxes), None)
    if about is not None:
        regions.about.setdefault(about, []).extend(said)
    elif result.get("parentID") or "x" in result["value"]:
        raise Defect(
            f"{where} is about {result.get('parentID') or result.get('id')!r}, which is no box of the annotation"
        )
    elif result.get("id") not in regions.spans:
        regions.texts.extend(said)


SIGN = re.compile(rb'"(data|annotator)"\s*:')
FILES = SourceFiles(
    ".json files of Label Studio",
    "*.json",
    lambda beginning: beginning.removeprefix(BOM_UTF8).lstrip().startswith(b"[") and SIGN.search(beginning),
)
CAPTIONS = ("captions", "caption", "text")
SEVERAL = "Tasks with several annotations, of which the ground truth is read, or else the newest"
PREDICTIONS = "Predictions of tasks, passed over"
UNNAMED = "Boxes without a label, a text or a relation, passed over"
_TYPES = frozenset(map(str, MentionType))


def read_label_studio(path: Path, pictures: SourcePictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, then remarks on what was read in another way than it was drawn.

    A relation between a span of a caption and a box gives the span's chain the box; spans that relations join are one
    chain, and so are spans with the very same boxes. A text about a box is a caption that is the phrase of the box. A
    box without either has its label as category. Raises SourceError for a folder without such a file, or with several,
    and for a file that is not Label Studio's.
    """
    file = FILES.only_in(path)
    shown = file.name
    reader = _Reader(shown, pictures or FolderPictures(path))
    try:
        for place, task in enumerate(json_entries(file)):
            try:
                reader.add(task, f"tasks[{place}]")
            except Defect as defect:
                problem = unnamed(defect, shown, f"tasks[{place}]", _name_of(task))
                if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
                    reader.images.bad.append(problem)
                yield problem
    except Defect as defect:
        raise source_error(shown, defect.message, defect.line) from defect
    yield from reader.images.read()


def _name_of(task: Any) -> object:
    data = task.get("data") if isinstance(task, dict) else None
    return data.get("image") if isinstance(data, dict) else None


class _Reader:
    """The images of the tasks that were read so far, and counts of what is told at the end."""

    def __init__(self, shown: str, pictures: SourcePictures) -> None:
        to_add = f"data has none of {', '.join(CAPTIONS)}, and no text was written about the picture"
        self.images = SourceImages(shown, pictures, to_add=to_add)
        self.counts = self.images.counts
        self._addresses = PictureAddresses(pictures)

    def add(self, task: Any, where: str) -> None:
        """Add a task to its image. Raises Defect for one that names no image, or no size of it."""
        if not isinstance(task, dict) or "data" not in task:
            hint = ": export as JSON, not as JSON_MIN" if isinstance(task, dict) and "annotator" in task else ""
            raise Defect(f"{where} has no 'data'{hint}")
        key, address = _picture(task["data"], f"{where}.data")
        path = self._addresses.path(address, f"{where}.data.{key}")
        annotation, place = self._chosen(task, where)
        own = f"{where}.{place}.result"
        result, wrong = [], list[Defect]()
        try:
            result = as_list(member(annotation, "result", f"{where}.{place}"), own) if place else []
            width, height = size_in_results(result, own) or (None, None)
        except Defect as defect:
            wrong, (width, height) = [defect], (None, None)
        if width and height and (actual := self._same_shape(path, width, height)):
            width, height = actual  # boxes are in percent: they fit a picture of any size
        try:
            image, _ = self.images.of_row({"width": width, "height": height}, path, where)
        except Defect as defect:
            raise next(iter(wrong), defect) from defect
        for wrong_size in wrong:
            image.details.add(f"{wrong_size.message}: it is left out")
        self._add_captions(image, task["data"], key, read_regions(result, image, own), where)

    def _same_shape(self, path: str, width: int, height: int) -> tuple[int, int] | None:
        """Return the size of the picture if it has this shape in another size; None otherwise, or without it."""
        try:
            actual = self.images.size_of_picture(path)
        except Defect:
            return None
        return actual if abs(actual[0] * height - actual[1] * width) <= max(*actual, width, height) else None

    def _chosen(self, task: dict[str, Any], where: str) -> tuple[dict[str, Any], str]:
        """Return the annotation that counts, and its place in the task; nothing if the task has none."""
        key = "completions" if "completions" in task and "annotations" not in task else "annotations"
        rows = as_list(task.get(key) or [], f"{where}.{key}")
        self.counts[PREDICTIONS] += len(as_list(task.get("predictions") or [], f"{where}.predictions"))
        for place, row in enumerate(rows):
            if not isinstance(row, dict):
                raise Defect(f"{where}.{key}[{place}] is not an object")
        kept = [(place, row) for place, row in enumerate(rows) if not row.get("was_cancelled")]
        if not kept:
            return {}, ""
        self.counts[SEVERAL] += len(kept) > 1
        place, best = max(kept, key=lambda one: (bool(one[1].get("ground_truth")), _date(one[1]), one[0]))
        return best, f"{key}[{place}]"

    def _add_captions(self, image: SourceImage, data: Any, key: str, regions: Regions, where: str) -> None:
        named = {span.to_name for span in regions.spans.values()}
        captions = _captions(data, named - {key}, image, f"{where}.data")
        for number, (text, place) in enumerate(regions.texts):
            with image.details.left_out("the text"):
                captions.append((f"text {number}", SourceCaption(caption_text(text, place), place)))
        for count, most, what in (
            (len(image.captions) + len(captions), MOST_CAPTIONS, "captions"),
            (len(regions.spans), MOST_PHRASES, "phrases"),
            (len(regions.boxes), MOST_BOXES, "boxes"),
        ):
            if count > most:
                image.bad.append(Defect(f"{where} has {count:,} {what}: at most {most:,} are allowed"))
                return
        used = self._add_spans(image, regions, captions)
        for name, box in regions.boxes.items():
            about: list[SourceCaption] = []
            for text, place in regions.about.get(name, ()):
                with image.details.left_out("the text"):
                    about.append(whole_phrase(text, place, [box]))
            captions += [("", caption) for caption in about]
            if not about and name not in used:
                labels = list(dict.fromkeys(regions.labels[name]))
                image.loose += [(box, label) for label in labels]
                self.counts[UNNAMED] += not labels
        image.captions += [caption for _, caption in captions]

    def _add_spans(self, image: SourceImage, regions: Regions, captions: list[tuple[str, SourceCaption]]) -> set[str]:
        """Add the phrases to their captions. Returns the boxes that belong to one."""
        used: set[str] = set()
        related = regions.boxes_by_span()
        for name, spans in regions.one_thing().items():
            boxes = list(dict.fromkeys(box for _, box in sorted(pair for span in spans for pair in related[span])))
            used.update(boxes)
            for span_id in spans:
                said = regions.spans[span_id]
                with image.details.left_out("the span"):
                    caption, span = _place(said, captions)
                    if span in caption.boxes:
                        raise Defect(f"{said.where}: the caption has this phrase already")
                    caption.boxes[span] = [regions.boxes[box] for box in boxes]
                    caption.types[span] = tuple(label for label in said.labels if label in _TYPES)
                    if not boxes and regions.relations:
                        caption.chains[span] = f"{name} of {said.where.partition('.')[0]}"
        return used


def _date(annotation: dict[str, Any]) -> str:
    """Return when the annotation was last changed, as the export writes it: texts that sort by time."""
    return str(annotation.get("updated_at") or annotation.get("created_at") or "")


def _picture(data: Any, where: str) -> tuple[str, str]:
    """Return the field with the address of the picture, and the address."""
    if not isinstance(data, dict):
        raise Defect(f"{where} is not an object")
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    named = [
        key
        for key, value in texts.items()
        if " " not in value and any(map(is_picture, (value, value.partition("?")[0])))
    ]
    key = "image" if "image" in data else next(iter(named), "image")
    return key, as_text(member(data, key, where), f"{where}.{key}")


def _captions(data: dict[str, Any], named: set[str], image: SourceImage, where: str) -> list[tuple[str, SourceCaption]]:
    """Return the captions of the task, by the names that spans may have for them."""
    found = []
    for key in [*CAPTIONS, *sorted(named - {*CAPTIONS})]:
        value = data.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        with image.details.left_out("the caption"):
            if isinstance(value, str):
                found.append((key, SourceCaption(caption_text(value, f"{where}.{key}"), f"{where}.{key}")))
                continue
            for number, entry in enumerate(as_list(value, f"{where}.{key}")):
                own = f"{where}.{key}[{number}]"
                text = entry.get("text", entry.get("caption")) if isinstance(entry, dict) else entry
                with image.details.left_out("the caption"):
                    found.append((f"{key}_{number}", SourceCaption(caption_text(text, own), own)))
    return found


def _place(result_span: Span, captions: list[tuple[str, SourceCaption]]) -> tuple[SourceCaption, tuple[int, int]]:
    """Return the caption of the span, and its characters there. Raises Defect if no caption, or several, can be meant.

    The text of the span tells whether it counts characters as Python does or in units of UTF-16, as browsers do.
    """
    named = [caption for name, caption in captions if result_span.to_name in (name, f"{name}[]")] or [
        caption for _, caption in captions
    ]
    fitting: list[tuple[SourceCaption, tuple[int, int]]] = []
    for caption in named:
        for start, end in dict.fromkeys(
            ((result_span.start, result_span.end), _from_units(caption.text, result_span.start, result_span.end))
        ):
            if result_span.text is None or " ".join(caption.text[start:end].split()) == " ".join(
                result_span.text.split()
            ):
                fitting.append((caption, (start, end)))
                break
    if len(fitting) != 1:
        text = "" if result_span.text is None else f" {result_span.text[:60]!r}"
        count = "no caption" if not fitting else f"{len(fitting)} captions"
        raise Defect(
            f"{result_span.where}:{text} [{result_span.start}, {result_span.end}) is in {count} that "
            f"“{result_span.to_name}” can mean"
        )
    caption, (start, end) = fitting[0]
    return caption, spans_of([[start, end]], caption.text, result_span.where)[0]


def _from_units(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span of units of UTF-16 in characters."""
    units = text.encode("utf-16-le", "surrogatepass")
    first, second = (len(units[: 2 * edge].decode("utf-16-le", "replace")) for edge in (max(start, 0), max(end, 0)))
    return first, second


LABEL_STUDIO = Format(
    name="label-studio",
    title="the JSON export of Label Studio",
    marks="a .json list of tasks",
    detects=lambda path: bool(FILES.all_in(path)),
    read=read_label_studio,
    count=lambda path: count_matches(FILES.all_in(path), rb'"data"\s*:\s*\{'),
)
