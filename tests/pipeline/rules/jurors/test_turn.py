"""A program that suddenly contradicts people is taken for another one."""

from random import Random

from pipeline.rules.jurors.turn import NEWEST, WINDOW, counting, since_turn


def contradictions(*phases: tuple[int, float], seed: int = 1) -> list[float]:
    """For each phase so many answers, and the share that contradicts people."""
    draw = Random(seed)
    return [float(draw.random() < share) for number, share in phases for _ in range(number)]


def test_answers_before_a_turn_count_no_longer():
    begin = since_turn(contradictions((200, 0.1), (90, 0.5)))
    assert 200 - WINDOW <= begin <= 290


def test_a_program_that_errs_evenly_has_not_turned():
    assert [since_turn(contradictions((240, 0.08), seed=seed)) for seed in range(20)].count(0) >= 19


def test_a_program_that_gets_better_keeps_what_it_said():
    assert since_turn(contradictions((200, 0.5), (100, 0.1))) == 0


def test_too_few_answers_show_no_turn():
    assert since_turn([0.0] * WINDOW + [1.0] * (WINDOW - 1)) == 0


def test_the_newest_answers_of_the_lot_count():
    count = counting([0.1] * 700, [place % 2 == 0 for place in range(700)])
    assert len(count) == NEWEST and all(place % 2 == 0 for place in count) and count[-1] == 698


def test_answers_are_compared_with_others_of_their_kind():
    """Outside the lot a program is contradicted more often, since people are asked where they doubt it."""
    of_lot, others = contradictions((120, 0.1)), contradictions((200, 0.4))
    assert counting([*of_lot, *others], [True] * 120 + [False] * 200) == list(range(120))
    turned = [*of_lot, *others, *contradictions((90, 0.9)), 0.1]
    assert counting(turned, [True] * 120 + [False] * 290 + [True]) == [410]
