"""The images whose exports are read: real ones with drawn pictures, and made ones that hold every hard case."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from PIL import Image

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetCaption, DatasetChain, DatasetImage, DatasetMention
from exchange.formats.coco import COCO
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.format import write_files
from exchange.split_captions import character_span, joined_caption
from studies.interop.found import Edges, Found, Phrase

COLORS = 251


def made_images() -> list[DatasetImage]:
    """Return images with all that a format may get wrong.

    Several boxes a chain, chains without a box, a box of two chains, two equal phrases in a caption, phrases of two
    types, captions without phrases, two equal captions, letters beyond ASCII, boxes of no phrase, folders in paths, and
    ids of COCO that do not begin at 1.
    """
    pair = _image(
        "cam 1/pair.jpg", 397133, ("a man near a man and two dogs at night", "It rains .", "two dogs", "two dogs"),
        (
            (0, 0, 2, ("people",), "1"), (0, 3, 5, ("people", "other"), "2"), (0, 6, 8, ("animals",), "3"),
            (0, 9, 10, ("scene",), "4"), (2, 0, 2, ("animals",), "3"), (3, 0, 2, ("animals",), "3"),
        ),
    )  # fmt: skip
    pair = replace(
        pair,
        chains=tuple(DatasetChain(name, scene=name == "4") for name in "1234"),
        boxes=(
            DatasetBox(Box(0, 0, 10, 20), ("1",)),
            DatasetBox(Box(50, 0, 60, 20), ("2",)),
            DatasetBox(Box(20, 40, 30, 60), ("3",)),
            DatasetBox(Box(60, 40, 80, 60), ("3",)),
            DatasetBox(Box(5, 5, 99, 79), ("1", "2")),
            DatasetBox(Box(1, 1, 2, 2), category="traffic light"),
        ),
    )
    odd = _image(
        "B.PNG", 9, ("zwei Männer – 日本 🎈 und 🎈 die Männer", "night ."),
        ((0, 0, 2, ("people",), "1"), (0, 6, 8, ("people",), "1"), (1, 0, 1, ("scene",), "2")),
    )  # fmt: skip
    odd = replace(
        odd,
        chains=(DatasetChain("1"), DatasetChain("2", no_box=True)),
        boxes=(DatasetBox(Box(0, 0, 100, 80), ("1",)), DatasetBox(Box(99, 79, 100, 80), ("1",))),
    )
    none = _image("cam 1/none.jpg", 12, ("nothing to see",), ())
    return [pair, odd, none]


def _image(
    path: str, number: int, captions: Sequence[str], rows: Iterable[tuple[int, int, int, tuple[str, ...], str]]
) -> DatasetImage:
    name = path.rpartition(".")[0].replace("/", "_")
    texts = tuple(joined_caption(tuple(text.split())) for text in captions)
    mentions = tuple(DatasetMention(*row) for row in rows)
    return DatasetImage(name, 100, 80, texts, mentions, picture=path, path=path, coco_id=number)


def write_source(images: Sequence[DatasetImage], folder: Path) -> dict[str, str]:
    """Write the images into a new folder, with a drawn picture each. Returns the SHA-256 of each picture.

    Those with paths are written as COCO; those without come from Entities, which alone keeps their words.
    """
    write_files(COCO if any(image.path for image in images) else FLICKR30K, images, folder)
    digests = {}
    for number, image in enumerate(images):
        target = folder / "images" / image.file_name
        target.parent.mkdir(parents=True, exist_ok=True)
        color = number % COLORS, 90, number // COLORS
        Image.new("RGB", (image.width, image.height), color).save(target, quality=20)
        digests[image.file_name] = sha256(target.read_bytes()).hexdigest()
    return digests


def truth_of(images: Sequence[DatasetImage], pictures: dict[str, str]) -> Found:
    """Return what every reader has to find in an export that can hold it."""
    found = Found(pictures=pictures)
    for image in images:
        name = image.file_name
        found.sizes[name] = image.width, image.height
        found.ids[name] = int(image.name) if image.coco_id is None else image.coco_id
        found.captions += [(name, caption.text) for caption in image.captions]
        found.phrases += [_phrase(image, mention, image.captions[mention.caption]) for mention in image.mentions]
        found.loose += [(name, box.category, _edges(box)) for box in image.boxes if not box.chains]
    return found


def _phrase(image: DatasetImage, mention: DatasetMention, caption: DatasetCaption) -> Phrase:
    own = tuple(_edges(box) for box in image.boxes if mention.chain in box.chains)
    start, end = character_span(caption, mention.start, mention.end)
    return Phrase(image.file_name, caption.text, start, end, own, mention.chain)


def _edges(box: DatasetBox) -> Edges:
    return tuple(box.box)
