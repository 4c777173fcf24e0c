"""The study of the field's readers counts every difference, and says what could not be installed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from studies.interop import environments
from studies.interop.compare import compare
from studies.interop.found import Found, Phrase, read_found
from studies.interop.sources import made_images, truth_of

COMMAND = "studies.management.commands.interop"
TRUTH = truth_of(made_images(), {"B.PNG": "1f"})
EVERYTHING = replace(TRUTH, told=("phrases", "captions", "sizes", "pictures", "loose", "ids"))


def differences(found: Found, export_format: str = "coco") -> dict[str, int]:
    """Return the numbers of differences that are not 0."""
    return {one.kind: one.differences for one in compare(TRUTH, found, export_format) if one.differences}


def test_the_made_images_hold_every_hard_case() -> None:
    numbers = {one.kind: one.number for one in compare(TRUTH, EVERYTHING, "coco")}
    assert numbers == {
        "spans": 9, "equal phrases": 2, "boxes": 14, "chains": 6, "captions": 7, "sizes": 3, "other boxes": 1,
        "pictures": 1, "ids": 3,
    }  # fmt: skip
    assert differences(EVERYTHING) == {}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"phrases": TRUTH.phrases[1:]}, {"spans": 1, "equal phrases": 2, "boxes": 2, "chains": 1}),
        ({"phrases": [TRUTH.phrases[0]._replace(end=4), *TRUTH.phrases[1:]]}, {"spans": 2, "boxes": 4, "chains": 2}),
        ({"phrases": [one._replace(chain="1") for one in TRUTH.phrases]}, {"chains": 8}),
        ({"captions": TRUTH.captions[:-1]}, {"captions": 1}),
        ({"sizes": TRUTH.sizes | {"B.PNG": (80, 100)}}, {"sizes": 2}),
        ({"loose": []}, {"other boxes": 1}),
        ({"pictures": {"B.PNG": "2f"}}, {"pictures": 2}),
        ({"ids": TRUTH.ids | {"B.PNG": 10}}, {"ids": 2}),
    ],
)
def test_every_kind_of_difference_is_counted(change: dict[str, Any], found: dict[str, int]) -> None:
    counted = differences(replace(EVERYTHING, **change))
    assert {kind: counted.get(kind) for kind in found} == found


def test_equal_phrases_that_were_given_each_others_boxes_differ() -> None:
    first, second, *others = TRUTH.phrases
    swapped = [first._replace(boxes=second.boxes), second._replace(boxes=first.boxes), *others]
    assert differences(replace(EVERYTHING, phrases=swapped))["equal phrases"] == 4


def test_phrases_without_boxes_are_expected_where_the_format_holds_them_alone() -> None:
    assert {one.kind: one.number for one in compare(TRUTH, TRUTH, "odvg")}["captions"] == 4
    assert {one.kind: one.number for one in compare(TRUTH, TRUTH, "mdetr")}["spans"] == 7


def test_what_a_reader_found_comes_back_from_its_environment_as_it_was(tmp_path: Path) -> None:
    found = Found([Phrase("a.jpg", "a cat", 0, 5, ((1, 2, 3, 4),))], [("a.jpg", "a cat")], {"a.jpg": (9, 9)})
    found.write(tmp_path / "found.json", "1.0")
    back, version = read_found(tmp_path / "found.json")
    assert (replace(back, told=tuple(back.told)), version) == (found, "1.0")


def test_a_reader_that_cannot_be_installed_is_told_with_pips_words() -> None:
    words = "import sys; sys.exit('ERROR: No matching distribution\\nbye')"
    with pytest.raises(environments.NotInstalled, match=r"^ERROR: No matching distribution$"):
        environments._run(["python3", "-c", words])


@pytest.mark.slow
@pytest.mark.django_db
def test_the_command_reads_every_format_and_fails_at_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def workplace() -> Iterator[Path]:
        yield tmp_path / "work"

    def refuse(reader: environments.Reader, folder: Path) -> Path:
        raise environments.NotInstalled("ERROR: no network")

    settings.MEDIA_ROOT = tmp_path / "media"
    (tmp_path / "work").mkdir()
    monkeypatch.setattr(f"{COMMAND}._workplace", workplace)
    monkeypatch.setattr(f"{COMMAND}.install", refuse)
    call_command("interop", environments=tmp_path / "none")
    said = capsys.readouterr().out
    assert "mmdet cannot be installed here and reads nothing: ERROR: no network" in said
    assert said.count("| by description |") == 6 and "MDETR, GLIP" in said

    monkeypatch.setattr(f"{COMMAND}.truth_of", lambda images, pictures: replace(TRUTH, phrases=TRUTH.phrases[1:]))
    (tmp_path / "work" / "made").rename(tmp_path / "before")
    with pytest.raises(CommandError, match="made, mdetr, by description: spans: has"):
        call_command("interop", environments=tmp_path / "none")
