"""The annotation files of Flickr30k Entities, in Pascal VOC style: image size, boxes, and chains without a box."""

import re
from dataclasses import dataclass

from annotation.rules.box import Box
from exchange.dataset import DatasetBox
from exchange.flickr30k.sentences import chain_name
from exchange.flickr30k.xml_tree import Node, parse_xml
from exchange.problems import Defect

_WHOLE = re.compile(r"-?[0-9]{1,9}(\.0+)?")


@dataclass(frozen=True, slots=True)
class Annotations:
    """The contents of an annotation file. Sizes in pixels; `lines` holds the line that names each chain first."""

    width: int
    height: int
    boxes: tuple[DatasetBox, ...]
    scene: frozenset[str]
    no_box: frozenset[str]
    lines: dict[str, int]


def parse_annotations(data: bytes) -> Annotations:
    """Read one file. Raises Defect with the line of the first error."""
    root = parse_xml(data)
    if root.tag != "annotation":
        raise Defect(f"<{root.tag}> where <annotation> belongs", root.line)
    size = root.one("size")
    width, height = (_positive(size.one(tag)) for tag in ("width", "height"))
    boxes = []
    flagged: dict[str, set[str]] = {"scene": set(), "nobndbox": set()}
    lines: dict[str, int] = {}
    for node in root.all("object"):
        chains = _chains(node)
        lines |= {chain: node.line for chain in chains if chain not in lines}
        flags = [flag for flag in flagged if _flag(node, flag)]
        for flag in flags:
            flagged[flag].update(chains)
        if node.all("bndbox"):
            boxes.append(DatasetBox(_box(node.one("bndbox"), width, height), chains))
        elif not flags:
            raise Defect("<object> has neither a <bndbox> nor a flag <scene> or <nobndbox> that is 1", node.line)
    return Annotations(width, height, tuple(boxes), frozenset(flagged["scene"]), frozenset(flagged["nobndbox"]), lines)


def _chains(node: Node) -> tuple[str, ...]:
    chains = []
    for name in node.all("name"):
        try:
            chains.append(chain_name(name.text.strip()))
        except Defect as defect:
            raise Defect(defect.message, name.line) from defect
    if not chains or "0" in chains or len(set(chains)) < len(chains):
        raise Defect("<object> needs a <name> per chain: at least one, none twice, none 0", node.line)
    return tuple(chains)


def _flag(node: Node, tag: str) -> bool:
    found = node.all(tag)
    if not found:
        return False
    value = node.one(tag).text.strip()
    if value not in ("0", "1"):
        raise Defect(f"<{tag}> is {value[:20]!r}: write 0 or 1", found[0].line)
    return value == "1"


def _box(node: Node, width: int, height: int) -> Box:
    x0, y0, x1, y1 = (_whole(node.one(tag)) for tag in ("xmin", "ymin", "xmax", "ymax"))
    box = Box(x0 - 1, y0 - 1, x1, y1)
    if box.x0 >= box.x1 or box.y0 >= box.y1:
        raise Defect(f"the box {x0} {y0} {x1} {y1} has no area", node.line)
    if not box.fits(width, height):
        raise Defect(f"the box {x0} {y0} {x1} {y1} is not inside the image of {width} x {height} pixels", node.line)
    return box


def _whole(node: Node) -> int:
    text = node.text.strip()
    if not _WHOLE.fullmatch(text):
        raise Defect(f"<{node.tag}> is {text[:40]!r}: boxes are whole pixels", node.line)
    return int(text.partition(".")[0])


def _positive(node: Node) -> int:
    value = _whole(node)
    if value < 1:
        raise Defect(f"<{node.tag}> is {value}: an image has at least one pixel", node.line)
    return value
