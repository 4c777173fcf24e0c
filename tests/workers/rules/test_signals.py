"""The signals of a project that are shown.
Workers whose boxes look copied.
One signal from shared errors, shared boxes and hours of work.
"""

import math
import random
from functools import cache
from itertools import product
from math import comb

import pytest

from workers.rules.signals.copied_boxes import (
    Blind,
    Drawn,
    NearBoxes,
    Repeat,
    blind,
    copied_boxes,
    copies,
    overlap,
    shared_boxes,
    usual_copies,
)
from workers.rules.signals.far_too_fast import Pace, Timed, far_too_fast, far_too_fast_in_all, pace
from workers.rules.signals.one_button import Explained, Judged, one_button
from workers.rules.signals.signal import Signal, SignalKind, at_least, best_of, confirmed, dispersion, spread, together
from workers.rules.signals.two_accounts import Shared, Spell, interlock, shared_errors, spells, two_accounts


def signal(worker: int, chance: float) -> Signal:
    return Signal(SignalKind.FAR_TOO_FAST, (worker,), chance, "words", ())


def test_a_signal_is_shown_if_it_is_rare_among_all_that_were_looked_at():
    assert confirmed([signal(1, 0.0002), None], tests=40, false_share=0.01) == [signal(1, 0.0002)]
    assert confirmed([signal(1, 0.0002), None], tests=60, false_share=0.01) == []


def test_many_signals_support_each_other_and_the_strongest_comes_first():
    weak, strong = signal(1, 0.0009), signal(2, 0.0001)
    assert confirmed([weak, strong], tests=20, false_share=0.01) == [strong, weak]
    assert confirmed([weak], tests=20, false_share=0.01) == []


def test_a_number_of_tests_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="2 signals from 1 tests"):
        confirmed([signal(1, 0.1), signal(2, 0.1)], tests=1)


def binomial_tail(successes: int, trials: int, share: float) -> float:
    return sum(comb(trials, n) * share**n * (1 - share) ** (trials - n) for n in range(successes, trials + 1))


def test_the_bound_is_never_below_the_binomial_tail():
    for share, successes in product((0.05, 0.3, 0.8), range(31)):
        bound, tail = at_least(successes, 30, share), binomial_tail(successes, 30, share)
        assert bound >= tail - 1e-12, f"{successes} of 30 at {share}"


def test_the_bound_is_exact_where_every_trial_succeeds():
    assert at_least(10, 10, 0.4) == pytest.approx(0.4**10)


def test_no_more_than_expected_is_no_evidence():
    assert at_least(3, 10, 0.3) == at_least(0, 0, 0.3) == 1


def test_the_best_of_several_chances_is_paid_for():
    assert best_of([0.01, 0.5, 0.9]) == pytest.approx(0.03)
    assert best_of([0.9, 0.8]) == 1


def test_chances_taken_together_follow_fishers_distribution():
    product = 0.01 * 0.2
    assert together([0.01, 0.2]) == pytest.approx(product * (1 - math.log(product)))
    assert together([0.07]) == pytest.approx(0.07)
    assert together([1.0, 1.0, 1.0]) == 1


def test_chances_too_small_for_a_number_stay_above_zero():
    assert 0 < together([0.0, 0.0, 0.0]) < 1e-100


def test_a_spread_is_not_spoilt_by_a_few_wild_values():
    tame = [n / 100 for n in range(-100, 101)]
    assert spread([*tame, 1e6, 1e6, 1e6]) == pytest.approx(spread(tame), rel=0.05)


def test_counts_that_differ_more_than_chance_says_are_overdispersed():
    assert dispersion([0.455 * 4] * 11, least=10, otherwise=3) == pytest.approx(4)
    assert dispersion([0.0] * 11, least=10, otherwise=3) == 1
    assert dispersion([0.0] * 9, least=10, otherwise=3) == 3


SIZE = (500, 400)
BOX = (40, 50, 240, 250)


def drawn(id: int, box: tuple[int, int, int, int] = BOX, *, worker: int = 1, image: int | None = None) -> Drawn:
    return Drawn(id, worker, id if image is None else image, box, SIZE)


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
    expected = {whole: Blind.WHOLE, default: Blind.DEFAULT, large: None, BOX: None}
    assert {box: blind(drawn(1, box)) for box in expected} == expected


SHIFTED = (41, 50, 241, 250)


def test_a_box_of_another_picture_a_pixel_off_is_a_copy_and_its_source_is_none():
    assert copies([drawn(1), drawn(2, SHIFTED)]) == {2: Repeat.OWN}
    assert copies([drawn(1), drawn(2, SHIFTED, worker=2)]) == {2: Repeat.OTHERS}


def test_the_same_thing_of_one_picture_drawn_twice_is_no_copy():
    assert copies([drawn(1, image=5), drawn(2, image=5), drawn(3, image=5, worker=2)]) == {}


def test_boxes_that_people_would_draw_of_one_thing_are_no_copies():
    assert copies([drawn(1), drawn(2, (46, 50, 246, 254))]) == {}


def test_numbers_scale_with_the_picture():
    twice = Drawn(2, 1, 2, (80, 100, 480, 500), (1000, 800))
    assert copies([drawn(1), twice]) == {2: Repeat.OWN}


def test_the_whole_picture_and_the_default_box_are_known_by_themselves():
    assert copies([drawn(1, (0, 1, 500, 400)), drawn(2, (125, 100, 375, 300))]) == {1: Blind.WHOLE, 2: Blind.DEFAULT}


def test_a_large_box_is_no_copy_of_a_whole_picture():
    assert copies([drawn(1, (0, 0, 495, 400)), drawn(2, (0, 0, 488, 400), worker=2)]) == {1: Blind.WHOLE}


def test_a_worker_with_many_copies_is_shown_with_the_figures():
    copied = dict.fromkeys(range(10), Repeat.OWN)
    usual = usual_copies({1: range(50), **{n: range(100 * n, 100 * n + 50) for n in range(2, 8)}}, copied)
    signal = copied_boxes(1, range(50), copied, usual)
    assert signal is not None
    assert signal.chance < 0.01
    assert signal.evidence == "Of 50 boxes 10 repeat the worker's own box of another picture (usual: 2)."
    assert signal.judgments == tuple(range(10))
    assert copied_boxes(2, range(200, 250), copied, usual) is None


def test_what_everybody_does_is_no_signal():
    boxes_of = {n: range(100 * n, 100 * n + 50) for n in range(6)}
    copied = {id: Blind.WHOLE for ids in boxes_of.values() for id in ids[:20]}
    usual = usual_copies(boxes_of, copied)
    assert usual[Blind.WHOLE] == pytest.approx(0.4)
    assert copied_boxes(1, boxes_of[1], copied, usual) is None


def test_few_boxes_say_nothing():
    copied = dict.fromkeys(range(20), Blind.WHOLE)
    usual = usual_copies({}, copied)
    assert copied_boxes(1, range(19), copied, usual) is None
    assert copied_boxes(1, range(20), copied, usual) is not None


def test_pairs_with_nearly_equal_boxes_of_the_same_questions_are_found():
    questions = {
        n: [
            drawn(10 * n, worker=1),
            drawn(10 * n + 1, SHIFTED, worker=2),
            drawn(10 * n + 2, (60, 50, 240, 250), worker=3),
        ]
        for n in range(5)
    }
    found = shared_boxes(questions, least=0.01)
    assert set(found) == {(1, 2)}
    assert (found[1, 2].equal, found[1, 2].met) == (5, 5)
    assert found[1, 2].chance == pytest.approx((1 / 3) ** 5), "a third of all pairs of boxes are nearly equal"
    assert found[1, 2].judgments == (0, 1, 10, 11, 20, 21, 30, 31, 40, 41)
    assert shared_boxes({n: questions[n] for n in range(2)}) == {}


def test_two_who_draw_without_a_look_share_nothing():
    whole = {n: [drawn(10 * n, (0, 0, *SIZE), worker=1), drawn(10 * n + 1, (0, 0, *SIZE), worker=2)] for n in range(5)}
    assert shared_boxes(whole) == {}


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


PRESSER = 99


@cache
def crowd(same: float) -> tuple[Judged, ...]:
    """Twelve honest workers, with questions of their own of which this share is truly "same"."""
    rng = random.Random("crowd")
    return tuple(
        Judged(number, number % 12, number, "same" if rng.random() < same else "different") for number in range(480)
    )


def by(answers: list[str], *, known: list[str] | None = None, first: int = 10_000) -> list[Judged]:
    right: list[str | None] = [*known] if known else [None] * len(answers)
    return [
        Judged(first + place, PRESSER, first + place, answer, truth)
        for place, (answer, truth) in enumerate(zip(answers, right, strict=True))
    ]


def looked_at(judgments: list[Judged]) -> Signal | None:
    return one_button(PRESSER, Explained(judgments))


def test_one_button_where_the_crowd_uses_both_is_shown_with_the_figures():
    signal = looked_at([*crowd(0.3), *by(["same"] * 50)])
    assert signal is not None
    assert signal.chance < 1e-6
    assert signal.evidence.startswith("“same” is 50 of 50 answers; the questions explain about 1")
    assert signal.evidence.endswith("The longest run of one answer is 50 (“same”).")
    assert signal.judgments == tuple(range(10_000, 10_050))


def test_one_button_is_not_shown_where_nearly_everything_is_truly_so():
    signal = looked_at([*crowd(0.98), *by(["same"] * 50)])
    assert signal is None or signal.chance > 0.1


def test_known_answers_explain_a_worker_who_got_nothing_but_one_kind():
    signal = looked_at([*crowd(0.3), *by(["same"] * 50, known=["same"] * 50)])
    assert signal is None or signal.chance > 0.1


def test_the_votes_of_others_on_the_same_questions_explain_as_well():
    def beside(offset: int) -> Signal | None:
        others = [Judged(one.id + k * 1000, k, one.question + offset, "same") for one in mine for k in range(1, 9)]
        return looked_at([*crowd(0.3), *mine, *others])

    mine = by(["same"] * 50)
    elsewhere, here = beside(5000), beside(0)
    assert elsewhere is not None
    assert here is None or here.chance > 10 * elsewhere.chance


def test_one_long_run_among_honest_answers_is_shown():
    honest = ["same", "different", "different"] * 20
    signal = looked_at([*crowd(0.3), *by([*honest, *["same"] * 30])])
    assert signal is not None
    assert signal.chance < 1e-5
    assert signal.judgments == tuple(range(10_060, 10_090))
    assert looked_at([*crowd(0.3), *by([*honest, *["same"] * 18, *honest])]) is None, "too short to say something"


def test_an_honest_worker_is_not_shown():
    explained = Explained(crowd(0.3))
    assert {worker: one_button(worker, explained) for worker in range(12)} == dict.fromkeys(range(12))


def test_few_answers_say_nothing_of_one_button():
    assert looked_at([*crowd(0.3), *by(["same"] * 29)]) is None
    assert looked_at([*crowd(0.3), *by(["same"] * 30)]) is not None


def test_workers_who_differ_much_make_a_lopsided_one_less_surprising():
    mixed = [one._replace(answer="same" if one.worker % 2 else "different") for one in crowd(0.5)]
    even, uneven = looked_at([*crowd(0.5), *by(["same"] * 50)]), looked_at([*mixed, *by(["same"] * 50)])
    assert even is not None
    assert even.chance < 1e-6
    assert uneven is None or uneven.chance > 0.1


def test_where_nobody_else_answers_only_known_answers_speak():
    assert looked_at(by(["same"] * 50)) is None
    assert looked_at(by(["same"] * 50, known=["same", "different"] * 25)) is not None


def test_an_answer_that_nobody_else_ever_gave_is_rare_and_not_impossible():
    signal = looked_at([*crowd(1.0), *by(["same"] * 40 + ["different"] * 2)])
    assert signal is None or signal.chance > 0.1
    signal = looked_at([*crowd(1.0), *by(["different"] * 50)])
    assert signal is not None
    assert 0 < signal.chance < 1e-6


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


def crowd_of_pairs(answers: dict[int, list[str]], *, known: bool = True) -> list[Judged]:
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
