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

Lines = Callable[..., Path]
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


def test_majority_and_unanimity_are_counted(run: Run, lines: Lines, tmp_path: Path) -> None:
    figures = run(*STEP, "--votes", lines(*VOTES), charts=True)["figures"]
    assert (tmp_path / "report" / "agreement.svg").exists()
    assert (figures["items"], figures["majority"], figures["unanimous"]) == (6, 4, 3)
    assert (figures["votes"], figures["workers"]) == (18, 3)
    assert (figures["human_majority.t1.correct"], figures["human_majority.t1.foil"]) == (50, 75)
    assert (figures["human_majority.t1.overall"], figures["human_unanimity.t1.foil"]) == (62.5, 50)
    assert "human_majority.t2.all" not in figures
    disputed = (tmp_path / "report" / "disputed.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in disputed[1:]] == ["b#0:correct", "d#0:foil", "b#0:foil"]


def test_typed_words_are_counted_over_all_foils_and_over_those_called_wrong(run: Run, lines: Lines) -> None:
    last = Item("d#0", "d", "A dog sits .", "A cat sits .", 1, "dog", "cat", "animal", "test")
    items = lines(*map(asdict, [*ITEMS, last]), name="items.jsonl")
    figures = run(*STEP, "--votes", lines(*VOTES, name="votes.jsonl"), "--items", items)["figures"]
    assert figures["human_majority.t2.all"] == 50
    assert figures["human_majority.t2.called_wrong"] == pytest.approx(200 / 3)
    assert figures["human_unanimity.t2.all"] == 25


def test_captions_of_a_running_survey_with_too_few_votes_are_undecided_and_said(
    run: Run, lines: Lines, refused: Callable[..., str], tmp_path: Path
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


def test_votes_on_other_items_are_refused(lines: Lines, refused: Callable[..., str]) -> None:
    step = (*STEP, "--items", lines(*map(asdict, ITEMS), name="items.jsonl"), "--votes")
    told = refused(*step, lines(*VOTES, name="votes.jsonl"))
    assert "votes on 'd#0:foil', which is not a caption of the items (1 in all)" in told
    told = refused(*step, lines(*votes("a#0:foil", "correct", "correct"), name="votes.jsonl"), "--least", "1")
    assert "'a#0:foil' is a caption of the version correct; by its name it is foil" in told


@row([True, True, True], True, True)
@row([True, True, False], True, False)
@row([True, False, False], False, False)
@row([True, False], False, False)
@row([True], True, True)
@row([], False, False)
def test_right_votes_are_counted(votes: list[bool], *, majority: bool, unanimity: bool) -> None:
    assert (is_right(votes, MAJORITY), is_right(votes, UNANIMITY)) == (majority, unanimity)


@row("Dog", "dog", True)
@row(" dogs. ", "dog", True)
@row("“KNIVES”", "knife", True)
@row("skis", "skis", True)
@row("dogged", "dog", False)
@row("the dog", "dog", False)
@row("", "dog", False)
@row(None, "dog", False)
def test_case_signs_and_number_do_not_matter(typed: str | None, word: str, *, same: bool, coco_words: Lexicon) -> None:
    assert is_foil_word(typed, word, coco_words) is same


@row("foil", "foil", "foil", True)
@row("Wrong", "foil", "foil", True)
@row("correct", "foil", "foil", False)
@row("wrong", "correct", "correct", False)
@row("wrong", True, "foil", True)
@row("wrong", False, "correct", False)
@row("yes", "yes", None, True)
@row(True, True, None, True)
@row(False, True, None, False)
@row({"answer": "wrong", "word": "dog"}, "wrong", "foil", True)
def test_an_answer_is_held_against_the_right_one(
    answer: Any, right: Any, version: str | None, *, is_right: bool, lines: Lines
) -> None:
    row = {"item": 7, "worker": "w1", "answer": answer, "right": right, "seconds": 3.5, "at": "2026-01-01"}
    ((vote,),) = read_votes(lines(row)).by_item.values()
    assert (vote.item, vote.is_right, vote.version) == ("7", is_right, version)


def test_votes_without_a_right_answer_are_counted_and_left_out_and_a_survey_of_none_is_refused(
    lines: Lines,
) -> None:
    rows = [{"item": 1, "worker": "a", "answer": "x", "right": right} for right in ("x", None)]
    found = read_votes(lines(rows[0], {**rows[1], "item": 2}))
    assert (list(found.by_item), found.unknown) == (["1"], 1)
    with pytest.raises(InputError, match="holds no vote with a right answer"):
        read_votes(lines(rows[1]))


@row([1, "a", "x", "x"], "line 2: the worker 'a' votes twice on the item '1'")
@row([1, "b", "x"], "line 2: the field 'right' is missing")
@row([1, "", "x", "x"], "line 2: the field 'worker' is ''")
@row([1, "b", None, "x"], "line 2: the answer is 'None', not a text")
@row([1, "b", "x", ["x"]], "line 2: the right answer is")
@row([1, "b", "x", "x", 1], "line 2: the field 'word' is not text")
def test_a_bad_line_is_named(values: list[Any], told: str, lines: Lines) -> None:
    row = dict(zip(("item", "worker", "answer", "right", "word"), values, strict=False))
    with pytest.raises(InputError, match=told):
        read_votes(lines({"item": 1, "worker": "a", "answer": "x", "right": "x"}, row))
