"""The writer for ODVG JSON Lines, which the Grounding DINO family trains on: a line for each caption.

`exchange.formats.grounding_rows` declares every field.
"""

from collections.abc import Iterable, Iterator

from annotation.rules.box import Box
from exchange.dataset import DatasetImage
from exchange.formats.grounding_rows import OdvgLine, OdvgRegion
from exchange.formats.json_lines import write_lines
from exchange.formats.parts import Part
from exchange.formats.phrases import GroundedImage, GroundedPhrase, chance_of, grounded


def write_odvg(images: Iterable[DatasetImage], part: Part) -> int:
    """Write the images, and return their number. The same images give the same bytes.

    Each box of each phrase is a region: readers take one box a region. Regions of a phrase have the same span, and
    equal phrases of a caption have different ones.
    """
    return write_lines(grounded(images, part.fates, first=part.start.grounded + 1), _lines, part)


def _lines(image: GroundedImage) -> Iterator[OdvgLine]:
    one = image.image
    for caption in image.captions:
        line: OdvgLine = {
            "filename": one.file_name,
            "height": one.height,
            "width": one.width,
            "grounding": {
                "caption": caption.text,
                "regions": [_region(phrase, box) for phrase in caption.phrases for box in phrase.boxes],
            },
        }
        if one.coco_id is not None:
            line["image_id"] = one.coco_id
        yield line


def _region(phrase: GroundedPhrase, box: Box) -> OdvgRegion:
    return {
        "bbox": list(box),
        "phrase": phrase.text,
        "tokens_positive": [[phrase.start, phrase.end]],
        "chain": phrase.chain,
        **chance_of(phrase),
    }
