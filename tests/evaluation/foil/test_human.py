"""Agreement: captions that the majority, and all, judged rightly; people's rows worked out by hand.
Majority is more than half of the votes, unanimity all of them; typed words are compared but for form.
Votes are read as surveys export them, and a bad line is named.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.foil.human.people import MAJORITY, UNANIMITY, is_foil_word, is_right
from evaluation.foil.human.votes import read_votes
from evaluation.foil.item import Item
from evaluation.foil.making.lexicon import Lexicon
from tests.support.table import row

Run = Callable[..., dict[str, Any]]
STEP = ("foil", "agreement")
ITEMS = [
    Item(f"{image}#0", image, "A dog sits .", "A cat sits .", 1, "dog", "cat", "animal", "test") for image in "abc"
]


def votes(name: str, right: str, *answers: str) -> list[dict[str, str]]:
    """Return a vote for each answer, such as "foil cat": the answer and the typed word."""
    rows = []
    for number, answer in enumerate(answers):
        said, _, word = answer.partition(" ")
        rows.append({"item": name, "worker": f"w{number}", "answer": said, "right": right, "word": word})
    return rows


VOTES = [
    *votes("a#0:correct", "correct", "correct", "correct", "correct"),
    *votes("b#0:correct", "correct", "correct", "foil x", "foil x"),
    *votes("a#0:foil", "foil", "foil cat", "foil Cats.", "foil CAT"),
    *votes("b#0:foil", "foil", "foil cat", "foil cat", "correct"),
    *votes("c#0:foil", "foil", "foil sits", "foil cat", "foil sits"),
    *votes("d#0:foil", "foil", "correct", "correct", "foil cat"),
]


def test_majority_and_unanimity_are_counted(run: Run, lines: Callable[..., Path], tmp_path: Path) -> None:
    figures = run(*STEP, "--votes", lines(*VOTES), charts=True)["figures"]
    assert (tmp_path / "report" / "agreement.svg").exists()
    assert (figures["items"], figures["majority"], figures["unanimous"]) == (6, 4, 3)
    assert (figures["votes"], figures["workers"]) == (18, 3)
    assert figures["human_majority.t1.correct"] == 50
    assert figures["human_majority.t1.foil"] == 75
    assert figures["human_majority.t1.overall"] == 62.5
    assert figures["human_unanimity.t1.foil"] == 50
    assert "human_majority.t2.all" not in figures
    disputed = (tmp_path / "report" / "disputed.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in disputed[1:]] == ["b#0:correct", "d#0:foil", "b#0:foil"]


def test_typed_words_are_counted_over_all_foils_and_over_those_called_wrong(
    run: Run, lines: Callable[..., Path]
) -> None:
    last = Item("d#0", "d", "A dog sits .", "A cat sits .", 1, "dog", "cat", "animal", "test")
    items = lines(*map(asdict, [*ITEMS, last]), name="items.jsonl")
    figures = run(*STEP, "--votes", lines(*VOTES, name="votes.jsonl"), "--items", items)["figures"]
    assert figures["human_majority.t2.all"] == 50
    assert figures["human_majority.t2.called_wrong"] == pytest.approx(200 / 3)
    assert figures["human_unanimity.t2.all"] == 25


def test_captions_of_a_running_survey_with_too_few_votes_are_undecided_and_said(
    run: Run, lines: Callable[..., Path], refused: Callable[..., str], tmp_path: Path
) -> None:
    running = lines(*VOTES, *votes("e#0:foil", "foil", "foil", "foil"))
    figures = run(*STEP, "--votes", running)["figures"]
    assert (figures["items"], figures["undecided"]) == (6, 1)
    page = (tmp_path / "report" / "report.md").read_text()
    assert "1 captions have fewer than 3 votes and are undecided: they are left out (--least)." in page
    assert run(*STEP, "--votes", running, "--least", "2")["figures"]["unanimous"] == 4
    assert "no caption has 4 votes, the most have 3: wait, or give --least 3" in refused(
        *STEP, "--votes", running, "--least", "4"
    )
    assert "--least is 0: give a whole number from 1" in refused(*STEP, "--votes", running, "--least", "0")


def test_votes_on_other_items_are_refused(lines: Callable[..., Path], refused: Callable[..., str]) -> None:
    step = (*STEP, "--items", lines(*map(asdict, ITEMS), name="items.jsonl"), "--votes")
    told = refused(*step, lines(*VOTES, name="votes.jsonl"))
    assert "votes on 'd#0:foil', which is not a caption of the items (1 in all)" in told
    told = refused(*step, lines(*votes("a#0:foil", "correct", "correct"), name="votes.jsonl"), "--least", "1")
    assert "'a#0:foil' is a caption of the version correct; by its name it is foil" in told


@pytest.mark.parametrize(
    ("votes", "majority", "unanimity"),
    [
        ([True, True, True], True, True),
        ([True, True, False], True, False),
        ([True, False, False], False, False),
        ([True, False], False, False),
        ([True], True, True),
        ([], False, False),
    ],
)
def test_right_votes_are_counted(votes: list[bool], *, majority: bool, unanimity: bool) -> None:
    assert (is_right(votes, MAJORITY), is_right(votes, UNANIMITY)) == (majority, unanimity)


@pytest.mark.parametrize(
    ("typed", "word", "same"),
    [
        ("Dog", "dog", True),
        (" dogs. ", "dog", True),
        ("“KNIVES”", "knife", True),
        ("skis", "skis", True),
        ("dogged", "dog", False),
        ("the dog", "dog", False),
        ("", "dog", False),
        (None, "dog", False),
    ],
)
def test_case_punctuation_and_number_make_no_difference(
    coco_words: Lexicon, typed: str | None, word: str, *, same: bool
) -> None:
    assert is_foil_word(typed, word, coco_words) is same


@pytest.mark.parametrize(
    ("answer", "right", "is_right", "version"),
    [
        ("foil", "foil", True, "foil"),
        ("Wrong", "foil", True, "foil"),
        ("correct", "foil", False, "foil"),
        ("wrong", "correct", False, "correct"),
        ("wrong", True, True, "foil"),
        ("wrong", False, False, "correct"),
        ("yes", "yes", True, None),
        (True, True, True, None),
        (False, True, False, None),
        ({"answer": "wrong", "word": "dog"}, "wrong", True, "foil"),
    ],
)
def test_an_answer_is_held_against_the_right_one(
    lines: Callable[..., Path], answer: Any, right: Any, version: str | None, *, is_right: bool
) -> None:
    row = {"item": 7, "worker": "w1", "answer": answer, "right": right, "seconds": 3.5, "at": "2026-01-01"}
    ((vote,),) = read_votes(lines(row)).by_item.values()
    assert (vote.item, vote.is_right, vote.version) == ("7", is_right, version)


def test_votes_without_a_right_answer_are_counted_and_left_out(lines: Callable[..., Path]) -> None:
    rows = [{"item": 1, "worker": "a", "answer": "x", "right": right} for right in ("x", None)]
    found = read_votes(lines(rows[0], {**rows[1], "item": 2}))
    assert (list(found.by_item), found.unknown) == (["1"], 1)


@row({"item": 1, "worker": "a", "answer": "x", "right": "x"}, "line 2: the worker 'a' votes twice on the item '1'")
@row({"item": 1, "worker": "b", "answer": "x"}, "line 2: the field 'right' is missing")
@row({"item": 1, "worker": "", "answer": "x", "right": "x"}, "line 2: the field 'worker' is ''")
@row({"item": 1, "worker": "b", "answer": None, "right": "x"}, "line 2: the answer is 'None', not a text")
@row({"item": 1, "worker": "b", "answer": "x", "right": ["x"]}, "line 2: the right answer is")
@row({"item": 1, "worker": "b", "answer": "x", "right": "x", "word": 1}, "line 2: the field 'word' is not text")
def test_a_bad_line_is_named(row: Any, told: str, lines: Callable[..., Path]) -> None:
    with pytest.raises(InputError) as refused:
        read_votes(lines({"item": 1, "worker": "a", "answer": "x", "right": "x"}, row))
    assert told in str(refused.value)


def test_a_survey_without_known_answers_is_refused(lines: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="holds no vote with a right answer"):
        read_votes(lines({"item": 1, "worker": "a", "answer": "x", "right": None}))
