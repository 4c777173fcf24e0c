import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.flickr30k.read import read_flickr30k
from exchange.flickr30k.write import write_flickr30k
from exchange.words import joined_caption, tokenized_caption
from tests.support import flickr30k_reader
from tests.support.dataset_images import several_images

EXAMPLE = DatasetImage(
    "1",
    60,
    40,
    (joined_caption(("A", "man", "'s", "arm", "in", "the", "park", ",", "both"), non_visual=((8, 9),)),),
    (DatasetMention(0, 0, 4, ("body parts", "people"), "12"), DatasetMention(0, 5, 7, ("scene",), "7")),
    (DatasetChain("12"), DatasetChain("7", scene=True)),
    (DatasetBox(Box(0, 17, 60, 40), ("12", "7")),),
)


def files(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_it_writes_the_format_to_the_letter(tmp_path: Path) -> None:
    assert write_flickr30k([EXAMPLE], tmp_path / "out") == 1
    written = files(tmp_path / "out")
    assert written["Sentences/1.txt"].decode() == (
        "[/EN#12/bodyparts/people A man 's arm] in [/EN#7/scene the park] , [/EN#0/notvisual both]\n"
    )
    assert written["Annotations/1.xml"].decode().splitlines() == [
        "<annotation>",
        "  <filename>1.jpg</filename>",
        "  <size>",
        "    <width>60</width>",
        "    <height>40</height>",
        "    <depth>3</depth>",
        "  </size>",
        "  <object>",
        "    <name>12</name>",
        "    <name>7</name>",
        "    <bndbox>",
        "      <xmin>1</xmin>",
        "      <ymin>18</ymin>",
        "      <xmax>60</xmax>",
        "      <ymax>40</ymax>",
        "    </bndbox>",
        "  </object>",
        "  <object>",
        "    <name>7</name>",
        "    <scene>1</scene>",
        "    <nobndbox>0</nobndbox>",
        "  </object>",
        "</annotation>",
    ]


@pytest.mark.slow
@settings(max_examples=60)
@given(several_images())
def test_what_it_writes_reads_back_the_same_by_both_readers(images: list[DatasetImage]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "out"
        write_flickr30k(images, target)
        assert read_back(target) == images
        check_with_second_reader(target, images)


@pytest.mark.slow
def test_the_real_images_read_back_the_same_by_both_readers(data_folder: Path, tmp_path: Path) -> None:
    source = data_folder / "flickr30k-entities"
    images = read_back(source)
    write_flickr30k(images, tmp_path / "out")
    assert read_back(tmp_path / "out") == images
    assert check_with_second_reader(tmp_path / "out", images) == 7292
    # Not only by their meaning: the very bytes of the published files.
    assert files(tmp_path / "out") == files(source)


def read_back(folder: Path) -> list[DatasetImage]:
    images = []
    for image in read_flickr30k(folder):
        assert isinstance(image, DatasetImage), image
        images.append(replace(image, source=""))
    return images


def check_with_second_reader(folder: Path, images: list[DatasetImage]) -> int:
    read = flickr30k_reader.read(folder)
    assert set(read) == {image.name for image in images}
    phrases = 0
    for image in images:
        other = read[image.name]
        assert other.size == (image.width, image.height)
        assert other.sentences == [caption.text for caption in image.captions]
        mentions = [phrase for phrase in other.phrases if phrase[2] != "0"]
        assert mentions == [expected_phrase(image, mention) for mention in image.mentions]
        assert dict(other.boxes) == expected_boxes(image)
        assert other.scene == {chain.name for chain in image.chains if chain.scene}
        assert other.no_box == {chain.name for chain in image.chains if chain.no_box}
        phrases += len(mentions)
    return phrases


def expected_phrase(image: DatasetImage, mention: DatasetMention) -> tuple[int, int, str | None, tuple[str, ...], str]:
    words = " ".join(image.captions[mention.caption].words[mention.start : mention.end])
    types = tuple("bodyparts" if kind == "body parts" else kind for kind in mention.types)
    return mention.caption, mention.start, mention.chain, types, words


def expected_boxes(image: DatasetImage) -> dict[str, list[tuple[int, ...]]]:
    boxes: dict[str, list[tuple[int, ...]]] = {}
    for box in image.boxes:
        for chain in box.chains:
            boxes.setdefault(chain, []).append(tuple(box.box))
    return boxes


def test_it_sets_words_one_space_apart_and_brackets_as_parentheses(tmp_path: Path) -> None:
    caption = tokenized_caption("A man's hat [sic],  red.")
    write_flickr30k([DatasetImage("1", 9, 9, (caption,))], tmp_path / "out")
    assert (tmp_path / "out/Sentences/1.txt").read_text() == "A man 's hat ( sic ) , red .\n"


def test_it_escapes_names_in_xml(tmp_path: Path) -> None:
    write_flickr30k([replace(EXAMPLE, name="a&b<c")], tmp_path / "out")
    assert read_back(tmp_path / "out")[0].name == "a&b<c"


def test_it_streams_and_leaves_nothing_when_it_fails(tmp_path: Path) -> None:
    def images() -> Iterator[DatasetImage]:
        yield EXAMPLE
        (half,) = tmp_path.iterdir()
        assert (half / "Sentences/1.txt").is_file()
        raise RuntimeError("the database is gone")

    with pytest.raises(RuntimeError, match="the database is gone"):
        write_flickr30k(images(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([EXAMPLE, EXAMPLE], "two images are named '1'"),
        ([replace(EXAMPLE, name="../1")], "the image name '../1' cannot be the name of a file"),
        ([replace(EXAMPLE, name=".1")], "the image name '.1' cannot be the name of a file"),
        ([replace(EXAMPLE, mentions=(DatasetMention(0, 0, 1, ("people",)),))], "chain None is not a positive number"),
        ([replace(EXAMPLE, mentions=(DatasetMention(0, 0, 1, ("people",), "c1"),))], "chain 'c1' is not a positive"),
        ([replace(EXAMPLE, mentions=(DatasetMention(0, 0, 1, ("people",), "0"),))], "chain '0' is not a positive"),
        ([replace(EXAMPLE, boxes=(DatasetBox(Box(0, 0, 1, 1), category="dog"),))], "belongs to no chain"),
    ],
)
def test_it_refuses_what_the_format_cannot_hold(tmp_path: Path, images: list[DatasetImage], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write_flickr30k(images, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
