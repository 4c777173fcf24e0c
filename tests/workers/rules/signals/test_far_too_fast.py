import math

import pytest

from workers.rules.signals.far_too_fast import Pace, Timed, far_too_fast, far_too_fast_in_all, pace

USUAL = Pace(math.log(8), 0.3, 0.6)


def taking(*seconds: float, times: int = 1) -> list[Timed]:
    return [Timed(number, one) for number, one in enumerate(seconds * times)]


def test_a_worker_at_a_sixth_of_the_usual_seconds_is_shown_with_the_figures():
    signal = far_too_fast(7, taking(1.2, 1.3, 1.4, times=20), USUAL, floor=0.5)
    assert signal is not None
    assert signal.workers == (7,)
    assert signal.chance < 1e-6
    assert signal.evidence == "60 answers took 1.3 s in the middle (usual: 8.0 s); 0 took less than 0.5 s."
    assert len(signal.judgments) == 40


def test_a_worker_at_half_of_the_usual_is_practised_and_not_shown():
    assert far_too_fast(7, taking(4.0, times=200), USUAL, floor=1) is None


def test_answers_under_the_floor_are_shown_even_where_nobody_knows_what_is_usual():
    signal = far_too_fast(7, taking(0.2, 9.0, 9.0, times=20), None, floor=1)
    assert signal is not None
    assert signal.chance < 0.001
    assert len(signal.judgments) == 60, "half of the answers are below the middle or at it"


def test_a_tenth_under_the_floor_is_forgiven():
    assert far_too_fast(7, taking(0.2, *[9.0] * 9, times=20), USUAL, floor=1) is None


def test_few_answers_say_nothing():
    assert far_too_fast(7, taking(0.1, times=29), USUAL, floor=1) is None
    assert far_too_fast(7, taking(0.1, times=30), USUAL, floor=1) is not None


def test_the_usual_pace_is_not_moved_by_bad_workers():
    def crowd(bad: int) -> dict[int, list[Timed]]:
        quick = {-n: taking(0.1, times=500) for n in range(1, bad + 1)}
        return quick | {n: taking(*(n + 0.1 * k for k in range(20))) for n in range(5, 26)}

    honest, spoilt = pace(crowd(0)), pace(crowd(6))
    assert honest is not None
    assert spoilt is not None
    assert math.exp(honest.centre) == pytest.approx(15.95, rel=1e-4)
    assert math.exp(spoilt.centre) == pytest.approx(12.95, rel=1e-4)


def test_too_few_workers_have_no_usual_pace():
    assert pace({n: taking(5.0, times=20) for n in range(9)}) is None
    assert pace({n: taking(5.0, times=20) for n in range(10)}) is not None
    assert pace({n: taking(5.0, times=19) for n in range(10)}) is None


def test_workers_are_never_taken_to_be_all_alike():
    usual = pace({n: taking(5.0, times=20) for n in range(10)})
    assert usual is not None
    assert usual.between == 0.25


# --- Over several tasks


def half_seconds(**answers: int) -> dict[str, list[Timed]]:
    numbers = iter(range(1000))
    return {task: [Timed(next(numbers), 0.5) for _ in range(often)] for task, often in answers.items()}


def test_half_a_second_for_each_of_twenty_answers_to_box_tasks_is_shown():
    signal = far_too_fast_in_all(7, half_seconds(box_drawing=8, box_quality=7, box_coverage=5))
    assert signal is not None
    assert (signal.workers, len(signal.judgments)) == ((7,), 20)
    assert signal.chance < 1e-5
    assert signal.evidence == "20 of 20 answers to 3 tasks took less than 0.75 s."


def test_over_several_tasks_few_answers_say_nothing_and_one_task_is_looked_at_by_itself():
    assert far_too_fast_in_all(7, half_seconds(box_drawing=10, box_quality=9)) is None
    assert far_too_fast_in_all(7, half_seconds(box_drawing=30)) is None


def test_half_of_the_answers_under_the_floors_is_forgiven_over_several_tasks():
    slow = {"box_requirement": taking(4.0, times=30)}
    assert far_too_fast_in_all(7, half_seconds(box_drawing=30) | slow) is None
