"""Pairs of workers who share errors."""

from workers.rules.signals.one_button import Judged
from workers.rules.signals.shared_errors import shared_errors

QUESTIONS = 40


def crowd(answers: dict[int, list[str]], *, known: bool = True) -> list[Judged]:
    """Worker 1 to 10 err on every tenth question, each on others; `answers` come in addition. The truth is "same"."""
    honest = {n: ["different" if q % 10 == n - 1 else "same" for q in range(QUESTIONS)] for n in range(1, 11)}
    truth = "same" if known else None
    return [
        Judged(1000 * worker + q, worker, q, answer, truth)
        for worker, given in (honest | answers).items()
        for q, answer in enumerate(given)
    ]


def erring(on: range) -> list[str]:
    return ["different" if q in on else "same" for q in range(QUESTIONS)]


def test_two_who_err_on_the_same_questions_are_found_and_the_others_are_not():
    found = shared_errors(crowd({11: erring(range(0, 40, 4)), 12: erring(range(0, 40, 4))}), errors=5)
    assert set(found) == {(11, 12)}
    shared = found[11, 12]
    assert (shared.equal, shared.met) == (10, 40)
    assert shared.chance < 1e-3
    assert shared.judgments == tuple(1000 * worker + q for worker in (11, 12) for q in range(0, 40, 4))


def test_the_right_answers_can_come_from_the_votes():
    judgments = crowd({11: erring(range(0, 40, 4)), 12: erring(range(0, 40, 4))}, known=False)
    assert shared_errors(judgments, errors=5)[11, 12].chance < 1e-3


def test_errors_that_half_of_the_crowd_makes_are_left_out():
    many = {n: erring(range(6)) for n in range(11, 24)}
    assert shared_errors(crowd(many), errors=5) == {}


def test_two_who_press_one_button_are_not_one_account():
    buttons = {11: ["different"] * QUESTIONS, 12: ["different"] * QUESTIONS}
    assert shared_errors(crowd(buttons), errors=5)[11, 12].chance > 0.01


def test_errors_on_hard_questions_are_no_surprise():
    hard = range(8)
    others = {n: erring(range(n % 2, 8, 2)) for n in range(13, 23)}
    pair = {11: erring(hard), 12: erring(hard)}
    on_easy_ones = shared_errors(crowd(pair), errors=8)[11, 12].chance
    assert shared_errors(crowd(pair | others), errors=8)[11, 12].chance > 3 * on_easy_ones
