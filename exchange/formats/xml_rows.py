"""The rows of an XML file, one by one: elements below the root, each with all that is in it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import Locator

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from annotation.bounds import TEXT_BYTES
from exchange.problems import Defect

_PIECE = 1 << 16
_MOST_INSIDE = 20_000
"""Elements of one row: 1,000 boxes with a dozen attributes each fit."""


@dataclass(slots=True)
class Element:
    """An element: its first line, attributes, own text, and what is in it."""

    tag: str
    line: int
    values: dict[str, str]
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def all(self, tag: str) -> list["Element"]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def only(self, tag: str) -> "Element":
        """Return the only child with this tag. Raises Defect with the line if there is none or more than one."""
        found = self.all(tag)
        if len(found) != 1:
            raise Defect(f"<{self.tag}> has {len(found)} <{tag}> where one belongs", self.line)
        return found[0]

    def value(self, key: str) -> str:
        """Return an attribute. Raises Defect with the line if there is none."""
        if key not in self.values:
            raise Defect(f"<{self.tag}> has no {key}", self.line)
        return self.values[key]


class _Rows(ContentHandler):
    """Keeps elements with the wanted tags below the root, until they are taken; all others are passed over."""

    def __init__(self, root: str, tags: Collection[str], place: Locator) -> None:
        super().__init__()
        self.done: list[Element] = []
        self._root, self._tags, self._place = root, tags, place
        self._depth, self._inside, self._characters = 0, 0, 0
        self._open: list[Element] = []
        self._pieces: list[list[str]] = []

    def startElement(self, name: str, attrs: Any) -> None:
        line = self._place.getLineNumber() or 0
        if not self._depth and name != self._root:
            raise Defect(f"<{name}> where <{self._root}> belongs", line)
        self._depth += 1
        if not self._open and (self._depth != 2 or name not in self._tags):
            return
        element = Element(name, line, dict(attrs.items()))
        if self._open:
            self._open[-1].children.append(element)
            self._inside += 1
            if self._inside > _MOST_INSIDE:
                raise Defect(f"<{self._open[0].tag}> has more than {_MOST_INSIDE:,} elements", self._open[0].line)
        else:
            self._inside = self._characters = 0
        self._open.append(element)
        self._pieces.append([])

    def characters(self, content: str) -> None:
        if self._open:
            self._characters += len(content)
            if self._characters > TEXT_BYTES:
                raise Defect(f"<{self._open[0].tag}> has more than {TEXT_BYTES:,} characters", self._open[0].line)
            self._pieces[-1].append(content)

    def endElement(self, name: str) -> None:
        self._depth -= 1
        if self._open:
            element = self._open.pop()
            element.text = "".join(self._pieces.pop())
            if not self._open:
                self.done.append(element)


def xml_rows(source: BinaryIO, root: str, tags: Collection[str]) -> Iterator[Element]:
    """Yield the elements with these tags below the root, in the order of the file.

    Raises Defect with the line for broken XML, another root, a document type, and a row that is far too large.
    """
    parser = DefusedExpatParser(forbid_dtd=True)
    rows = _Rows(root, tags, parser)
    parser.setContentHandler(rows)
    try:
        parser.feed(b"")  # an empty file is broken, too
        while piece := source.read(_PIECE):
            parser.feed(piece)
            yield from rows.done
            rows.done.clear()
        parser.close()
    except SAXParseException as error:
        raise Defect(f"broken XML: {error.getMessage()}", error.getLineNumber()) from error
    except DefusedXmlException as error:
        raise Defect("has a document type or entities, which are refused: remove the <!DOCTYPE ...>") from error
    except (SAXException, ValueError, LookupError) as error:
        raise Defect(f"broken XML: {error}") from error
    yield from rows.done
