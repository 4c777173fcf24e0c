"""The writer for conversations with boxes, as ms-swift takes them for training vision-language models.

The answer is the caption with every phrase and its boxes marked, in the order of the text, so that equal phrases are
told apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from annotated_types import Len
from typing_extensions import TypedDict

from exchange.dataset import DatasetImage
from exchange.declared import Numbers4
from exchange.formats.format import INTEGER, TEXT, Column, Format, Loss, RowNeed, Rows
from exchange.formats.parts import LAYOUT_OF_LINES, ExportPart, write_lines
from exchange.formats.phrases import ExportNote, GroundedCaption, GroundedImage, grounded
from exchange.formats.schema.kind import FileKind

ASKED = "<image>Describe the picture in one sentence, and mark every thing that you name with its boxes."
PHRASE, BOX = "<ref-object>", "<bbox>"
SIGNS = ("<image>", "<video>", "<audio>", "<cot-process>", "<start-image>", PHRASE, BOX)
"""Everything that ms-swift replaces in the text of a message."""


class ChatMessage(TypedDict):
    """A turn."""

    role: Literal["user", "assistant"]
    """The speaker."""
    content: str
    """Of the assistant: the caption with `<ref-object>` for each phrase and `<bbox>` for each of its boxes."""


class ChatObjects(TypedDict):
    """The phrases and boxes that the signs stand for, in their order."""

    ref: Sequence[str]
    """The words of each phrase."""
    bbox: Sequence[Numbers4]
    """[left, top, right, bottom] in pixels of the picture's file."""
    bbox_type: Literal["real"]
    """Boxes are absolute pixels."""


class ChatLine(TypedDict):
    """A conversation about a caption, as ms-swift takes it."""

    messages: Annotated[Sequence[ChatMessage], Len(2, 2)]
    images: Annotated[Sequence[str], Len(1, 1)]
    """The path of the picture."""
    objects: ChatObjects


def write_chat(images: Iterable[DatasetImage], part: ExportPart) -> int:
    """Write a conversation for each caption, and return the number of images. The same images give the same bytes.

    Boxes are absolute pixels of the picture's file. Captions that hold a sign of the format are left out.
    """

    def lines(image: GroundedImage) -> Iterator[ChatLine]:
        for caption in image.captions:
            if any(sign in caption.text for sign in SIGNS):
                part.notes[ExportNote.NOT_MARKED] += 1
                continue
            yield {
                "messages": [{"role": "user", "content": ASKED}, {"role": "assistant", "content": _marked(caption)}],
                "images": [f"{part.pictures}{image.image.file_name}"],
                "objects": {
                    "ref": [phrase.text for phrase in caption.phrases],
                    "bbox": [list(box) for phrase in caption.phrases for box in phrase.boxes],
                    "bbox_type": "real",
                },
            }

    return write_lines(grounded(images, part.notes), lines, part)


def _marked(caption: GroundedCaption) -> str:
    """Return the caption with a sign for each phrase, and one for each of its boxes behind it."""
    parts, at = [], 0
    for phrase in caption.phrases:
        parts += [caption.text[at : phrase.start], PHRASE, BOX * len(phrase.boxes)]
        at = phrase.end
    return "".join([*parts, caption.text[at:]])


CHAT = Format(
    name="chat",
    title="conversations with boxes, as ms-swift reads them",
    write=write_chat,
    layout=LAYOUT_OF_LINES,
    ending=".jsonl",
    needs=frozenset({RowNeed.CHANCES}),
    numbered=False,
    loses=frozenset(Loss) - {Loss.PATHS},
    record_sets=(
        Rows(
            "conversations",
            "A row for each caption.",
            (
                Column("role", "Who speaks.", TEXT, "messages", ("$.role",), many=True),
                Column("content", "What is said.", TEXT, "messages", ("$.content",), many=True),
                Column("image", "The file of the picture.", TEXT, "images", many=True),
                Column("phrase", "The marked phrases.", TEXT, "objects", ("$.ref",), many=True),
                Column("bbox", "Edges of each box, x0, y0, x1, y1.", INTEGER, "objects", ("$.bbox",), many=True),
            ),
            (".jsonl",),
        ),
    ),
    kinds=(FileKind("chat", "Conversations with boxes, as ms-swift reads them", ChatLine),),
)
