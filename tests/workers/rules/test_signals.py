"""Signals of workers whose answers are too fast, copied, of one button, or of two accounts."""

import math
import random
from collections.abc import Callable
from functools import cache
from itertools import product
from math import comb
from typing import Any

import pytest

from tests.support.table import case
from workers.rules.signals import copied_boxes as copying
from workers.rules.signals.copied_boxes import (
    BlindBox,
    BoxInImage,
    NearBoxes,
    Repeat,
    blind,
    copied_boxes,
    copies,
    overlap,
)
from workers.rules.signals.far_too_fast import Pace, Timed, far_too_fast, far_too_fast_in_all, pace
from workers.rules.signals.one_button import Explained, TaskAnswer, one_button
from workers.rules.signals.signal import Signal, SignalKind, at_least, best_of, confirmed, dispersion, spread, together
from workers.rules.signals.two_accounts import Shared, Spell, interlock, shared_errors, spells, two_accounts


def signal(worker: int, chance: float) -> Signal:
    return Signal(SignalKind.FAR_TOO_FAST, (worker,), chance, "words", ())


RARE, WEAK, STRONG = signal(1, 0.0002), signal(1, 0.0009), signal(2, 0.0001)


@case("a signal is shown if it is rare among all that were looked at", [RARE, None], 40, [RARE])
@case("and not among more", [RARE, None], 60, [])
@case("many signals support each other and the strongest comes first", [WEAK, STRONG], 20, [STRONG, WEAK])
@case("one alone does not", [WEAK], 20, [])
def test_confirmed(signals: list[Signal | None], tests: int, shown: list[Signal]):
    assert confirmed(signals, tests=tests, false_share=0.01) == shown


def test_a_number_of_tests_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="2 signals from 1 tests"):
        confirmed([signal(1, 0.1), signal(2, 0.1)], tests=1)


def binomial_tail(successes: int, trials: int, share: float) -> float:
    return sum(comb(trials, n) * share**n * (1 - share) ** (trials - n) for n in range(successes, trials + 1))


def test_the_bound_is_never_below_the_binomial_tail():
    for share, successes in product((0.05, 0.3, 0.8), range(31)):
        bound, tail = at_least(successes, 30, share), binomial_tail(successes, 30, share)
        assert bound >= tail - 1e-12, f"{successes} of 30 at {share}"


FISHERS = 0.002 * (1 - math.log(0.002))


@case("the bound is exact where every trial succeeds", at_least, (10, 10, 0.4), pytest.approx(0.4**10))
@case("no more than expected is no evidence", at_least, (3, 10, 0.3), 1)
@case("nor is nothing", at_least, (0, 0, 0.3), 1)
@case("the best of several chances is paid for", best_of, ([0.01, 0.5, 0.9],), pytest.approx(0.03))
@case("up to certainty", best_of, ([0.9, 0.8],), 1)
@case("chances taken together follow Fisher's distribution", together, ([0.01, 0.2],), pytest.approx(FISHERS))
@case("one alone is itself", together, ([0.07],), pytest.approx(0.07))
@case("certain ones are certain", together, ([1.0, 1.0, 1.0],), 1)
def test_a_chance(chance: Callable[..., float], values: tuple[Any, ...], expected: object):
    assert chance(*values) == expected


def test_chances_too_small_for_a_number_stay_above_zero():
    assert 0 < together([0.0, 0.0, 0.0]) < 1e-100


def test_a_spread_is_not_spoilt_by_a_few_wild_values():
    tame = [n / 100 for n in range(-100, 101)]
    assert spread([*tame, 1e6, 1e6, 1e6]) == pytest.approx(spread(tame), rel=0.05)


def test_counts_that_differ_more_than_chance_says_are_overdispersed():
    found = [dispersion(counts, least=10, otherwise=3) for counts in ([0.455 * 4] * 11, [0.0] * 11, [0.0] * 9)]
    assert found == [pytest.approx(4), 1, 3]


SIZE = (500, 400)
BOX = (40, 50, 240, 250)


def drawn(id: int, box: tuple[int, int, int, int] = BOX, *, worker: int = 1, image: int | None = None) -> BoxInImage:
    return BoxInImage(id, worker, id if image is None else image, box, SIZE)


def test_overlap_is_intersection_over_union():
    assert overlap((0, 0, 2, 2), (1, 0, 3, 2)) == pytest.approx(1 / 3)
    assert overlap((0, 0, 2, 2), (2, 0, 3, 2)) == 0


def test_the_grid_finds_exactly_the_boxes_that_a_comparison_of_all_finds():
    rng = random.Random("grid")
    boxes = []
    for id in range(80):
        x, y, w, h = rng.choice((0, 3, 9, 10)), rng.choice((0, 199, 200)), rng.randint(195, 205), rng.randint(98, 102)
        boxes.append(drawn(id, (x, y, x + w, y + h)))
    grid = NearBoxes()
    for one in boxes:
        grid.add(one)
    scaled = {one.id: one.scaled for one in boxes}
    near = {id: {other for other, its in scaled.items() if overlap(box, its) >= 0.98} for id, box in scaled.items()}
    found = {one.id: [other.id for other in grid.near(one)] for one in boxes}
    assert {id: set(others) for id, others in found.items()} == near
    assert 80 < sum(map(len, found.values())) < 80**2


def test_a_whole_picture_and_the_default_box_need_no_look():
    whole, default, large = (0, 1, 500, 400), (125, 100, 375, 300), (0, 0, 480, 400)
    expected = {whole: BlindBox.WHOLE, default: BlindBox.DEFAULT, large: None, BOX: None}
    assert {box: blind(drawn(1, box)) for box in expected} == expected


SHIFTED = (41, 50, 241, 250)


@case("a box of another picture a pixel off is one and its source is none", [drawn(2, SHIFTED)], {2: Repeat.OWN})
@case("another worker's, too", [drawn(2, SHIFTED, worker=2)], {2: Repeat.OTHERS})
@case("of one picture drawn twice it is none", [drawn(2, image=1), drawn(3, image=1, worker=2)], {})
@case("boxes that people would draw of one thing are none", [drawn(2, (46, 50, 246, 254))], {})
@case("numbers scale with the picture", [BoxInImage(2, 1, 2, (80, 100, 480, 500), (1000, 800))], {2: Repeat.OWN})
def test_copies_of_a_box(others: list[BoxInImage], found: dict[int, Repeat]):
    assert copies([drawn(1), *others]) == found


def test_the_whole_picture_and_the_default_box_are_known_by_themselves_and_a_large_box_is_no_copy_of_a_whole_one():
    assert copies([drawn(1, (0, 1, 500, 400)), drawn(2, (125, 100, 375, 300))]) == {
        1: BlindBox.WHOLE,
        2: BlindBox.DEFAULT,
    }
    assert copies([drawn(1, (0, 0, 495, 400)), drawn(2, (0, 0, 488, 400), worker=2)]) == {1: BlindBox.WHOLE}


def test_a_worker_with_many_copies_is_shown_with_the_figures():
    copied = dict.fromkeys(range(10), Repeat.OWN)
    usual = copying.usual_copies({1: range(50), **{n: range(100 * n, 100 * n + 50) for n in range(2, 8)}}, copied)
    signal = copied_boxes(1, range(50), copied, usual)
    assert signal is not None and signal.chance < 0.01
    assert signal.evidence == "Of 50 boxes 10 repeat the worker's own box of another picture (usual: 2)."
    assert signal.judgments == tuple(range(10))
    assert copied_boxes(2, range(200, 250), copied, usual) is None


def test_what_everybody_does_is_no_signal():
    boxes_of = {n: range(100 * n, 100 * n + 50) for n in range(6)}
    copied = {id: BlindBox.WHOLE for ids in boxes_of.values() for id in ids[:20]}
    usual = copying.usual_copies(boxes_of, copied)
    assert usual[BlindBox.WHOLE] == pytest.approx(0.4)
    assert copied_boxes(1, boxes_of[1], copied, usual) is None


def test_few_boxes_say_nothing():
    copied = dict.fromkeys(range(20), BlindBox.WHOLE)
    usual = copying.usual_copies({}, copied)
    assert copied_boxes(1, range(19), copied, usual) is None
    assert copied_boxes(1, range(20), copied, usual) is not None


def test_pairs_with_nearly_equal_boxes_of_the_same_questions_are_found():
    boxes = (BOX, SHIFTED, (60, 50, 240, 250))
    questions = {n: [drawn(10 * n + k, box, worker=k + 1) for k, box in enumerate(boxes)] for n in range(5)}
    found = copying.shared_boxes(questions, least=0.01)
    assert set(found) == {(1, 2)}
    assert (found[1, 2].equal, found[1, 2].met) == (5, 5)
    assert found[1, 2].chance == pytest.approx((1 / 3) ** 5), "a third of all pairs of boxes are nearly equal"
    assert found[1, 2].judgments == (0, 1, 10, 11, 20, 21, 30, 31, 40, 41)
    assert copying.shared_boxes({n: questions[n] for n in range(2)}) == {}


def test_two_who_draw_without_a_look_share_nothing():
    whole = {n: [drawn(10 * n, (0, 0, *SIZE), worker=1), drawn(10 * n + 1, (0, 0, *SIZE), worker=2)] for n in range(5)}
    assert copying.shared_boxes(whole) == {}


USUAL = Pace(math.log(8), 0.3, 0.6)


def taking(*seconds: float, times: int = 1) -> list[Timed]:
    return [Timed(number, one) for number, one in enumerate(seconds * times)]


def test_a_worker_at_a_sixth_of_the_usual_seconds_is_shown_with_the_figures():
    signal = far_too_fast(7, taking(1.2, 1.3, 1.4, times=20), USUAL, floor=0.5)
    assert signal is not None and signal.workers == (7,)
    assert signal.chance < 1e-6
    assert signal.evidence == "60 answers took 1.3 s in the middle (usual: 8.0 s); 0 took less than 0.5 s."
    assert len(signal.judgments) == 40


@case("a worker at half of the usual is practised", taking(4.0, times=200), False)
@case("a tenth under the floor is forgiven", taking(0.2, *[9.0] * 9, times=20), False)
@case("few answers say nothing", taking(0.1, times=29), False)
@case("thirty do", taking(0.1, times=30), True)
def test_a_worker_who_is_or_is_not_too_fast(answers: list[Timed], shown):
    assert (far_too_fast(7, answers, USUAL, floor=1) is not None) is shown


def test_answers_under_the_floor_are_shown_even_where_nobody_knows_what_is_usual():
    signal = far_too_fast(7, taking(0.2, 9.0, 9.0, times=20), None, floor=1)
    assert signal is not None and signal.chance < 0.001
    assert len(signal.judgments) == 60, "half of the answers are below the middle or at it"


def test_the_usual_pace_is_not_moved_by_bad_workers():
    def crowd(bad: int) -> dict[int, list[Timed]]:
        quick = {-n: taking(0.1, times=500) for n in range(1, bad + 1)}
        return quick | {n: taking(*(n + 0.1 * k for k in range(20))) for n in range(5, 26)}

    honest, spoilt = pace(crowd(0)), pace(crowd(6))
    assert honest is not None
    assert spoilt is not None
    assert math.exp(honest.centre) == pytest.approx(15.95, rel=1e-4)
    assert math.exp(spoilt.centre) == pytest.approx(12.95, rel=1e-4)


def test_too_few_workers_have_no_usual_pace_and_enough_are_never_taken_to_be_all_alike():
    def alike(workers: int, times: int) -> Pace | None:
        return pace({n: taking(5.0, times=times) for n in range(workers)})

    usual = alike(10, 20)
    assert usual is not None and usual.between == 0.25
    assert alike(9, 20) is alike(10, 19) is None


def half_seconds(**answers: int) -> dict[str, list[Timed]]:
    numbers = iter(range(1000))
    return {task: [Timed(next(numbers), 0.5) for _ in range(often)] for task, often in answers.items()}


def test_half_a_second_for_each_of_twenty_answers_to_box_tasks_is_shown():
    signal = far_too_fast_in_all(7, half_seconds(box_drawing=8, box_quality=7, box_coverage=5))
    assert signal is not None
    assert (signal.workers, len(signal.judgments)) == ((7,), 20)
    assert signal.chance < 1e-5
    assert signal.evidence == "20 of 20 answers to 3 tasks took less than 0.75 s."


@case("few answers say nothing", half_seconds(box_drawing=10, box_quality=9))
@case("one task is looked at by itself", half_seconds(box_drawing=30))
@case("half of them is forgiven", half_seconds(box_drawing=30) | {"box_requirement": taking(4.0, times=30)})
def test_answers_under_the_floors_over_several_tasks_are_not_shown(answers: dict[str, list[Timed]]):
    assert far_too_fast_in_all(7, answers) is None


PRESSER = 99
SAME = ["same"] * 50


@cache
def crowd(same: float) -> tuple[TaskAnswer, ...]:
    """Twelve honest workers, with questions of their own of which this share is truly "same"."""
    rng = random.Random("crowd")
    return tuple(
        TaskAnswer(number, number % 12, number, "same" if rng.random() < same else "different") for number in range(480)
    )


def by(answers: list[str], *, known: list[str] | None = None, first: int = 10_000) -> list[TaskAnswer]:
    right: list[str | None] = [*known] if known else [None] * len(answers)
    return [
        TaskAnswer(first + place, PRESSER, first + place, answer, truth)
        for place, (answer, truth) in enumerate(zip(answers, right, strict=True))
    ]


def looked_at(judgments: list[TaskAnswer]) -> Signal | None:
    return one_button(PRESSER, Explained(judgments))


def test_one_button_where_the_crowd_uses_both_is_shown_with_the_figures():
    signal = looked_at([*crowd(0.3), *by(SAME)])
    assert signal is not None and signal.chance < 1e-6
    assert signal.evidence.startswith("“same” is 50 of 50 answers; the questions explain about 1")
    assert signal.evidence.endswith("The longest run of one answer is 50 (“same”).")
    assert signal.judgments == tuple(range(10_000, 10_050))


MIXED = [one._replace(answer="same" if one.worker % 2 else "different") for one in crowd(0.5)]


@case("nearly everything is truly so", [*crowd(0.98), *by(SAME)])
@case("known answers explain a worker who got nothing but one kind", [*crowd(0.3), *by(SAME, known=SAME)])
@case("workers who differ much make a lopsided one less surprising", [*MIXED, *by(SAME)])
@case("an answer that nobody else ever gave is rare", [*crowd(1.0), *by(["same"] * 40 + ["different"] * 2)])
def test_one_button_is_not_shown_where(judgments: list[TaskAnswer]):
    signal = looked_at(judgments)
    assert signal is None or signal.chance > 0.1


@case("workers alike make a lopsided one surprising", [*crowd(0.5), *by(SAME)])
@case("an answer that nobody else ever gave is not impossible", [*crowd(1.0), *by(["different"] * 50)])
def test_one_button_is_shown_where(judgments: list[TaskAnswer]):
    signal = looked_at(judgments)
    assert signal is not None and 0 < signal.chance < 1e-6


def test_the_votes_of_others_on_the_same_questions_explain_as_well():
    def beside(offset: int) -> Signal | None:
        others = [TaskAnswer(one.id + k * 1000, k, one.question + offset, "same") for one in mine for k in range(1, 9)]
        return looked_at([*crowd(0.3), *mine, *others])

    mine = by(SAME)
    elsewhere, here = beside(5000), beside(0)
    assert elsewhere is not None
    assert here is None or here.chance > 10 * elsewhere.chance


def test_one_long_run_among_honest_answers_is_shown():
    honest = ["same", "different", "different"] * 20
    signal = looked_at([*crowd(0.3), *by([*honest, *["same"] * 30])])
    assert signal is not None and signal.chance < 1e-5
    assert signal.judgments == tuple(range(10_060, 10_090))
    assert looked_at([*crowd(0.3), *by([*honest, *["same"] * 18, *honest])]) is None, "too short to say something"


def test_an_honest_worker_is_not_shown():
    explained = Explained(crowd(0.3))
    assert {worker: one_button(worker, explained) for worker in range(12)} == dict.fromkeys(range(12))


@case("few answers say nothing", [*crowd(0.3), *by(["same"] * 29)], [*crowd(0.3), *by(["same"] * 30)])
@case("known answers alone speak where nobody else answers", by(SAME), by(SAME, known=["same", "different"] * 25))
def test_one_button_is_not_looked_for_in_the_first(nothing: list[TaskAnswer], something: list[TaskAnswer]):
    assert looked_at(nothing) is None
    assert looked_at(something) is not None


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
    assert both is not None and both.chance < 1e-9 < alone.chance
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
    assert signal is not None and signal.evidence == "6 nearly equal boxes on 7 questions for which both drew."


QUESTIONS = 40


def crowd_of_pairs(answers: dict[int, list[str]], *, known: bool = True) -> list[TaskAnswer]:
    """Worker 1 to 10 err on every tenth question, each on others; `answers` come in addition. The truth is "same"."""
    honest = {n: ["different" if q % 10 == n - 1 else "same" for q in range(QUESTIONS)] for n in range(1, 11)}
    truth = "same" if known else None
    return [
        TaskAnswer(1000 * worker + q, worker, q, answer, truth)
        for worker, given in (honest | answers).items()
        for q, answer in enumerate(given)
    ]


def erring(on: range) -> list[str]:
    return ["different" if q in on else "same" for q in range(QUESTIONS)]


def test_two_who_err_on_the_same_questions_are_found_and_the_others_are_not():
    found = shared_errors(crowd_of_pairs({11: erring(range(0, 40, 4)), 12: erring(range(0, 40, 4))}), errors=5)
    assert set(found) == {(11, 12)}
    shared = found[11, 12]
    assert (shared.equal, shared.met) == (10, 40)
    assert shared.chance < 1e-3
    assert shared.judgments == tuple(1000 * worker + q for worker in (11, 12) for q in range(0, 40, 4))


def test_the_right_answers_can_come_from_the_votes():
    judgments = crowd_of_pairs({11: erring(range(0, 40, 4)), 12: erring(range(0, 40, 4))}, known=False)
    assert shared_errors(judgments, errors=5)[11, 12].chance < 1e-3


def test_errors_that_half_of_the_crowd_makes_are_left_out():
    many = {n: erring(range(6)) for n in range(11, 24)}
    assert shared_errors(crowd_of_pairs(many), errors=5) == {}


def test_two_who_press_one_button_are_not_one_account():
    buttons = {11: ["different"] * QUESTIONS, 12: ["different"] * QUESTIONS}
    assert shared_errors(crowd_of_pairs(buttons), errors=5)[11, 12].chance > 0.01


def test_errors_on_hard_questions_are_no_surprise():
    hard = range(8)
    others = {n: erring(range(n % 2, 8, 2)) for n in range(13, 23)}
    pair = {11: erring(hard), 12: erring(hard)}
    on_easy_ones = shared_errors(crowd_of_pairs(pair), errors=8)[11, 12].chance
    assert shared_errors(crowd_of_pairs(pair | others), errors=8)[11, 12].chance > 3 * on_easy_ones


def test_spells_end_with_a_long_pause():
    assert spells([5000, 0, 100, 5050]) == [Spell(0, 100), Spell(5000, 5050)]
    assert spells([]) == []


@case("one who begins as the other ends", days(1220), (20, 0, 0))
@case("two who begin together", days(20), (0, 20, 20))
def test_it_interlocks(others: list[Spell], counts: tuple[int, int, int]):
    found = interlock(days(0), others)
    assert (found.handovers, found.joint, found.overlapping) == counts
    assert found.chance == interlock(others, days(0)).chance < 1e-12


def test_two_who_work_in_the_same_hours_do_not_interlock_and_two_who_never_do_say_nothing():
    assert interlock(days(0, jitter=1500, seed="a"), days(0, jitter=1500, seed="b")).chance > 0.05
    assert interlock(days(0), days(6 * HOUR)).chance == 1


def test_only_the_hours_in_which_both_could_have_begun_count():
    assert interlock(days(0), days(1220)[:5]).chance == pytest.approx(interlock(days(0)[:5], days(1220)[:5]).chance)
