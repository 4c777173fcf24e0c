"""XML as a tree of nodes with their line numbers; entities, document types and outside references are refused."""

from dataclasses import dataclass, field
from typing import Any
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import Locator

from defusedxml import DefusedXmlException
from defusedxml.sax import parseString

from exchange.problems import Defect


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
