"""captions.csv as spreadsheets and people write it: other separators, other line ends, spaces before quotes."""

from io import BytesIO
from pathlib import Path

import pytest

from exchange.folder.caption_file import Bad, CsvFile, open_csv
from exchange.folder.lines import Position, raw_lines
from exchange.folder.read import read_folder
from exchange.problems import SourceError
from tests.support.pictures import plain_jpeg

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
        assert opened.said == f"captions.csv has the columns image, caption, with {between} between."
    _, rows = read(tmp_path, "image;caption\na.jpg;A man, a dog\nb.jpg;A man; a dog\n")
    assert rows[0] == ("a.jpg", "A man, a dog", 2)
    assert "3 fields, 2 in the header: write captions with semicolons" in rows[1][1]


def test_the_line_in_which_excel_names_the_separator_is_no_header(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeffsep=;\r\nimage;caption\r\na.jpg;A man\r\n")[1] == [("a.jpg", "A man", 3)]


def test_a_space_before_a_quote_belongs_to_no_caption(tmp_path: Path) -> None:
    _, rows = read(
        tmp_path,
        'image, caption\na.jpg, "A man, a dog"\nb.jpg,   "A ""big"" man,\nwalking"\nc.jpg, plain\n'
        'd.jpg, "Big" dogs run\ne.jpg,"A, ""dog"" "\n',
    )
    assert rows == [
        ("a.jpg", "A man, a dog", 2),
        ("b.jpg", 'A "big" man,\nwalking', 3),
        ("c.jpg", " plain", 5),
        ("d.jpg", ' "Big" dogs run', 6),
        ("e.jpg", 'A, "dog" ', 7),
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


def test_without_a_known_separator_the_message_says_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"header image,caption \(semicolons or tabs may stand between, too\)"):
        read(tmp_path, "image|caption\n")
