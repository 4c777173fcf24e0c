"""captions.csv as spreadsheets and people write it: other separators, other line ends, spaces before quotes.
Captions are read in the other forms in which people have them.
"""

import json
from io import BytesIO
from pathlib import Path

import pytest

from exchange.checks import SourceError
from exchange.dataset import DatasetImage, DatasetMention, Problem
from exchange.formats import detect
from exchange.formats.captions_folder import Bad, CsvFile, open_csv, read_folder
from exchange.formats.pictures import FolderPictures
from exchange.formats.text_streams import Position, raw_lines
from exchange.registry import import_format
from tests.support.pictures import plain_jpeg
from tests.support.table import case, row


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, *pictures: str) -> None:
        for name in pictures:
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(plain_jpeg())

    def csv(self, *lines: str | bytes, header: str = "image,caption") -> None:
        data = [header.encode(), *(line.encode() if isinstance(line, str) else line for line in lines)]
        (self.path / "captions.csv").write_bytes(b"\n".join(data) + b"\n")

    def jsonl(self, *lines: object) -> None:
        text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        (self.path / "captions.jsonl").write_text("\n".join(text) + "\n")

    def images(self) -> dict[str, DatasetImage]:
        return {item.name: item for item in read_folder(self.path) if isinstance(item, DatasetImage)}

    def problems(self) -> list[str]:
        return [str(item) for item in read_folder(self.path) if isinstance(item, Problem)]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_it_reads_bracketed_phrases_with_and_without_types(folder: Folder) -> None:
    folder.add("a.jpg")
    folder.csv('a.jpg,"[a man], in [/people/clothing a  red hat] [/bodyparts arm][/notvisual both]."', "a.jpg,Outside.")
    image = folder.images()["a"]
    first, second = image.captions
    assert first.text == "a man, in a  red hat armboth."
    assert first.words == ("a", "man", ",", "in", "a", "red", "hat", "arm", "both", ".")
    assert all(first.text.startswith(word, at) for at, word in zip(first.offsets, first.words, strict=True))
    assert first.non_visual == ((8, 9),)
    assert image.mentions == (
        DatasetMention(0, 0, 2),
        DatasetMention(0, 4, 7, ("people", "clothing")),
        DatasetMention(0, 7, 8, ("body parts",)),
    )
    # An image with brackets says where all its phrases are, so a caption without any has none.
    assert (first.chunked, second.chunked) == (True, True)
    assert (image.width, image.height, image.source) == (40, 30, "captions.csv:2")


def test_it_leaves_captions_without_brackets_to_be_chunked(folder: Folder) -> None:
    folder.add("a.jpg")
    folder.jsonl({"image": "a.jpg", "captions": ["A man's hat.", "A dog."]})
    image = folder.images()["a"]
    assert [caption.words for caption in image.captions] == [("A", "man", "'s", "hat", "."), ("A", "dog", ".")]
    assert not any(caption.chunked for caption in image.captions)


def test_it_finds_pictures_beside_below_and_in_images(folder: Folder) -> None:
    folder.add("a.jpg", "cats/1.jpg", "images/b.jpg", "images/dogs/1.jpg")
    folder.csv("b.jpg,B.", "cats/1.jpg,C.", "dogs/1.jpg,D.", "a.jpg,A.")
    found = {"a": "a.jpg", "b": "images/b.jpg", "cats_1": "cats/1.jpg", "dogs_1": "images/dogs/1.jpg"}
    assert {name: image.picture for name, image in folder.images().items()} == found
    assert folder.problems() == []


def test_it_yields_images_in_the_order_of_their_numbers_whatever_the_file_says(folder: Folder) -> None:
    folder.add("10.jpg", "9.jpg", "2.jpg")
    folder.csv("10.jpg,A.", "2.jpg,B.", "9.jpg,C.")
    assert list(folder.images()) == ["2", "9", "10"]


def test_it_reads_quoted_commas_quotes_line_breaks_and_any_order_of_columns(folder: Folder) -> None:
    folder.add("a.jpg", "b.jpg")
    folder.csv('"A ""big"" man,\nwalking.",a.jpg', "B.,b.jpg", header="\ufeff Caption , IMAGE")
    assert folder.images()["a"].captions[0].text == 'A "big" man,\nwalking.'
    assert folder.images()["b"].source == "captions.csv:4"


@row(["bad.jpg,[a man", "bad.jpg,fine"], "captions.csv:3: the bracket at character 1 is not closed: '[a man'")
@row(["bad.jpg,fine", "bad.jpg,[a [b] c]"], "captions.csv:4: a bracket opens at character 4 inside the one at")
@row(["bad.jpg,[]"], "captions.csv:3: empty phrase []")
@row(["bad.jpg,[/persons a man]"], "captions.csv:3: unknown type 'persons'")
@row(["bad.jpg,[/EN#1/people a man]"], "captions.csv:3: unknown type 'EN#1'")
@row(["bad.jpg,"], "captions.csv:3: the caption is empty")
@row(["bad.jpg,A man, walking."], "captions.csv:3: row cannot be read: 3 fields, 2 in the header")
@row(["bad.jpg"], "captions.csv:3: row cannot be read: 1 fields, 2 in the header")
@row(['bad.jpg,"A man'], "captions.csv:3: row cannot be read: a quote opens in it and is never closed")
@row(['bad.jpg,"A man"x'], "captions.csv:3: row cannot be read: after a closing quote only a separator")
@row([b"bad.jpg,caf\xe9"], "captions.csv:3: row cannot be read: is not UTF-8 (byte 0xe9)")
@row(["bad.jpg,a\x00b"], "captions.csv:3: row cannot be read: has the control character U+0000")
@row(["missing.jpg,A."], "captions.csv:3: the picture missing.jpg is missing")
@row(["../x.jpg,A."], "captions.csv:3: picture path '../x.jpg': write it relative to the folder")
@row(["/etc/x.jpg,A."], "captions.csv:3: picture path '/etc/x.jpg': write it relative")
@row([",A."], "captions.csv:3: picture path '': write it relative")
def test_it_reports_bad_rows_and_reads_the_rest(lines: list[str | bytes], problem: str, folder: Folder) -> None:
    folder.add("good.jpg", "last.jpg", "bad.jpg")
    folder.csv("good.jpg,Good.", *lines, "last.jpg,Last.")
    assert list(folder.images()) == ["good", "last"]
    (found,) = (text for text in folder.problems() if "has no captions in" not in text)
    assert found.startswith(problem)


def test_an_unreadable_row_leaves_its_image_out_whole_and_lines_are_counted_on(folder: Folder) -> None:
    folder.add("a.jpg", "b.jpg")
    folder.csv('x.jpg,"A man', "a.jpg,A.", "b.jpg,[B.")
    assert folder.images()["a"].source == "captions.csv:3"
    assert [problem.partition(": ")[0] for problem in folder.problems()] == ["captions.csv:4", "captions.csv:2"]
    folder.csv("a.jpg,Good.", "a.jpg,A, B.", "a.jpg,Good.")
    assert folder.images() == {}


@row('{"image": "bad.jpg", "captions": []}', "has no captions (image bad.jpg left out)")
@row('{"image": "bad.jpg", "captions": ["A."]', "is not JSON")
@row("[1]", "the line is a list, not an object")
@row("[" * 100_000, "is not JSON that can be read")
def test_it_reports_bad_lines_of_json(line: str, problem: str, folder: Folder) -> None:
    folder.add("good.jpg", "last.jpg")
    folder.jsonl({"image": "good.jpg", "captions": ["A."]}, line, {"image": "last.jpg", "captions": ["A."]})
    assert list(folder.images()) == ["good", "last"]
    (found,) = folder.problems()
    assert found.startswith(f"captions.jsonl:2: {problem}")


def test_the_same_image_in_two_places_needs_the_same_captions(folder: Folder) -> None:
    folder.add("a.jpg", "b.jpg", "c.jpg")
    folder.csv("a.jpg,A.", "b.jpg,B.", "a.jpg,A.", "b.jpg,Other.", "c.jpg,C.")
    assert list(folder.images()) == ["a", "c"]
    problem = "captions.csv:5: b.jpg has other captions at line 3: put all its captions together (image b.jpg left out)"
    assert folder.problems() == [problem]


def test_names_that_differ_only_in_case_or_ending_are_images_of_their_own(folder: Folder) -> None:
    folder.add("a.jpg", "a.png", "b.jpg")
    folder.csv("a.jpg,A.", "a.png,B.", "b.jpg,C.")
    found = [(name, image.path) for name, image in folder.images().items()]
    assert found == [("a.jpg", "a.jpg"), ("a.png", "a.png"), ("b", "b.jpg")]
    assert folder.problems() == []


def test_it_reports_pictures_without_captions_and_broken_ones(folder: Folder) -> None:
    folder.add("a.jpg", "spare10.jpg", "spare9.jpg")
    (folder.path / "broken.jpg").write_bytes(b"GIF89a")
    folder.csv("a.jpg,A.", "broken.jpg,B.")
    assert folder.problems() == [
        "captions.csv:3: the picture broken.jpg is not a picture (JPEG, PNG, WebP, GIF or BMP), "
        "or its beginning is damaged (image broken.jpg left out)",
        "spare9.jpg: has no captions in captions.csv (image spare9.jpg left out)",
        "spare10.jpg: has no captions in captions.csv (image spare10.jpg left out)",
    ]


@row("a.jpg,A man.", "captions.csv:1: begins with 'a.jpg,A man.': the first line must be the header image,caption")
@row(
    "image|caption",
    "captions.csv:1: begins with 'image|caption': the first line must be the header image,caption "
    "(semicolons or tabs may stand between, too)",
)
@row("", "captions.csv:1: begins with ''")
@row("image,caption,image", "captions.csv:1: begins with")
def test_it_refuses_a_csv_file_without_a_header(header: str, message: str, folder: Folder) -> None:
    folder.csv("a.jpg,A.", header=header)
    with pytest.raises(SourceError) as raised:
        folder.images()
    assert str(raised.value).startswith(message)


def test_it_refuses_none_and_two_caption_files(folder: Folder) -> None:
    with pytest.raises(SourceError, match=r"has 0 of captions\.csv and .* and captions\.txt: it needs one of them"):
        folder.images()
    folder.csv()
    folder.jsonl()
    with pytest.raises(SourceError, match="has 2 of"):
        folder.images()


Rows = list[tuple[str, str, int]]


def read(folder: Path, text: str) -> tuple[CsvFile, Rows]:
    """Read every caption with its image and line; a row that cannot be read has its reason as its caption."""
    path = folder / "captions.csv"
    path.write_bytes(text.encode())
    opened, rows = open_csv(path), []
    with path.open("rb") as file:
        for block in opened.blocks(file, opened.start):
            if isinstance(block, Bad):
                rows.append((block.image, block.defect.message, block.defect.line or 0))
            else:
                rows += [(block.image, text, line) for text, line in zip(block.texts, block.lines, strict=True)]
    return opened, rows


def test_semicolons_and_tabs_are_read_and_said(tmp_path: Path) -> None:
    for mark, between in ((";", "semicolons"), ("\t", "tabs"), (",", "commas")):
        text = f'image{mark}caption\r\na.jpg{mark}"A man{mark} a dog"\r\nb.jpg{mark}One and two\r\n'
        opened, rows = read(tmp_path, text)
        assert rows == [("a.jpg", f"A man{mark} a dog", 2), ("b.jpg", "One and two", 3)]
        assert opened.described == f"captions.csv has the columns image, caption, with {between} between."
    _, rows = read(tmp_path, "image;caption\na.jpg;A man, a dog\nb.jpg;A man; a dog\n")
    assert rows[0] == ("a.jpg", "A man, a dog", 2)
    assert "3 fields, 2 in the header: write captions with semicolons" in rows[1][1]


def test_the_line_in_which_excel_names_the_separator_is_no_header(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeffsep=;\r\nimage;caption\r\na.jpg;A man\r\n")[1] == [("a.jpg", "A man", 3)]


def test_a_space_before_a_quote_belongs_to_no_caption(tmp_path: Path) -> None:
    text = 'image, caption\na.jpg, "A man, a dog"\nb.jpg,   "A ""big"" man,\nwalking"\nc.jpg, plain\n'
    _, rows = read(tmp_path, text + 'd.jpg, "Big" dogs run\ne.jpg,"A, ""dog"" "\n')
    found = ["A man, a dog", 'A "big" man,\nwalking', " plain", ' "Big" dogs run', 'A, "dog" ']
    assert rows == [
        (f"{name}.jpg", text, line) for name, text, line in zip("abcde", found, (2, 3, 5, 6, 7), strict=True)
    ]


def test_lines_may_end_by_cr_alone_or_each_in_its_own_way(tmp_path: Path) -> None:
    expected = [("a.jpg", "A man", 2), ("b.jpg", "A\ndog", 3), ("c.jpg", "A cat", 5)]
    assert read(tmp_path, 'image,caption\ra.jpg,A man\rb.jpg,"A\ndog"\rc.jpg,A cat')[1] == expected
    assert read(tmp_path, 'image,caption\r\na.jpg,A man\rb.jpg,"A\ndog"\nc.jpg,A cat\r\n')[1] == expected


def test_every_image_of_a_file_with_cr_alone_is_read(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.jpg").write_bytes(plain_jpeg())
    (tmp_path / "captions.csv").write_bytes(b"image;caption\rc.jpg;C.\ra.jpg;A.\rb.jpg;B.\r")
    assert [getattr(one, "source", one) for one in read_folder(tmp_path)] == [f"captions.csv:{n}" for n in (3, 4, 2)]


def test_lines_have_their_places_however_they_end_and_wherever_a_piece_ends() -> None:
    for before in range(8190, 8194):
        data = b"x" * before + b"\r\n" + b"second\r" + b"third\n\n" + b"y" * before + b"\r"
        lines = list(raw_lines(BytesIO(data), Position(0, 1)))
        assert b"".join(line.data for line in lines) == data
        assert [line.place.line for line in lines] == [1, 2, 3, 4, 5]
        for line in lines:
            assert next(raw_lines(BytesIO(data), line.place)) == line


TWO = ["A dog", 'A "wet" dog']
KARPATHY = {"filename": "a.jpg", "filepath": "val", "cocoid": 7, "sentences": [{"raw": one} for one in TWO]}


@case("a table of the hub", "hub", "metadata.csv", 'file_name,text\na.jpg,A dog\na.jpg,"A ""wet"" dog"\n', "a.jpg")
@case(
    "the tables of splits",
    "hub",
    "train/metadata.jsonl",
    "".join(f"{json.dumps({'file_name': 'a.jpg', 'text': one})}\n" for one in TWO),
    "train/a.jpg",
)
@case("Flickr8k", "folder", "captions.txt", 'image,caption\na.jpg,A dog\na.jpg,"A ""wet"" dog"\n', "a.jpg")
@case("Flickr8k as first published", "folder", "captions.txt", 'a.jpg#0\tA dog\na.jpg#1\tA "wet" dog\n', "a.jpg")
@case("Karpathy's file", "karpathy", "dataset_coco.json", json.dumps({"images": [KARPATHY]}), "val/a.jpg")
def test_captions_are_read_in_the_forms_in_which_people_have_them(
    source_format: str, file: str, text: str, picture: str, tmp_path: Path
) -> None:
    for name, content in ((file, text.encode()), (picture, plain_jpeg(40, 30))):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert detect(tmp_path).name == source_format
    (image,) = import_format(source_format).images(tmp_path, FolderPictures(tmp_path))
    assert isinstance(image, DatasetImage)
    assert (image.path, [one.text for one in image.captions], image.width) == (picture, TWO, 40)
    assert image.coco_id == (7 if source_format == "karpathy" else None)


def test_a_row_of_a_table_that_cannot_be_read_counts_as_one_that_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "metadata.csv").write_text('file_name,text\na.jpg,A dog\nb.jpg,A, B\n,A dog\n"c.jpg,A dog\n')
    (tmp_path / "a.jpg").write_bytes(plain_jpeg(40, 30))
    found = list(import_format("hub").images(tmp_path, FolderPictures(tmp_path)))
    problems = [one for one in found if isinstance(one, Problem)]
    assert [one.image for one in problems] == ["b.jpg", "line 4", "c.jpg"]
    assert len(found) == 4
