"""Right and wrong answers to verification questions."""

import json
from itertools import permutations, product

from pipeline.rules.known.known_answer import Mistake, fits_task, is_right, kinds_told, mistake_in
from pipeline.rules.tasks.answers import CHOICES
from pipeline.rules.tasks.task import Task
from tests.support.places import ROOT

DRAW = Task.BOX_DRAWING
MISSING = [[0, 0, 10, 10], [50, 50, 60, 60]]


def test_only_the_known_answer_is_right() -> None:
    truths = [(task, truth) for task, choices in CHOICES.items() for truth in choices]
    assert truths
    for task, truth in truths:
        assert [answer for answer in CHOICES[task] if is_right(task, truth, answer)] == [truth], task


def test_a_box_is_right_if_it_overlaps_a_missing_one_by_half() -> None:
    for drawn, right in [
        ([0, 0, 10, 10], True),
        ([50, 50, 60, 60], True),
        ([0, 0, 10, 5], True),  # an IOU of exactly a half
        ([0, 0, 10, 4], False),
        ([20, 20, 30, 30], False),
        ([0, 0, 60, 60], False),
    ]:
        assert is_right(DRAW, MISSING, {"box": drawn}) is right, drawn


def test_none_missing_is_right_just_when_none_is() -> None:
    assert is_right(DRAW, [], {"none_missing": True})
    assert not is_right(DRAW, MISSING, {"none_missing": True})
    assert not is_right(DRAW, [], {"box": [0, 0, 10, 10]})


def test_a_truth_must_fit_its_task() -> None:
    truths: list[tuple[Task, object, bool]] = [
        (Task.COREFERENCE_LINK, "same", True),
        (Task.COREFERENCE_LINK, "good", False),
        (Task.BOX_REQUIREMENT, 1, True),
        (Task.BOX_REQUIREMENT, True, False),
        (Task.BOX_REQUIREMENT, 0, False),  # a drawer's vote, which nobody is asked for
        (DRAW, [], True),
        (DRAW, MISSING, True),
        (DRAW, [[0, 0, 0, 10]], False),
        (DRAW, [[0, 0, 1.5, 10]], False),
        (DRAW, "none", False),
    ]
    for task, truth, fits in truths:
        assert fits_task(task, truth) is fits, f"{task}: {truth!r}"


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
