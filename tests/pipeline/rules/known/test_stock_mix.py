"""The mix of a stock: each answer about equally often, and no button that is a good guess."""

from collections import Counter

from pipeline.rules.known.known_from_gold import Known, Look
from pipeline.rules.known.stock_mix import (
    LEAST,
    MISSING,
    NONE_MISSING,
    Candidate,
    Usual,
    answer_of,
    answers,
    choose,
    lean,
    one_button,
)
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


def test_at_most_three_of_ten_drawings_have_nothing_missing() -> None:
    candidates = many(DRAW, [], 500) + many(DRAW, BOX, 500)
    for most in (5, 10, 30, 230):
        mix = mix_of(DRAW, choose(DRAW, candidates, most=most))
        assert (mix.total(), mix[NONE_MISSING]) == (most, most * 3 // 10)


def test_drawings_with_nothing_missing_alone_make_no_stock() -> None:
    assert choose(DRAW, many(DRAW, [], 50), most=20) == []


def test_a_large_stock_takes_no_more_of_an_answer_that_leans_it() -> None:
    chosen = choose(COVER, many(COVER, "all there", 300) + many(COVER, "more needed", 20), most=200)
    assert mix_of(COVER, chosen) == {"all there": 30, "more needed": 20}
    assert lean(COVER, mix_of(COVER, chosen), 0.8) == ""


def test_a_stock_too_small_for_probation_is_filled_whatever_the_answers() -> None:
    chosen = choose(COVER, many(COVER, "all there", 300), most=200)
    assert len(chosen) == LEAST
    assert "“all there” is right in 100%" in lean(COVER, mix_of(COVER, chosen), 0.8)


def test_a_lean_is_told_from_thirty_questions_on() -> None:
    assert lean(LINK, Counter(same=22, different=7), 0.8) == ""
    assert lean(LINK, Counter(same=18, different=12), 0.8) == ""
    assert "“same” is right in 63%" in lean(LINK, Counter(same=19, different=11), 0.8)
    assert "at most 30 %" in lean(DRAW, Counter({NONE_MISSING: 10, MISSING: 20}), 0.8)
    assert lean(DRAW, Counter({MISSING: 30}), 0.8) == ""


def test_one_button_that_reaches_the_minimum_is_told_from_ten_questions_on() -> None:
    assert lean(LINK, Counter(same=9), 0.8) == ""
    assert "passes, and no score can correct it" in lean(LINK, Counter(same=10), 0.8)
    assert "passes" in lean(LINK, Counter(same=24, different=6), 0.8)
    assert "passes" not in lean(LINK, Counter(same=23, different=7), 0.8)
    assert "passes" in lean(DRAW, Counter({NONE_MISSING: 7, MISSING: 3}), 0.7)
    assert one_button(LINK, Counter(same=6, different=4)) == ("same", 0.6)
    assert one_button(DRAW, Counter({NONE_MISSING: 3, MISSING: 7})) == (NONE_MISSING, 0.3)


def test_the_images_least_used_come_first() -> None:
    chosen = choose(LINK, many(LINK, "same", 40, images=4), most=8, images=Counter({0: 2}))
    assert Counter(one.image for one in chosen) == {0: 1, 1: 3, 2: 2, 3: 2}


def test_a_lower_rank_comes_before_a_fresher_image() -> None:
    candidates = many(LINK, "same", 9, rank=1) + many(LINK, "same", 3, images=1)
    assert [one.rank for one in choose(LINK, candidates, most=5)] == [0, 0, 0, 1, 1]


def test_examples_need_no_balance() -> None:
    chosen = choose(DRAW, many(DRAW, [], 5) + many(DRAW, BOX, 5), most=2, balanced=False)
    assert mix_of(DRAW, chosen) == {MISSING: 1, NONE_MISSING: 1}


def of_look(answer: str, look: Look, count: int) -> list[Candidate]:
    return [Candidate(Known(COVER, {}, answer), number, look=look) for number in range(count)]


def test_the_requester_is_told_when_a_button_passes_because_gold_has_no_other_answer() -> None:
    text = lean(COVER, mix_of(COVER, choose(COVER, many(COVER, "all there", 300), most=200)), 0.8)
    assert "always gives this answer passes" in text and "right answer is “more needed”" in text


def test_at_no_size_a_button_is_right_in_more_than_six_of_ten() -> None:
    candidates = many(LINK, "same", 500) + many(LINK, "different", 500)
    for most in (3, 10, 29, 30, 200):
        mix = mix_of(LINK, choose(LINK, candidates, most=most))
        assert mix.total() == most and 10 * max(mix.values()) <= 6 * most + 4, f"{most}: {mix}"


def test_a_stock_shows_types_and_boxes_as_often_as_real_questions_do() -> None:
    one, two, dogs = Look(("people",), 1, 1), Look(("people",), 1, 2), Look(("animals",), 1, 1)
    real = Usual(Counter({one: 60, two: 10, dogs: 30}), Counter({"all there": 90, "more needed": 10}))
    pool = [*of_look("all there", two, 99), *of_look("all there", one, 99), *of_look("all there", dogs, 99)]
    pool += [*of_look("more needed", dogs, 99), *of_look("more needed", one, 99)]
    chosen = choose(COVER, pool, most=100, usual=real)
    assert Counter(one.look for one in chosen) == real.looks


def test_right_answers_are_as_frequent_as_in_real_questions_up_to_six_of_ten() -> None:
    pool = [known for answer in ("all there", "more needed") for known in many(COVER, answer, 300)]
    for share, most in ((45, 45), (90, 60)):
        real = Usual(Counter(), Counter({"all there": share, "more needed": 100 - share}))
        assert mix_of(COVER, choose(COVER, pool, most=100, usual=real))["all there"] == most


def test_an_answer_that_real_questions_never_have_is_in_the_stock() -> None:
    pool = many(NEED, 1, 99) + many(NEED, 2, 99) + many(NEED, 3, 99)
    real = Usual(Counter(), Counter({"box": 100}))
    assert mix_of(NEED, choose(NEED, pool, most=50, usual=real)) == {"box": 30, "scene": 10, "no box": 10}
