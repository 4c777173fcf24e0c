"""Prompts: files that a requester edits, in the languages of the captions."""

from pathlib import Path

import pytest

from colleague.coordinates import Form
from colleague.errors import WrongUse
from colleague.prompts import OWN, PLACE, PROPOSAL, Prompts, write_prompts
from colleague.questions import TASKS

NAMES = (*TASKS, PROPOSAL)
LANGUAGES = sorted(folder.name for folder in OWN.iterdir())
CAPTION = {"captions": "- [[a man]]"}


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    write_prompts(tmp_path / "prompts")
    return tmp_path / "prompts"


def text(folder: Path | None, name: str, language: str = "en", form: Form | None = Form.PIXELS) -> str:
    return Prompts(folder).text(name, language, form, (640, 480), **CAPTION)


def test_every_language_has_every_prompt_with_the_same_places() -> None:
    assert LANGUAGES == ["de", "en"]
    for name in NAMES:
        own = {language: sorted(PLACE.findall((OWN / language / f"{name}.md").read_text())) for language in LANGUAGES}
        assert own["de"] == own["en"], name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_is_filled_to_the_last_place(name: str, language: str) -> None:
    for form in (None, *Form):
        filled = text(None, name, language, form)
        assert CAPTION["captions"] in filled and not PLACE.search(filled)


def test_the_form_of_boxes_is_told_with_the_size_of_the_picture() -> None:
    assert "[x0, y0, x1, y1] in pixels of the picture, which is 640 wide and 480 high" in text(None, "box_drawing")
    assert "in which you were trained" in text(None, "box_drawing", form=None)


@pytest.mark.parametrize(
    ("language", "begins"), [("de-AT", "In einer"), ("DE", "In einer"), ("", "A phrase"), ("fr", "A phrase")]
)
def test_the_language_of_the_captions_chooses_the_prompt(language: str, begins: str) -> None:
    assert text(None, "box_quality", language).startswith(begins)


def test_an_edited_prompt_is_sent(edited: Path) -> None:
    (edited / "en" / "box_quality.md").write_text("Look:\n{captions}\nGood?")
    assert text(edited, "box_quality") == "Look:\n- [[a man]]\nGood?"


def test_a_prompt_that_is_not_in_the_folder_is_ours(edited: Path) -> None:
    (edited / "en" / "box_quality.md").unlink()
    assert text(edited, "box_quality") == text(None, "box_quality")


@pytest.mark.parametrize(
    ("name", "written", "said"),
    [
        ("box_quality", "Good? {captoins} {captions}", "{captoins} is no place of a prompt"),
        ("box_quality", "Good?", "no place {captions}"),
        ("box_drawing", "{captions}", "no place {form}"),
    ],
)
def test_a_prompt_that_cannot_be_filled_is_named_with_its_fault(
    edited: Path, name: str, written: str, said: str
) -> None:
    path = edited / "en" / f"{name}.md"
    path.write_text(written)
    with pytest.raises(WrongUse) as refused:
        text(edited, name)
    assert str(refused.value).startswith(f"{path}: ") and said in str(refused.value)


@pytest.mark.parametrize("written", [b"none = [", b'none = "x"', b'[forms]\npixels = "x"', b"\xff"])
def test_words_that_cannot_be_read_are_named(edited: Path, written: bytes) -> None:
    (edited / "en" / "words.toml").write_bytes(written)
    with pytest.raises(WrongUse, match=r"words\.toml: "):
        text(edited, "box_quality")


def test_prompts_are_not_written_over_others(edited: Path) -> None:
    with pytest.raises(WrongUse, match="may be edited"):
        write_prompts(edited)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="no folder of prompts"):
        Prompts(tmp_path / "none")
