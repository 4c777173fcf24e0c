"""A program that suddenly contradicts people is taken for another one."""

from random import Random

from pipeline.rules.jurors.turn import WINDOW, since_turn


def contradictions(*phases: tuple[int, float], seed: int = 1) -> list[float]:
    """For each phase so many answers, and the share that contradicts people."""
    draw = Random(seed)
    return [float(draw.random() < share) for number, share in phases for _ in range(number)]


def test_answers_before_a_turn_count_no_longer():
    begin = since_turn(contradictions((200, 0.1), (60, 0.5)))
    assert 200 - WINDOW <= begin <= 260


def test_a_program_that_errs_evenly_has_not_turned():
    assert [since_turn(contradictions((240, 0.08), seed=seed)) for seed in range(20)].count(0) >= 19


def test_a_program_that_gets_better_keeps_what_it_said():
    assert since_turn(contradictions((200, 0.5), (100, 0.1))) == 0


def test_too_few_answers_show_no_turn():
    assert since_turn([0.0] * WINDOW + [1.0] * (WINDOW - 1)) == 0
