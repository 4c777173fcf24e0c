import pytest

from campaign.data.pasted import PastedError, as_caption_file


def pasted(text: str) -> list[str]:
    return as_caption_file(text)[0].splitlines()[1:]


def test_what_people_paste_becomes_rows_of_which_no_word_is_lost() -> None:
    expected = {
        'my photo.jpg,"Big" dogs run': 'my photo.jpg,"""Big"" dogs run"',
        'a.jpg,"A man, a dog"': 'a.jpg,"A man, a dog"',
        'a.jpg, "A man, a dog"': 'a.jpg,"A man, a dog"',
        '"a.jpg";"A ""red"" car"': 'a.jpg,"A ""red"" car"',
        "a.jpg;A man, a dog": 'a.jpg,"A man, a dog"',
        "a.jpg,A man; a dog": "a.jpg,A man; a dog",
        "one, two.jpg\tA man": '"one, two.jpg",A man',
        "one; two.jpg,A man": "one; two.jpg,A man",
        'a.jpg,"A man': 'a.jpg,"""A man"',
        "a,A man": "a,A man",
    }
    assert {text: pasted(text)[0] for text in expected} == expected


def test_lines_end_in_each_way_and_a_header_is_no_row() -> None:
    assert pasted("Image\tCaption\r\na.jpg\tA man\rb.jpg\tA dog\n\n") == ["a.jpg,A man", "b.jpg,A dog"]


def test_a_cell_of_several_lines_is_one_caption() -> None:
    assert pasted('a.jpg\t"A man\r\nand a dog"\r\nb.jpg\tA cat') == ['a.jpg,"A man', 'and a dog"', "b.jpg,A cat"]


def test_every_line_that_is_no_caption_is_named() -> None:
    with pytest.raises(PastedError, match=r"^Lines 2 \('b.jpg'\) and 4 \(',x'\) are not captions: write"):
        as_caption_file("a.jpg,A\nb.jpg\nc.jpg,C\n,x")
    with pytest.raises(PastedError, match=r"^Lines 1 \('a'\), .*4 \('d'\) and 4 more are not captions"):
        as_caption_file("\n".join("abcdefgh"))
