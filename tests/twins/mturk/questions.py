"""The two XML documents: the question that comes in, and the answer that goes out."""

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit
from xml.etree import ElementTree

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from tests.twins.mturk.errors import TurkError, invalid

SCHEMAS = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
QUESTION = f"{{{SCHEMAS}2006-07-14/ExternalQuestion.xsd}}"
ANSWER = f"{SCHEMAS}2005-10-01/QuestionFormAnswers.xsd"
PARTS = ("ExternalQuestion", "ExternalURL", "FrameHeight")
MAX_BYTES = 65_535


@dataclass(frozen=True)
class ExternalQuestion:
    """A page of the requester's, in a frame `height` pixels high; 0 fits the window."""

    url: str
    height: int

    def framed(self, **parameters: str) -> str:
        """The frame's address: the page's own, with these parameters after its own."""
        return f"{self.url}{'&' if '?' in self.url else '?'}{urlencode(parameters)}"


def parse(text: str) -> ExternalQuestion:
    """Reads an ExternalQuestion document. Raises TurkError."""
    if len(text.encode()) > MAX_BYTES:
        raise invalid(f"Question is longer than {MAX_BYTES} bytes.")
    try:
        root = fromstring(text)
    except (ElementTree.ParseError, DefusedXmlException) as error:
        raise TurkError("XMLParseError", f"There was an error parsing the XML question: {error}") from error
    if [root.tag, *(part.tag for part in root)] != [QUESTION + name for name in PARTS]:
        raise TurkError("XMLParseError", f"Expected an ExternalQuestion of {', '.join(PARTS[1:])} in that order.")
    url, height = ((part.text or "").strip() for part in root)
    if not secure(url) or not height.isdecimal():
        raise invalid("ExternalURL must be an https address, FrameHeight a number of pixels.")
    return ExternalQuestion(url, int(height))


def secure(url: str) -> bool:
    """Whether the service would frame it. The twin's one concession: http on "localhost", to it another site."""
    address = urlsplit(url)
    host = address.hostname or ""
    local = host == "localhost" or host.endswith(".localhost")
    return bool(host) and (address.scheme == "https" or (local and address.scheme == "http"))


def answer_xml(fields: list[tuple[str, str]]) -> str:
    """The form's fields as the service stores them: each a free-text answer."""
    root = ElementTree.Element("QuestionFormAnswers", xmlns=ANSWER)
    for name, value in fields:
        answer = ElementTree.SubElement(root, "Answer")
        ElementTree.SubElement(answer, "QuestionIdentifier").text = name
        ElementTree.SubElement(answer, "FreeText").text = value
    return '<?xml version="1.0" encoding="ASCII"?>' + ElementTree.tostring(root, encoding="us-ascii").decode()
