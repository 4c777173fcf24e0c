import re
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.rules.box import Box
from exchange.checks import Defect, SourceError
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention, Problem
from exchange.details import Details
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.flickr30k.read import (
    Annotations,
    parse_annotations,
    parse_caption,
    parse_sentences,
    read_flickr30k,
)
from exchange.formats.format import write_files
from exchange.split_captions import joined_caption, parse_markup, tokenized_caption
from tests.support import flickr30k_reader
from tests.support.pictures import plain_jpeg
from tests.support.table import case, row

BOX = "<bndbox><xmin>1</xmin><ymin>18</ymin><xmax>60</xmax><ymax>40</ymax></bndbox>"


def annotation(*objects: str, size: str = "<width>60</width><height>40</height>") -> bytes:
    inner = "\n".join(f"<object>{content}</object>" for content in objects)
    return f"<annotation>\n<size>{size}</size>\n{inner}\n</annotation>".encode()


def read_xml(data: bytes, details: Details | None = None) -> Annotations:
    return parse_annotations(data, details or Details("a.xml", "a"))


def test_it_reads_boxes_as_half_open_pixels_with_all_their_chains() -> None:
    read = read_xml(annotation(f"<name>7</name><name>3</name>{BOX}", f"<name>3</name>{BOX}"))
    assert (read.width, read.height) == (60, 40)
    assert read.boxes == (DatasetBox(Box(0, 17, 60, 40), ("7", "3")), DatasetBox(Box(0, 17, 60, 40), ("3",)))
    assert read.lines == {"7": 3, "3": 3}


def test_it_reads_the_flags_of_chains_without_a_box() -> None:
    scene = "<name>1</name><scene>1</scene><nobndbox>0</nobndbox>"
    no_box = "<name>2</name><scene>0</scene><nobndbox>1</nobndbox>"
    read = read_xml(annotation(scene, no_box))
    assert (read.scene, read.no_box, read.boxes) == ({"1"}, {"2"}, ())


def test_it_takes_a_whole_number_written_with_a_point() -> None:
    assert read_xml(annotation("<name>1</name>" + BOX.replace("60", "60.0"))).boxes[0].box.x1 == 60


@row("<xmin>1</xmin>", "<xmin>0</xmin>", "the box 0 18 60 40 [-1.0, 17.0, 61.0, 23.0] is not inside")
@row("<ymin>18</ymin>", "<ymin>41</ymin>", "has no area")
@row("<xmin>1</xmin>", "<xmin>NaN</xmin>", "<xmin> is 'NaN': boxes are whole pixels")
@row("<xmin>1</xmin>", "<xmin>inf</xmin>", "<xmin> is 'inf': boxes are whole pixels")
@row("<xmin>1</xmin>", "<xmin>1.5</xmin>", "<xmin> is '1.5': boxes are whole pixels")
@row("<xmin>1</xmin>", "<xmin></xmin>", "<xmin> is '': boxes are whole pixels")
@row("<xmin>1</xmin>", "", "<bndbox> has 0 <xmin> where one belongs")
@row("<xmin>1</xmin>", "<xmin>1</xmin><xmin>2</xmin>", "<bndbox> has 2 <xmin> where one belongs")
@row("<name>1</name>", "<name>dog</name>", "chain id 'dog' is not a whole number")
@row("<name>1</name>", "", "<object> needs a <name> per chain")
@row("<name>1</name>", "<name>1</name><name>1</name>", "<object> needs a <name> per chain")
@row("<name>1</name>", "<name>0</name>", "<object> needs a <name> per chain")
@row(BOX, "", "<object> has neither a <bndbox> nor a flag")
@row(BOX, "<scene>2</scene>", "<scene> is '2': write 0 or 1")
def test_it_leaves_out_or_cuts_bad_objects_and_says_at_which_line(old: str, new: str, message: str) -> None:
    good, details = "<name>1</name>" + BOX, Details("a.xml", "a.jpg")
    assert old in good
    read = read_xml(annotation(good, good.replace(old, new)), details)
    (detail,) = details.found
    assert (message in detail.message, detail.line) == (True, 4)
    assert detail.cut == ("is not inside" in message)
    assert [one.box for one in read.boxes] == [Box(0, 17, 60, 40)] * (1 + detail.cut)


@row("<width>0</width><height>4</height>", "at least one pixel")
@row("<width>-3</width><height>4</height>", "at least one pixel")
@row("<width>3</width>", "<size> has 0 <height>")
@row("<width>x</width><height>4</height>", "<width> is 'x'")
def test_it_refuses_an_image_without_a_size(size: str, message: str) -> None:
    with pytest.raises(Defect, match=message):
        read_xml(annotation(size=size))


@pytest.mark.parametrize(
    "data",
    [b"", b"<annotation>", b"<annotation>\n<a></b></annotation>", b"<annotation>\xe9</annotation>", b"\x00\x01", b"{}"],
)
def test_it_refuses_broken_xml(data: bytes) -> None:
    with pytest.raises(Defect, match="broken XML") as raised:
        read_xml(data)
    assert raised.value.line is not None


ENTITIES = "has a document type or entities, which are refused"


@row("<html/>", "<html> where <annotation> belongs")
@row(
    '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]><annotation><x>&c;</x></annotation>',
    ENTITIES,
)
@row('<!DOCTYPE a [<!ENTITY c SYSTEM "file:///etc/passwd">]><annotation><x>&c;</x></annotation>', ENTITIES)
def test_it_refuses_another_kind_of_xml_entity_bombs_and_outside_files(data: str, message: str) -> None:
    with pytest.raises(Defect, match=message):
        read_xml(data.encode())


def test_it_reads_words_phrases_types_and_chains() -> None:
    caption, mentions = parse_caption(
        parse_markup("[/EN#5/bodyparts/people A man 's arm] and [/EN#0/notvisual each other] ."), 2
    )
    assert caption.text == "A man 's arm and each other ."
    assert caption.words == ("A", "man", "'s", "arm", "and", "each", "other", ".")
    assert caption.offsets == (0, 2, 6, 9, 13, 17, 22, 28)
    assert caption.non_visual == ((5, 7),)
    assert caption.chunked
    assert mentions == [DatasetMention(2, 0, 4, ("body parts", "people"), "5")]


@case("a pronoun that is annotated is kept", "[/EN#5/people He] sees", (0, 1, ("people",), "5"))
@case("a phrase without types is kept", "[/EN#6 a dog]", (0, 2, (), "6"))
@case("a chain is named without leading zeros", "[/EN#007/people a man]", (0, 2, ("people",), "7"))
def test_a_phrase_is_read(line: str, mention: tuple[int, int, tuple[str, ...], str]) -> None:
    assert parse_caption(parse_markup(line), 0)[1] == [DatasetMention(0, *mention)]


def test_a_word_ends_at_a_bracket() -> None:
    caption, mentions = parse_caption(parse_markup("x[/EN#5/people a  man], too"), 0)
    assert caption.text == "x a man , too"
    assert (mentions[0].start, mentions[0].end) == (1, 3)


@row("[/EN#1/people a man", "the bracket at character 1 is not closed")
@row("a [/EN#1/people a [/EN#2/other hat]]", "opens at character 19 inside the one at character 3")
@row("a man] walks", "closes at character 6 that was never opened")
@row("[/EN#1/persons a man]", "unknown type 'persons': the types are people, clothing, bodyparts")
@row("[/EN#1/ a man]", "unknown type ''")
@row("[/EN#x/people a man]", "chain id 'x' is not a whole number")
@row("[/EN#/people a man]", "chain id '' is not a whole number")
@row("[/EN#-1/people a man]", "chain id '-1' is not a whole number")
@row("[/EN#\u0661/people a man]", "is not a whole number")
@row("[/EN#0/people a man]", "chain 0 goes with the type notvisual alone")
@row("[/EN#7/notvisual a man]", "chain 0 goes with the type notvisual alone")
@row("[/EN#0/notvisual/people a man]", "chain 0 goes with the type notvisual alone")
@row("[a man] walks", "a bracket without /EN#")
@row("[/people a man] walks", "a bracket without /EN#")
def test_it_refuses_bad_markup_and_says_where(line: str, message: str) -> None:
    with pytest.raises(Defect, match=re.escape(message)):
        parse_caption(parse_markup(line), 0)


@pytest.mark.parametrize("empty", ["[/EN#1/people ]", "[/EN#1/people]", "[]"])
def test_a_bracket_without_a_word_is_left_out_and_its_caption_stays(empty: str) -> None:
    sentences = parse_sentences(["A dog .", f"{empty} walks", empty])
    assert [caption.words for caption in sentences.captions] == [("A", "dog", "."), ("walks",)]
    assert [(one.message.startswith("empty phrase ["), one.line) for one in sentences.empty] == [(True, 2), (True, 3)]
    assert (sentences.mentions, sentences.defects) == ((), ())


def test_it_reports_every_bad_line_by_its_number_and_skips_blank_ones() -> None:
    sentences = parse_sentences(["A dog .", "", "[/EN#1/people a man", "A cat .", "a]", ""])
    assert [caption.text for caption in sentences.captions] == ["A dog .", "A cat ."]
    assert [defect.line for defect in sentences.defects] == [3, 5]


def test_it_reads_the_complete_sentence_files(data_folder: Path) -> None:
    folder = data_folder / "flickr30k-entities-with-notvisual" / "Sentences"
    read = [parse_sentences(file.read_text("utf-8").split("\n")) for file in sorted(folder.glob("*.txt"))]
    assert [len(sentences.captions) for sentences in read] == [5, 5, 5, 5]
    assert not any(sentences.defects for sentences in read)
    spans = [caption.words[start:end] for s in read for caption in s.captions for start, end in caption.non_visual]
    assert spans == [("each", "other")]


def test_it_refuses_exactly_the_french_lines_that_are_truly_bad(data_folder: Path) -> None:
    lines = (data_folder / "flickr30k-entities-french" / "public_val.fr").read_text("utf-8").splitlines()
    texts = [line.partition("**e** ")[2] for line in lines]
    assert len(texts) == 1014
    refused = set()
    for number, text in enumerate(texts):
        try:
            parse_caption(parse_markup(text), 0)
        except Defect:
            refused.add(number)
    # Another way to tell: brackets never go deeper than one, and all are closed at the end.
    depths = [[text[:end].count("[") - text[:end].count("]") for end in range(len(text) + 1)] for text in texts]
    bad = {number for number, found in enumerate(depths) if {*found} > {0, 1} or found[-1] != 0}
    assert refused == bad
    assert len(refused) == 67


SENTENCE = "[/EN#1/people A man] in [/EN#2/scene the park] .\n"
OBJECT = (
    "<object><name>1</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object>\n"
    "<object><name>2</name><scene>1</scene><nobndbox>0</nobndbox></object>\n"
)


def annotation_file(objects: str = OBJECT) -> str:
    return f"<annotation>\n<size><width>40</width><height>30</height></size>\n{objects}</annotation>"


class Source:
    """A folder in the format, with one good image."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.add("good")

    def add(
        self, name: str, sentences: str | bytes | None = SENTENCE, xml: str | bytes | None = annotation_file()
    ) -> None:
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
        names = [item.name for item in found if isinstance(item, DatasetImage)]
        return names, [str(item) for item in found if isinstance(item, Problem)]

    def spoiled(self) -> str:
        """The only problem, by which the image "bad" is left out."""
        images, (problem,) = self.read()
        assert images == ["good"]
        return problem

    def only_image(self) -> DatasetImage:
        (image,) = read_flickr30k(self.path)
        assert isinstance(image, DatasetImage)
        return image


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source(tmp_path)


def test_it_reads_an_image_whole(source: Source) -> None:
    image = source.only_image()
    assert (image.width, image.height, image.picture, image.source) == (40, 30, None, "Sentences/good.txt")
    flags = [(chain.name, chain.scene, chain.no_box) for chain in image.chains]
    assert flags == [("1", False, False), ("2", True, False)]
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
        "bad", SENTENCE + "[/EN#1/people A man\n" + SENTENCE + "a]\n", annotation_file().replace("</size>", "", 1)
    )
    images, problems = source.read()
    assert images == ["good"]
    assert [problem.partition(": ")[0] for problem in problems] == [
        "Sentences/bad.txt:2",
        "Sentences/bad.txt:4",
        "Annotations/bad.xml:5",
    ]
    assert all(problem.endswith("(image bad left out)") for problem in problems)


def test_it_keeps_a_chain_that_has_nothing_in_the_xml(source: Source) -> None:
    source.add("good", SENTENCE, annotation_file(""))
    flags = [(chain.scene, chain.no_box) for chain in source.only_image().chains]
    assert flags == [(False, False), (False, False)]


def test_it_leaves_out_a_chain_that_no_caption_mentions_and_says_so(source: Source) -> None:
    extra = OBJECT.splitlines()[0].replace("<name>1", "<name>8")
    shared = OBJECT.replace("<name>1</name>", "<name>1</name><name>9</name>")
    source.add("good", SENTENCE, annotation_file(shared + extra))
    problem_8, problem_9, image = sorted(read_flickr30k(source.path), key=lambda item: isinstance(item, DatasetImage))
    assert isinstance(image, DatasetImage)
    assert [box.chains for box in image.boxes] == [("1",)]
    assert str(problem_8) == "Annotations/good.xml:3: chain 9 is in no caption: it is left out"
    assert str(problem_9) == "Annotations/good.xml:5: chain 8 is in no caption: it is left out"


@row(SENTENCE, None, "Sentences/bad.txt: has no Annotations/bad.xml")
@row(None, annotation_file(), "Annotations/bad.xml: has no captions: Sentences/bad.txt is missing")
@row("", annotation_file(), "Sentences/bad.txt: has no captions: the file is empty")
@row("\n \n", annotation_file(), "Sentences/bad.txt: has no captions: the file is empty")
@row(
    b"A man .\ncaf\xe9 .\n", annotation_file(), "Sentences/bad.txt:2: is not UTF-8 (byte 0xe9): save the file as UTF-8"
)
@row("A man .\nA\x00 man .\n", annotation_file(), "Sentences/bad.txt:2: has the control character U+0000: remove it")
@row(SENTENCE.encode("utf-16"), annotation_file(), "Sentences/bad.txt:1: is not UTF-8")
@row(SENTENCE, "<annotation>\n<", "Annotations/bad.xml:2: broken XML")
def test_it_reports_bad_files(sentences: str | bytes | None, xml: str | None, message: str, source: Source) -> None:
    source.add("bad", sentences, xml)
    assert source.spoiled().startswith(message)


def test_it_takes_a_byte_order_mark_and_windows_line_ends(source: Source) -> None:
    source.add("good", b"\xef\xbb\xbf" + SENTENCE.replace("\n", "\r\n").encode() * 2)
    image = source.only_image()
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
    assert source.only_image().picture == f"{folder}/good.jpg"


SEVERAL = "the picture bad.jpg is there several times"


@row({}, "the picture bad.jpg is missing")
@row({"bad.jpg": plain_jpeg(30, 40)}, "the picture images/bad.jpg is 30 x 40 pixels upright, not 40 x 30")
@row({"bad.jpg": b"no picture"}, "the picture images/bad.jpg is not a picture")
@row(dict.fromkeys(("bad.jpg", "bad.png"), plain_jpeg()), f"{SEVERAL}: images/bad.jpg, images/bad.png")
@row(dict.fromkeys(("Bad.jpg", "BAD.jpg"), plain_jpeg()), f"{SEVERAL}: images/BAD.jpg, images/Bad.jpg")
def test_it_reports_pictures_that_are_missing_or_wrong(pictures: dict[str, bytes], message: str, source: Source):
    source.write("images/good.jpg", plain_jpeg(40, 30))
    source.add("bad")
    for name, data in pictures.items():
        source.write(f"images/{name}", data)
    assert source.spoiled().startswith(f"Sentences/bad.txt: {message}")


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
    images = read_back(data_folder / "flickr30k-entities")
    rows = ("captions", "mentions", "chains", "boxes")
    counted = [sum(len(getattr(image, row)) for image in images) for row in rows]
    assert [len(images), *counted] == [500, 2500, 7292, 3021, 2997]


EXAMPLE = DatasetImage(
    "1", 60, 40,
    (joined_caption(("A", "man", "'s", "arm", "in", "the", "park", ",", "both"), non_visual=((8, 9),)),),
    (DatasetMention(0, 0, 4, ("body parts", "people"), "12"), DatasetMention(0, 5, 7, ("scene",), "7")),
    (DatasetChain("12"), DatasetChain("7", scene=True)),
    (DatasetBox(Box(0, 17, 60, 40), ("12", "7")),),
)  # fmt: skip


def files(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_it_writes_the_format_to_the_letter(tmp_path: Path) -> None:
    assert write_files(FLICKR30K, [EXAMPLE], tmp_path / "out") == 1
    written = files(tmp_path / "out")
    assert written["Sentences/1.txt"].decode() == (
        "[/EN#12/bodyparts/people A man 's arm] in [/EN#7/scene the park] , [/EN#0/notvisual both]\n"
    )
    assert written["Annotations/1.xml"].decode().splitlines() == [
        "<annotation>", "  <filename>1.jpg</filename>",
        "  <size>", "    <width>60</width>", "    <height>40</height>", "    <depth>3</depth>", "  </size>",
        "  <object>", "    <name>12</name>", "    <name>7</name>",
        "    <bndbox>", "      <xmin>1</xmin>", "      <ymin>18</ymin>",
        "      <xmax>60</xmax>", "      <ymax>40</ymax>", "    </bndbox>", "  </object>",
        "  <object>", "    <name>7</name>", "    <scene>1</scene>", "    <nobndbox>0</nobndbox>", "  </object>",
        "</annotation>",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_real_images_read_back_the_same_by_both_readers(data_folder: Path, tmp_path: Path) -> None:
    source = data_folder / "flickr30k-entities"
    images = read_back(source)
    write_files(FLICKR30K, images, tmp_path / "out")
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


def test_it_sets_words_one_space_apart_brackets_as_parentheses_and_escapes_names_in_xml(tmp_path: Path) -> None:
    caption = tokenized_caption("A man's hat [sic],  red.")
    write_files(FLICKR30K, [DatasetImage("1", 9, 9, (caption,)), replace(EXAMPLE, name="a&b<c")], tmp_path / "out")
    assert (tmp_path / "out/Sentences/1.txt").read_text() == "A man 's hat ( sic ) , red .\n"
    assert [image.name for image in read_back(tmp_path / "out")] == ["1", "a&b<c"]


@row([EXAMPLE, EXAMPLE], "two images are named '1'")
@row([replace(EXAMPLE, name="../1")], "the image name '../1' cannot be the name of a file")
@row([replace(EXAMPLE, name=".1")], "the image name '.1' cannot be the name of a file")
@row([replace(EXAMPLE, mentions=(DatasetMention(0, 0, 1, ("people",)),))], "chain None is not a positive number")
@row([replace(EXAMPLE, mentions=(DatasetMention(0, 0, 1, ("people",), "c1"),))], "chain 'c1' is not a positive")
@row([replace(EXAMPLE, mentions=(DatasetMention(0, 0, 1, ("people",), "0"),))], "chain '0' is not a positive")
@row([replace(EXAMPLE, boxes=(DatasetBox(Box(0, 0, 1, 1), category="dog"),))], "belongs to no chain")
def test_it_refuses_what_the_format_cannot_hold(images: list[DatasetImage], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        write_files(FLICKR30K, images, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
