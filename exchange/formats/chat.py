"""The writer for conversations with boxes, as ms-swift takes them for training vision-language models.

The answer is the caption with every phrase and its boxes marked, in the order of the text, so that equal phrases are
told apart. `exchange.formats.grounding_rows` declares every field.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from exchange.formats.grounding_rows import ChatLine
from exchange.formats.json_lines import write_lines
from exchange.formats.phrases import Fate, Fates, GroundedCaption, GroundedImage

ASKED = "<image>Describe the picture in one sentence, and mark every thing that you name with its boxes."
PHRASE, BOX = "<ref-object>", "<bbox>"
SIGNS = ("<image>", "<video>", "<audio>", "<cot-process>", "<start-image>", PHRASE, BOX)
"""Everything that ms-swift replaces in the text of a message."""


def write_chat(images: Iterable[GroundedImage], target: Path, fates: Fates, folder: str = "") -> int:
    """Write a conversation for each caption, and return the number of images. The same images give the same bytes.

    Boxes are absolute pixels of the picture's file. Captions that hold a sign of the format are left out. `folder`:
    of the pictures, with / at its end, as seen from the file. Raises TargetExists.
    """

    def lines(image: GroundedImage) -> Iterator[ChatLine]:
        for caption in image.captions:
            if any(sign in caption.text for sign in SIGNS):
                fates.counts[Fate.NOT_MARKED] += 1
                continue
            yield {
                "messages": [{"role": "user", "content": ASKED}, {"role": "assistant", "content": _marked(caption)}],
                "images": [f"{folder}{image.image.file_name}"],
                "objects": {
                    "ref": [phrase.text for phrase in caption.phrases],
                    "bbox": [list(box) for phrase in caption.phrases for box in phrase.boxes],
                    "bbox_type": "real",
                },
            }

    return write_lines(images, lines, target)


def _marked(caption: GroundedCaption) -> str:
    """Return the caption with a sign for each phrase, and one for each of its boxes behind it."""
    parts, at = [], 0
    for phrase in caption.phrases:
        parts += [caption.text[at : phrase.start], PHRASE, BOX * len(phrase.boxes)]
        at = phrase.end
    return "".join([*parts, caption.text[at:]])
