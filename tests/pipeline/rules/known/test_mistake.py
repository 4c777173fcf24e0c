"""Mistakes: what kind a wrong answer is, and what the result of a failed test tells of them."""

import json
from itertools import permutations, product

from pipeline.rules.known.known_answer import is_right
from pipeline.rules.known.mistake import Mistake, kinds_told, mistake_in
from pipeline.rules.tasks.answers import CHOICES
from pipeline.rules.tasks.task import Task
from tests.conftest import ROOT

CASES = json.loads((ROOT / "frontend" / "tests" / "support" / "mistakes.json").read_text(encoding="utf-8"))
"""The cases by which the page's own rule for examples is tested, too."""


def test_a_wrong_answer_has_a_kind_by_its_task_and_direction() -> None:
    found = [case | {"mistake": mistake_in(Task(case["task"]), case["truth"], case["answer"])} for case in CASES]
    assert found == CASES


def test_the_cases_have_every_kind() -> None:
    assert {case["mistake"] for case in CASES} == {None, *Mistake} - {Mistake.LEFT_OUT}


def test_an_answer_has_a_kind_of_mistake_exactly_if_it_is_wrong() -> None:
    for task, choices in CHOICES.items():
        for truth, answer in product(choices, repeat=2):
            assert (mistake_in(task, truth, answer) is None) == is_right(task, truth, answer), (task, truth, answer)


def test_a_failed_test_names_no_kind_that_occurred_once() -> None:
    assert kinds_told([Mistake.LINKED_OTHERS, Mistake.MISSED_LINK]) == ()
    assert kinds_told([]) == ()


def test_a_failed_test_tells_neither_where_nor_how_often_a_kind_occurred() -> None:
    made = [Mistake.MISSED_LINK, Mistake.LINKED_OTHERS, Mistake.MISSED_LINK, Mistake.LINKED_OTHERS]
    told = (Mistake.LINKED_OTHERS, Mistake.MISSED_LINK)
    assert {kinds_told(some) for some in permutations(made)} == {told}
    assert kinds_told([*made, *[Mistake.MISSED_LINK] * 5]) == told
