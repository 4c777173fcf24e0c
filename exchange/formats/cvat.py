"""The reader for CVAT for images 1.1: an XML file with a row an image, read as a stream."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.bounds import MOST_BOXES
from annotation.rules.box import Box
from exchange.checks import Defect, as_text, source_error
from exchange.dataset import DatasetImage, Problem
from exchange.formats.format import Format, SourceFiles, count_matches
from exchange.formats.pictures import FolderPictures, SourcePictures
from exchange.formats.spans import SourceCaption, SourceImage, SourceImages, caption_text, unnamed, whole_phrase
from exchange.formats.text_streams import Element, xml_rows
from exchange.names import same_path

FILES = SourceFiles(".xml files of CVAT", "*.xml", lambda beginning: b"<annotations" in beginning, 1 << 16)
TO_ADD = "give a tag or a box an attribute “caption”"
OUTSIDE = "Boxes marked as outside the picture, passed over"
OTHERS = "Shapes of the kind {}, passed over"
_CAPTION = re.compile(r"(captions?|descriptions?|text|sentences?)[ _-]?[0-9]*", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,20})?(e-?[0-9]{1,2})?")
_OTHER_SHAPES = frozenset({"polyline", "points", "ellipse", "cuboid", "mask", "skeleton"})


def read_cvat(path: Path, pictures: SourcePictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, then remarks on what was read in another way than it was drawn.

    Captions are attributes of tags; a box with such an attribute is the box of a caption that is, as a whole, its
    phrase. Boxes of a group are one thing: each of its captions has all of them. Other boxes have a category, their
    label. Raises SourceError for a folder without such a file, or with several, for broken XML, and for tracks.
    """
    file = FILES.only_in(path)
    shown = file.name
    images = SourceImages(shown, pictures or FolderPictures(path), to_add=TO_ADD)
    try:
        with file.open("rb") as source:
            for row in xml_rows(source, "annotations", ("image", "track")):
                if row.tag == "track":
                    raise Defect("has tracks of a video: export the task as “CVAT for images 1.1”", row.line)
                try:
                    _add(images, row)
                except Defect as defect:
                    place = Defect(defect.message, defect.line or row.line)
                    images.bad.append(unnamed(place, shown, f"line {row.line}", row.values.get("name")))
                    yield images.bad[-1]
    except Defect as defect:
        raise source_error(shown, defect.message, defect.line) from defect
    yield from images.read()


@dataclass(slots=True)
class _Shape:
    """A box, its label, and the captions that are its phrases, with their lines."""

    box: Box
    label: str
    group: str
    captions: list[tuple[str, int]] = field(default_factory=list)


def _add(images: SourceImages, row: Element) -> None:
    """Add the image of a row. Raises Defect for one that names no image, or one that is there already."""
    where = "<image>"
    path = _path(row)
    if same_path(path) in images.by_path:
        raise Defect(f"{path} is also in line {images.by_path[same_path(path)].line}")
    sides = {key: _side(row.values[key]) for key in ("width", "height") if key in row.values}
    image, _ = images.of_row(sides, path, where, row.line)
    shapes: list[_Shape] = []
    for child in row.children:
        with image.details.left_out(f"the <{child.tag}>", child.line):
            if child.tag == "tag":
                for text, line in _captions(child):
                    lines = [splitline for splitline in text.splitlines() if splitline.strip()]
                    if not image.has_room(len(lines)):
                        return
                    image.captions += [_sentence(caption_lines, line) for caption_lines in lines]
            elif (shape := _shape(child, image)) is not None:
                shapes.append(shape)
    _add_shapes(image, shapes)


def _path(row: Element) -> str:
    """Return the path of the picture: with its subset, for pictures of several subsets may have one name."""
    path = as_text(row.value("name"), "<image> name").replace("\\", "/").lstrip("/")
    subset = as_text(row.values.get("subset", ""), "<image> subset").strip("/")
    return path if not subset or f"{path}/".startswith(f"{subset}/") else f"{subset}/{path}"


def _add_shapes(image: SourceImage, shapes: list[_Shape]) -> None:
    """Add the boxes: with captions of their own, or of others in their group, as its phrases; otherwise loose."""
    # Each caption of a group has all of its boxes.
    if len(shapes) > MOST_BOXES:
        told = f"{image.where} has {len(shapes):,} boxes: at most {MOST_BOXES:,} are allowed"
        image.bad.append(Defect(told, image.line))
        return
    groups: dict[str, list[_Shape]] = defaultdict(list)
    for number, shape in enumerate(shapes):
        groups[shape.group or f"alone {number}"].append(shape)
    for members in groups.values():
        texts = {text: line for member in reversed(members) for text, line in reversed(member.captions)}
        if not image.has_room(len(texts)):
            return
        for text, line in reversed(texts.items()):
            with image.details.left_out("the caption", line):
                image.captions.append(whole_phrase(text, "the caption", [member.box for member in members]))
        if not texts:
            image.loose += [(member.box, member.label) for member in members]


def _sentence(text: str, line: int) -> SourceCaption:
    try:
        return SourceCaption(caption_text(text.strip(), "the caption"), f"line {line}")
    except Defect as defect:
        raise Defect(defect.message, line) from defect


def _captions(element: Element) -> list[tuple[str, int]]:
    """Return the captions among the attributes of a tag or a shape, with their lines; empty ones are none."""
    found = []
    for child in element.children:
        if child.tag == "attribute" and _CAPTION.fullmatch(child.value("name").strip()):
            text = as_text(child.text, f"the attribute {child.value('name')}")
            if text.strip():
                found.append((text.strip(), child.line))
    return found


def _shape(element: Element, image: SourceImage) -> _Shape | None:
    """Return a box or a polygon as a box; None for a shape of another kind, and for one outside the picture."""
    if element.tag in _OTHER_SHAPES:
        image.counts[OTHERS.format(element.tag)] += 1
        return None
    if element.tag not in ("box", "polygon"):
        return None
    if element.values.get("outside") == "1":
        image.counts[OUTSIDE] += 1
        return None
    box = _box(element, image) if element.tag == "box" else _polygon(element, image)
    group = element.values.get("group_id", "")
    label = as_text(element.value("label"), f"<{element.tag}> label")
    captions = [(" ".join(text.split()), line) for text, line in _captions(element)]
    return _Shape(box, label, "" if group == "0" else group, captions)


def _box(element: Element, image: SourceImage) -> Box:
    x0, y0, x1, y1 = (_number(element.value(key), f"<box> {key}") for key in ("xtl", "ytl", "xbr", "ybr"))
    degrees = _number(element.values.get("rotation", "0"), "<box> rotation")
    around = (x0 + x1) / 2, (y0 + y1) / 2
    return image.turned_box([x0, y0, x1 - x0, y1 - y0], degrees, around, "<box>", element.line)


def _polygon(element: Element, image: SourceImage) -> Box:
    points = [pair.split(",") for pair in element.value("points").split(";") if pair.strip()]
    if len(points) < 3 or any(len(pair) != 2 for pair in points):
        raise Defect("<polygon> points are not three pairs or more, as in 1,2;3,4;5,6")
    pairs = [(_number(x, "<polygon> points"), _number(y, "<polygon> points")) for x, y in points]
    image.details.form.note(*(edge for pair in pairs for edge in pair))
    return image.polygon(pairs, "<polygon>")


def _number(text: str, where: str) -> float:
    if not _NUMBER.fullmatch(text.strip()):
        raise Defect(f"{where} is {text.strip()[:40]!r}, not a number")
    return float(text)


def _side(text: str) -> Any:
    """Return a side as a number, if it is one."""
    return json.loads(text) if re.fullmatch(r"(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?", text.strip()) else text[:40]


CVAT = Format(
    name="cvat",
    title="CVAT for images 1.1",
    marks="a .xml file with annotations",
    detects=lambda path: bool(FILES.all_in(path)),
    read=read_cvat,
    count=lambda path: count_matches(FILES.all_in(path), rb"<image\s"),
)
