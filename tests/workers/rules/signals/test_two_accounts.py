"""One signal from shared errors, shared boxes and hours of work."""

import random

import pytest

from workers.rules.signals.one_button import Judged
from workers.rules.signals.two_accounts import Shared, Spell, interlock, shared_errors, spells, two_accounts

HOUR = 3600.0


def days(offset: float, length: float = 1200, *, jitter: float = 0, seed: str = "") -> list[Spell]:
    """Twenty spells in the same hours of twenty days."""
    rng = random.Random(seed)
    begins = [24 * HOUR * day + 9 * HOUR + offset + rng.uniform(-jitter, jitter) for day in range(20)]
    return [Spell(begin, begin + length) for begin in begins]


IN_STEP = {1: days(0), 2: days(1220)}


def test_errors_and_activity_together_are_stronger_than_errors_alone():
    errors = Shared(1e-4, 9, 40, (3, 5))
    alone, both = two_accounts((1, 2), errors), two_accounts((1, 2), errors, spells=IN_STEP)
    assert alone is not None
    assert both is not None
    assert both.chance < 1e-9 < alone.chance
    assert both.workers == (1, 2)
    assert both.judgments == (3, 5)
    assert both.evidence == (
        "9 equal wrong answers on 40 questions that both answered. Of 20 spells of work 0 overlap with the other's; "
        "0 times both began within a minute, 20 times one began as the other ended."
    )


@pytest.mark.parametrize("chance", [1.0, 0.002])
def test_activity_alone_makes_no_signal(chance: float):
    assert two_accounts((1, 2), Shared(chance, 3, 40, ()), spells=IN_STEP) is None


def test_boxes_can_speak_instead_of_errors():
    signal = two_accounts((1, 2), boxes=Shared(1e-9, 6, 7, (1, 2)))
    assert signal is not None
    assert signal.evidence == "6 nearly equal boxes on 7 questions for which both drew."


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


def test_spells_end_with_a_long_pause():
    assert spells([5000, 0, 100, 5050]) == [Spell(0, 100), Spell(5000, 5050)]
    assert spells([]) == []


def test_one_who_begins_as_the_other_ends_interlocks():
    found = interlock(days(0), days(1220))
    assert (found.handovers, found.joint, found.overlapping) == (20, 0, 0)
    assert found.chance < 1e-12
    assert interlock(days(1220), days(0)).chance == found.chance


def test_two_who_begin_together_interlock():
    found = interlock(days(0), days(20))
    assert (found.handovers, found.joint, found.overlapping) == (0, 20, 20)
    assert found.chance < 1e-12


def test_two_who_work_in_the_same_hours_do_not_interlock():
    assert interlock(days(0, jitter=1500, seed="a"), days(0, jitter=1500, seed="b")).chance > 0.05


def test_two_who_never_work_in_the_same_hours_say_nothing():
    assert interlock(days(0), days(6 * HOUR)).chance == 1


def test_only_the_hours_in_which_both_could_have_begun_count():
    assert interlock(days(0), days(1220)[:5]).chance == pytest.approx(interlock(days(0)[:5], days(1220)[:5]).chance)
