from pathlib import Path

import pytest

from exchange.dataset import DatasetImage, Problem
from exchange.flickr30k.read import read_flickr30k
from exchange.problems import SourceError
from tests.support.pictures import plain_jpeg

SENTENCE = "[/EN#1/people A man] in [/EN#2/scene the park] .\n"
OBJECT = (
    "<object><name>1</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object>\n"
    "<object><name>2</name><scene>1</scene><nobndbox>0</nobndbox></object>\n"
)


def annotation(objects: str = OBJECT) -> str:
    return f"<annotation>\n<size><width>40</width><height>30</height></size>\n{objects}</annotation>"


class Source:
    """A folder in the format, with one good image."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.add("good")

    def add(self, name: str, sentences: str | bytes | None = SENTENCE, xml: str | bytes | None = annotation()) -> None:
        self.write(f"Sentences/{name}.txt", sentences)
        self.write(f"Annotations/{name}.xml", xml)

    def write(self, name: str, content: str | bytes | None) -> None:
        if content is not None:
            file = self.path / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)

    def read(self) -> tuple[list[str], list[str]]:
        """Names of the images, and the problems as they are printed."""
        found = list(read_flickr30k(self.path))
        return [item.name for item in found if isinstance(item, DatasetImage)], [
            str(item) for item in found if isinstance(item, Problem)
        ]


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source(tmp_path)


def test_it_reads_an_image_whole(source: Source) -> None:
    (image,) = read_flickr30k(source.path)
    assert isinstance(image, DatasetImage)
    assert (image.width, image.height, image.picture, image.source) == (40, 30, None, "Sentences/good.txt")
    assert [(chain.name, chain.scene, chain.no_box) for chain in image.chains] == [
        ("1", False, False),
        ("2", True, False),
    ]
    assert [tuple(box.box) for box in image.boxes] == [(0, 0, 9, 9)]


def test_it_yields_the_images_in_the_order_of_their_numbers(source: Source) -> None:
    for name in ("10", "9", "a10", "a9"):
        source.add(name)
    assert source.read() == (["9", "10", "a9", "a10", "good"], [])


def test_it_reads_one_image_at_a_time(source: Source) -> None:
    source.add("zebra")
    images = read_flickr30k(source.path)
    next(images)
    (source.path / "Sentences/zebra.txt").write_text("[")
    assert isinstance(next(images), Problem)


def test_it_reports_every_bad_line_and_leaves_the_image_out(source: Source) -> None:
    source.add(
        "bad", SENTENCE + "[/EN#1/people A man\n" + SENTENCE + "a]\n", annotation().replace("<ymax>9", "<ymax>99")
    )
    images, problems = source.read()
    assert images == ["good"]
    assert [problem.partition(": ")[0] for problem in problems] == [
        "Sentences/bad.txt:2",
        "Sentences/bad.txt:4",
        "Annotations/bad.xml:3",
    ]
    assert all(problem.endswith("(image bad left out)") for problem in problems)


def test_it_keeps_a_chain_that_has_nothing_in_the_xml(source: Source) -> None:
    source.add("good", SENTENCE, annotation(""))
    (image,) = read_flickr30k(source.path)
    assert isinstance(image, DatasetImage)
    assert [(chain.scene, chain.no_box) for chain in image.chains] == [(False, False), (False, False)]


def test_it_leaves_out_a_chain_that_no_caption_mentions_and_says_so(source: Source) -> None:
    extra = OBJECT.splitlines()[0].replace("<name>1", "<name>8")
    shared = OBJECT.replace("<name>1</name>", "<name>1</name><name>9</name>")
    source.add("good", SENTENCE, annotation(shared + extra))
    problem_8, problem_9, image = sorted(read_flickr30k(source.path), key=lambda item: isinstance(item, DatasetImage))
    assert isinstance(image, DatasetImage)
    assert [box.chains for box in image.boxes] == [("1",)]
    assert str(problem_8) == "Annotations/good.xml:3: chain 9 is in no caption: it is left out"
    assert str(problem_9) == "Annotations/good.xml:5: chain 8 is in no caption: it is left out"


@pytest.mark.parametrize(
    ("sentences", "xml", "message"),
    [
        (SENTENCE, None, "Sentences/bad.txt: has no Annotations/bad.xml"),
        (None, annotation(), "Annotations/bad.xml: has no captions: Sentences/bad.txt is missing"),
        ("", annotation(), "Sentences/bad.txt: has no captions: the file is empty"),
        ("\n \n", annotation(), "Sentences/bad.txt: has no captions: the file is empty"),
        (
            b"A man .\nA caf\xe9 .\n",
            annotation(),
            "Sentences/bad.txt:2: is not UTF-8 (byte 0xe9): save the file as UTF-8",
        ),
        ("A man .\nA\x00 man .\n", annotation(), "Sentences/bad.txt:2: has the control character U+0000: remove it"),
        (SENTENCE.encode("utf-16"), annotation(), "Sentences/bad.txt:1: is not UTF-8"),
        (SENTENCE, "<annotation>\n<", "Annotations/bad.xml:2: broken XML"),
    ],
)
def test_it_reports_bad_files(source: Source, sentences: str | bytes | None, xml: str | None, message: str) -> None:
    source.add("bad", sentences, xml)
    images, problems = source.read()
    assert images == ["good"]
    assert len(problems) == 1
    assert problems[0].startswith(message)


def test_it_takes_a_byte_order_mark_and_windows_line_ends(source: Source) -> None:
    source.add("good", b"\xef\xbb\xbf" + SENTENCE.replace("\n", "\r\n").encode() * 2)
    (image,) = read_flickr30k(source.path)
    assert isinstance(image, DatasetImage)
    assert [caption.text for caption in image.captions] == ["A man in the park ."] * 2
    assert [mention.start for mention in image.mentions] == [0, 3, 0, 3]


def test_names_that_differ_only_in_case_are_two_images(source: Source) -> None:
    source.add("Twice")
    source.add("twice")
    assert source.read() == (["good", "Twice.jpg", "twice~2.jpg"], [])


def test_it_ignores_what_other_programs_leave(source: Source) -> None:
    for name in ("Sentences/._good.txt", "Sentences/.DS_Store", "Annotations/._good.xml", "Sentences/notes.md"):
        source.write(name, b"\x00")
    assert source.read() == (["good"], [])


@pytest.mark.parametrize("folder", ["flickr30k-images", "images", "Images"])
def test_it_finds_the_pictures(source: Source, folder: str) -> None:
    source.write(f"{folder}/good.jpg", plain_jpeg(40, 30))
    (image,) = read_flickr30k(source.path)
    assert isinstance(image, DatasetImage)
    assert image.picture == f"{folder}/good.jpg"


@pytest.mark.parametrize(
    ("pictures", "message"),
    [
        ({}, "the picture bad.jpg is missing"),
        ({"bad.jpg": plain_jpeg(30, 40)}, "the picture images/bad.jpg is 30 x 40 pixels upright, not 40 x 30"),
        ({"bad.jpg": b"no picture"}, "the picture images/bad.jpg is not a picture"),
        (
            {"bad.jpg": plain_jpeg(), "bad.png": plain_jpeg()},
            "the picture bad.jpg is there several times: images/bad.jpg, images/bad.png",
        ),
        (
            {"Bad.jpg": plain_jpeg(), "BAD.jpg": plain_jpeg()},
            "the picture bad.jpg is there several times: images/BAD.jpg, images/Bad.jpg",
        ),
    ],
)
def test_it_reports_pictures_that_are_missing_or_wrong(
    source: Source, pictures: dict[str, bytes], message: str
) -> None:
    source.write("images/good.jpg", plain_jpeg(40, 30))
    source.add("bad")
    for name, data in pictures.items():
        source.write(f"images/{name}", data)
    images, problems = source.read()
    assert images == ["good"]
    assert len(problems) == 1
    assert problems[0].startswith(f"Sentences/bad.txt: {message}")


def test_without_annotations_it_takes_the_sizes_from_the_pictures(tmp_path: Path) -> None:
    (tmp_path / "Sentences").mkdir()
    (tmp_path / "images").mkdir()
    (tmp_path / "Sentences/1.txt").write_text(SENTENCE)
    (tmp_path / "images/1.png").write_bytes(plain_jpeg(40, 30))
    (image,) = read_flickr30k(tmp_path)
    assert isinstance(image, DatasetImage)
    assert (image.width, image.height, image.boxes, len(image.chains)) == (40, 30, (), 2)


def test_it_refuses_a_source_without_its_folders(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="has no folder Sentences/"):
        list(read_flickr30k(tmp_path))
    (tmp_path / "Sentences").mkdir()
    with pytest.raises(SourceError, match="has neither Annotations/ nor any pictures"):
        list(read_flickr30k(tmp_path))


def test_it_reads_the_real_images(data_folder: Path) -> None:
    images = list(read_flickr30k(data_folder / "flickr30k-entities"))
    assert all(isinstance(image, DatasetImage) for image in images)
    read = [image for image in images if isinstance(image, DatasetImage)]
    assert len(read) == 500
    assert sum(len(image.captions) for image in read) == 2500
    assert sum(len(image.mentions) for image in read) == 7292
    assert sum(len(image.chains) for image in read) == 3021
    assert sum(len(image.boxes) for image in read) == 2997
