"""The mix of a stock: each answer about equally often, and no button that is a good guess."""

from collections import Counter

import pytest

from pipeline.rules.known.known_from_gold import Known
from pipeline.rules.known.stock_mix import LEAST, MISSING, NONE_MISSING, Candidate, answer_of, answers, choose, lean
from pipeline.rules.tasks.task import Task

LINK, DRAW, NEED, COVER = Task.COREFERENCE_LINK, Task.BOX_DRAWING, Task.BOX_REQUIREMENT, Task.BOX_COVERAGE
BOX = [[0, 0, 10, 10]]


def many(task: Task, truth: object, count: int, *, rank: int = 0, images: int = 1000) -> list[Candidate]:
    return [Candidate(Known(task, {}, truth), number % images, rank) for number in range(count)]


def mix_of(task: Task, chosen: list[Candidate]) -> Counter[str]:
    return Counter(answer_of(task, one.known.truth) for one in chosen)


def test_every_answer_of_a_task_has_a_name() -> None:
    assert answers(NEED) == ("box", "scene", "no box")
    assert answers(DRAW) == (MISSING, NONE_MISSING)
    assert [answer_of(DRAW, truth) for truth in (BOX, [])] == [MISSING, NONE_MISSING]


def test_each_answer_is_taken_equally_often_where_there_are_enough() -> None:
    candidates = many(NEED, 1, 100) + many(NEED, 2, 40) + many(NEED, 3, 40)
    assert mix_of(NEED, choose(NEED, candidates, most=60)) == {"box": 20, "scene": 20, "no box": 20}


def test_what_is_there_already_is_made_up_for() -> None:
    chosen = choose(LINK, many(LINK, "same", 50) + many(LINK, "different", 50), most=20, mix=Counter(same=15))
    assert mix_of(LINK, chosen) == {"same": 3, "different": 17}


@pytest.mark.parametrize("most", [5, 10, 30, 230])
def test_at_most_three_of_ten_drawings_have_nothing_missing(most: int) -> None:
    mix = mix_of(DRAW, choose(DRAW, many(DRAW, [], 500) + many(DRAW, BOX, 500), most=most))
    assert mix.total() == most
    assert mix[NONE_MISSING] == most * 3 // 10


def test_drawings_with_nothing_missing_alone_make_no_stock() -> None:
    assert choose(DRAW, many(DRAW, [], 50), most=20) == []


def test_a_large_stock_takes_no_more_of_an_answer_that_leans_it() -> None:
    chosen = choose(COVER, many(COVER, "all there", 300) + many(COVER, "more needed", 20), most=200)
    assert mix_of(COVER, chosen) == {"all there": 30, "more needed": 20}
    assert lean(COVER, mix_of(COVER, chosen)) == ""


def test_a_stock_too_small_for_probation_is_filled_whatever_the_answers() -> None:
    chosen = choose(COVER, many(COVER, "all there", 300), most=200)
    assert len(chosen) == LEAST
    assert "“all there” is right in 100%" in lean(COVER, mix_of(COVER, chosen))


def test_a_lean_is_told_from_thirty_questions_on() -> None:
    assert lean(LINK, Counter(same=29)) == ""
    assert lean(LINK, Counter(same=18, different=12)) == ""
    assert "“same” is right in 63%" in lean(LINK, Counter(same=19, different=11))
    assert "at most 30 %" in lean(DRAW, Counter({NONE_MISSING: 10, MISSING: 20}))
    assert lean(DRAW, Counter({MISSING: 30})) == ""


def test_the_images_least_used_come_first() -> None:
    chosen = choose(LINK, many(LINK, "same", 40, images=4), most=8, images=Counter({0: 2}))
    assert Counter(one.image for one in chosen) == {0: 1, 1: 3, 2: 2, 3: 2}


def test_a_lower_rank_comes_before_a_fresher_image() -> None:
    candidates = many(LINK, "same", 9, rank=1) + many(LINK, "same", 3, images=1)
    assert [one.rank for one in choose(LINK, candidates, most=5)] == [0, 0, 0, 1, 1]


def test_examples_need_no_balance() -> None:
    chosen = choose(DRAW, many(DRAW, [], 5) + many(DRAW, BOX, 5), most=2, balanced=False)
    assert mix_of(DRAW, chosen) == {MISSING: 1, NONE_MISSING: 1}
