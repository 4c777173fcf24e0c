"""The score of a program: its predictions as answers to questions whose answers are known."""

from typing import Any

from pipeline.rules.known.prediction_score import (
    LEAST,
    KnownOne,
    Standing,
    answer_of,
    predicted,
    prediction_scores,
    standing,
)
from pipeline.rules.tasks.task import Task
from workers.rules.score import Rule, Score

DRAW, LINK = Task.BOX_DRAWING, Task.COREFERENCE_LINK
FIRST, SECOND, ELSEWHERE = [0, 0, 10, 10], [50, 0, 60, 10], [0, 50, 10, 60]


def drawing(*truth: list[int], shown: tuple[list[int], ...] = (), mention: int = 0) -> KnownOne:
    return KnownOne(DRAW, {"mentions": [[mention, 0, 0, 2]], "boxes": list(shown)}, list(truth))


def link(truth: str) -> KnownOne:
    return KnownOne(LINK, {"mentions": [[0, 0, 0, 2], [3, 1, 0, 2]], "boxes": []}, truth)


def boxes(*rows: list[int]) -> Any:
    return predicted([[0, *row] for row in rows], [])


def test_the_best_box_is_the_answer():
    assert answer_of(boxes(FIRST, SECOND), drawing(FIRST)) == {"box": FIRST}


def test_a_box_that_is_shown_already_is_passed_over():
    assert answer_of(boxes(FIRST, SECOND), drawing(SECOND, shown=(FIRST,))) == {"box": SECOND}


def test_a_program_whose_boxes_are_all_shown_says_that_none_is_missing():
    assert answer_of(boxes(FIRST), drawing(shown=(FIRST,))) == {"none_missing": True}


def test_nothing_is_said_about_other_phrases():
    assert answer_of(boxes(FIRST), drawing(FIRST, mention=4)) is None
    assert answer_of(predicted([], [[0], [5]]), link("same")) is None
    assert answer_of(boxes(FIRST), KnownOne(Task.BOX_QUALITY, drawing().shown, "good")) is None


def test_chains_answer_links():
    for chains, answer in [([[0, 3]], "same"), ([[0], [3]], "different"), ([[0, 1], [3]], "different")]:
        assert answer_of(predicted([], chains), link("same")) == answer, chains


def test_right_answers_are_counted_by_task():
    said = predicted([[0, *FIRST], [1, *ELSEWHERE]], [[0, 3]])
    asked = [drawing(FIRST), drawing(SECOND, mention=1), drawing(FIRST, mention=9), link("same"), link("different")]
    assert prediction_scores((said, known) for known in asked) == {DRAW: Score(1, 2), LINK: Score(1, 2)}


def test_a_program_stands_where_its_score_is_beyond_chance():
    expected = {
        Score(LEAST - 1, LEAST - 1): Standing.UNKNOWN,
        Score(LEAST, LEAST): Standing.ABOVE,
        Score(20, LEAST): Standing.ABOVE,
        Score(10, LEAST): Standing.BELOW,
    }
    assert {score: standing(score, 0.7, Rule.INTERVAL) for score in expected} == expected


def test_the_bare_rule_compares_as_the_paper_does():
    assert standing(Score(20, LEAST), 0.7, Rule.BARE) is Standing.BELOW
