"""Whatever is written for trainers is what their readers read: spans, boxes and equal phrases, one by one."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.flickr30k.read import read_flickr30k
from exchange.grounding.chat import SIGNS, write_chat
from exchange.grounding.hub import objects_of, write_hub
from exchange.grounding.mdetr import write_mdetr
from exchange.grounding.odvg import write_odvg
from exchange.grounding.parquet import write_parquet
from exchange.grounding.phrases import Fate, Fates, GroundedImage, grounded
from exchange.words import character_span, joined_caption
from tests.support.dataset_images import several_images
from tests.support.grounding_readers import READERS, Read

WRITERS: dict[str, Callable[[Iterator[GroundedImage], Path, Fates], int]] = {
    "mdetr": lambda images, target, fates: write_mdetr(images, target / "out"),
    "odvg": lambda images, target, fates: write_odvg(images, target / "out"),
    "chat": lambda images, target, fates: write_chat(images, target / "out", fates),
    "hub": lambda images, target, fates: write_hub(images, target),
    "parquet": lambda images, target, fates: write_parquet(_with_pictures(images, target), target, target),
}


def _with_pictures(images: Iterator[GroundedImage], folder: Path) -> Iterator[GroundedImage]:
    """Write something for the picture of each image, as it is asked for."""
    for image in images:
        (folder / image.image.file_name).write_bytes(b"a picture")
        yield image


def round_trip(export_format: str, images: Sequence[DatasetImage]) -> tuple[list[Read], Fates]:
    """Return what a reader reads of what is written, and the fates that were met."""
    fates = Fates()
    with TemporaryDirectory() as name:
        captions = grounded(images, fates, every=export_format == "mdetr")
        assert WRITERS[export_format](captions, Path(name), fates) == len(images)
        place = Path(name) if export_format in ("hub", "parquet") else Path(name) / "out"
        return READERS[export_format](place), fates


def phrases_of(images: Sequence[DatasetImage]) -> list[Read]:
    """Return the phrases with boxes of the images, as they went in."""
    found = []
    for image in images:
        for mention in sorted(image.mentions, key=lambda one: (one.caption, one.start)):
            own = tuple(tuple(one.box) for one in image.boxes if mention.chain in one.chains)
            caption = image.captions[mention.caption]
            if own:
                span = character_span(caption, mention.start, mention.end)
                found.append(Read(image.file_name, caption.text, *span, own))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("export_format", WRITERS)
@settings(max_examples=40)
@given(images=several_images())
def test_every_phrase_with_a_box_is_read_with_its_span_and_boxes(
    export_format: str, images: list[DatasetImage]
) -> None:
    plain = [image for image in images if not any(sign in one.text for one in image.captions for sign in SIGNS)]

    assert round_trip(export_format, plain)[0] == phrases_of(plain)


PAIR = DatasetImage(
    "pair",
    100,
    80,
    (joined_caption(("a", "man", "near", "a", "man")), joined_caption(("two", "dogs")), joined_caption(("night",))),
    (
        DatasetMention(0, 0, 2, ("people",), "1"),
        DatasetMention(0, 3, 5, ("people", "other"), "2"),
        DatasetMention(1, 0, 2, ("animals",), "3"),
        DatasetMention(2, 0, 1, ("scene",), "4"),
    ),
    (DatasetChain("1", confidence=0.9), DatasetChain("2"), DatasetChain("3"), DatasetChain("4", scene=True)),
    (
        DatasetBox(Box(0, 0, 10, 20), ("1",), confidence=0.8),
        DatasetBox(Box(50, 0, 60, 20), ("2",)),
        DatasetBox(Box(20, 40, 30, 60), ("3",)),
        DatasetBox(Box(60, 40, 80, 60), ("3",)),
    ),
)


@pytest.mark.parametrize("export_format", WRITERS)
def test_equal_phrases_of_a_caption_stay_apart_and_every_fate_is_counted(export_format: str) -> None:
    found, fates = round_trip(export_format, [PAIR])

    assert [(one.start, one.end, one.boxes) for one in found] == [
        (0, 5, ((0, 0, 10, 20),)),
        (11, 16, ((50, 0, 60, 20),)),
        (0, 8, ((20, 40, 30, 60), (60, 40, 80, 60))),
    ]
    left_out = 0 if export_format == "mdetr" else 1  # which has a row for every caption
    assert fates.counts[Fate.NO_PHRASE] == left_out
    assert [fates.counts[one] for one in (Fate.NO_BOX, Fate.SEVERAL_BOXES, Fate.SEVERAL_TYPES)] == [1, 1, 1]
    assert "1 phrases without a box are left out." in fates.sentences()


def test_a_phrase_is_as_sure_as_its_chain_and_all_its_boxes_together() -> None:
    (image,) = grounded([PAIR], Fates())

    assert [one.confidence for caption in image.captions for one in caption.phrases] == [0.72, None, None]


def test_lists_of_hub_folders_hold_no_null_which_their_reader_cannot_load() -> None:
    (image,) = grounded([PAIR], Fates())

    assert objects_of(image)["confidence"] == [0.72, -1.0, -1.0, -1.0]


@pytest.mark.parametrize(
    "sign", ["<image>", "<video>", "<audio>", "<bbox>", "<ref-object>", "<cot-process>", "<start-image>"]
)
def test_a_caption_that_holds_a_sign_of_the_format_is_left_out_of_conversations(sign: str) -> None:
    odd = DatasetImage(
        "odd", 9, 9, (joined_caption(("a", sign)),), (DatasetMention(0, 0, 1, (), "1"),), (DatasetChain("1"),),
        (DatasetBox(Box(0, 0, 1, 1), ("1",)),),
    )  # fmt: skip

    found, fates = round_trip("chat", [odd])

    assert found == []
    assert fates.counts[Fate.NOT_MARKED] == 1


@pytest.mark.slow
@pytest.mark.parametrize("export_format", WRITERS)
def test_five_hundred_real_images_are_read_without_a_difference(export_format: str, data_folder: Path) -> None:
    real = data_folder / "flickr30k-entities"
    images = [one for one in read_flickr30k(real) if isinstance(one, DatasetImage)]
    assert len(images) == 500

    found = round_trip(export_format, images)[0]

    assert found == phrases_of(images)
    assert len(found) == 7292
