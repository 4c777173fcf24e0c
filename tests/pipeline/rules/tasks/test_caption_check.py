"""Answers to a caption check: what they may be, and which are right."""

from typing import Any

from pipeline.rules.tasks.answers import fault_in, schema_of
from pipeline.rules.tasks.caption_check import is_right, tokens, tokens_shown
from pipeline.rules.tasks.task import Task

CHECK = Task.CAPTION_CHECK
CORRECT, WRONG = {"verdict": "correct"}, {"verdict": "wrong", "word": 1}


def fault(answer: Any, words: int = 4) -> str:
    return fault_in(CHECK, answer, 100, 80, words=words) or ""


def test_a_verdict_with_the_wrong_words_place_is_an_answer() -> None:
    for answer in (CORRECT, WRONG, {**WRONG, "word": 3}, {**WRONG, "right": "ä" * 60}):
        assert fault(answer) == "", answer


def test_anything_else_is_refused_in_words() -> None:
    refused: list[tuple[Any, str]] = [
        ("correct", "A caption check is"),
        ({"verdict": "maybe"}, "A caption check is"),
        ({"verdict": "wrong"}, "A caption check is"),
        ({**CORRECT, "word": 1}, "A caption check is"),
        ({**WRONG, "word": -1}, "A caption check is"),
        ({**WRONG, "word": True}, "A caption check is"),
        ({**WRONG, "word": 1.0}, "A caption check is"),
        ({**WRONG, "right": "a" * 61}, "at most 60 characters"),
        ({**WRONG, "right": None}, "A caption check is"),
        ({**WRONG, "more": 1}, "A caption check is"),
        ({**WRONG, "word": 4}, "The caption has 4 words, counted from 0: it has no word 4."),
        ({**WRONG, "right": "a\0b"}, "cannot be printed"),
        ({**WRONG, "right": "a\nb"}, "cannot be printed"),
    ]
    for answer, words in refused:
        assert words in fault(answer), answer


def test_words_are_the_parts_between_white_space() -> None:
    assert tokens("  A man,\tin a\u00a0hat . ") == ["A", "man,", "in", "a", "hat", "."]
    assert tokens_shown({"survey": {"caption": "a man in a hat"}}) == 5
    assert tokens_shown({"mentions": []}) == tokens_shown({"survey": {"atom": "hat"}}) == 0


def test_an_answer_is_right_by_its_verdict_and_the_words_place() -> None:
    answers: list[tuple[Any, Any, bool]] = [
        (CORRECT, CORRECT, True),
        (CORRECT, WRONG, False),
        (WRONG, CORRECT, False),
        (WRONG, {**WRONG, "right": "cat"}, True),
        (WRONG, {**WRONG, "word": 2}, False),
        ({"verdict": "wrong"}, {**WRONG, "word": 2}, True),
    ]
    for truth, answer, right in answers:
        assert is_right(truth, answer) is right, f"{answer} where {truth}"


def test_the_schema_has_both_kinds_of_answers() -> None:
    assert [one["required"] for one in schema_of(CHECK)["oneOf"]] == [["verdict"], ["verdict", "word"]]
