"""The annotation files of Flickr30k Entities, in Pascal VOC style: image size, boxes, and chains without a box."""

import re
from dataclasses import dataclass, field
from typing import Any
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import Locator

from defusedxml import DefusedXmlException
from defusedxml.sax import parseString

from annotation.rules.box import Box
from exchange.dataset import DatasetBox
from exchange.details import Details
from exchange.formats.flickr30k.sentences import chain_name
from exchange.problems import Defect

_WHOLE = re.compile(r"-?[0-9]{1,9}(\.0+)?")


@dataclass(slots=True)
class Node:
    """An element: its tag, its first line, its own text, and its children."""

    tag: str
    line: int
    text: str = ""
    children: list["Node"] = field(default_factory=list)

    def all(self, tag: str) -> list["Node"]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> "Node":
        """Return the only child with this tag. Raises Defect if there is none or more than one."""
        found = self.all(tag)
        if len(found) != 1:
            raise Defect(f"<{self.tag}> has {len(found)} <{tag}> where one belongs", self.line)
        return found[0]


class _Builder(ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.top = Node("", 0)
        self._open = [self.top]
        self._pieces: list[list[str]] = [[]]
        self._locator: Locator | None = None

    def setDocumentLocator(self, locator: Locator) -> None:
        self._locator = locator

    def startElement(self, name: str, attrs: Any) -> None:
        assert self._locator is not None
        node = Node(name, self._locator.getLineNumber() or 0)
        self._open[-1].children.append(node)
        self._open.append(node)
        self._pieces.append([])

    def characters(self, content: str) -> None:
        # The parser gives each line by itself, so adding to the text each time would copy it for every line.
        self._pieces[-1].append(content)

    def endElement(self, name: str) -> None:
        self._open.pop().text = "".join(self._pieces.pop())


def parse_xml(data: bytes) -> Node:
    """Return the root element. Raises Defect with the line for XML that is broken or refused."""
    builder = _Builder()
    try:
        parseString(data, builder, forbid_dtd=True)
    except SAXParseException as error:
        raise Defect(f"broken XML: {error.getMessage()}", error.getLineNumber()) from error
    except DefusedXmlException as error:
        raise Defect("has a document type or entities, which are refused: remove the <!DOCTYPE ...>") from error
    except (SAXException, ValueError, LookupError) as error:
        raise Defect(f"broken XML: {error}") from error
    return builder.top.children[0]


@dataclass(frozen=True, slots=True)
class Annotations:
    """The contents of an annotation file. Sizes in pixels; `lines` holds the line that names each chain first."""

    width: int
    height: int
    boxes: tuple[DatasetBox, ...]
    scene: frozenset[str]
    no_box: frozenset[str]
    lines: dict[str, int]


def parse_annotations(data: bytes, details: Details, measured: tuple[int, int] | None = None) -> Annotations:
    """Read one file. Objects that cannot be used are left out. `measured`: the size of the picture, if there is one.

    Raises Defect with the line for broken XML, and for a file that does not tell the size of a picture that is missing.
    """
    root = parse_xml(data)
    if root.tag != "annotation":
        raise Defect(f"<{root.tag}> where <annotation> belongs", root.line)
    width, height = _size(root, details, measured)
    boxes = []
    flagged: dict[str, set[str]] = {"scene": set(), "nobndbox": set()}
    lines: dict[str, int] = {}
    for node in root.all("object"):
        with details.left_out("the object", node.line):
            chains = _chains(node)
            lines |= {chain: node.line for chain in chains if chain not in lines}
            flags = [flag for flag in flagged if _flag(node, flag)]
            for flag in flags:
                flagged[flag].update(chains)
            if node.all("bndbox"):
                boxes.append(DatasetBox(_box(node.one("bndbox"), width, height, details), chains))
            elif not flags:
                raise Defect("<object> has neither a <bndbox> nor a flag <scene> or <nobndbox> that is 1", node.line)
    return Annotations(width, height, tuple(boxes), frozenset(flagged["scene"]), frozenset(flagged["nobndbox"]), lines)


def _size(root: Node, details: Details, measured: tuple[int, int] | None) -> tuple[int, int]:
    if measured is not None and not root.all("size"):
        return measured
    try:
        size = root.one("size")
        width, height = (_positive(size.one(tag)) for tag in ("width", "height"))
    except Defect as defect:
        if measured is None:
            raise
        details.add(f"{defect.message}: the size is left out", defect.line)
        return measured
    return width, height


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


def _box(node: Node, width: int, height: int, details: Details) -> Box:
    x0, y0, x1, y1 = (_whole(node.one(tag)) for tag in ("xmin", "ymin", "xmax", "ymax"))
    sides = [x0 - 1, y0 - 1, x1 - x0 + 1, y1 - y0 + 1]
    return details.box(sides, width, height, f"the box {x0} {y0} {x1} {y1}", node.line, slack=0)


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
