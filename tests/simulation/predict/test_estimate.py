"""Estimates from a sample, paired differences of two runs, and the ways to ask that are registered."""

import random
from dataclasses import replace

import pytest

from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings import guide
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.setting import Choice
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from simulation.predict import options as room
from simulation.predict.estimate import (
    CROWD_SD,
    Frame,
    Mean,
    Scale,
    change_of_share,
    change_of_sum,
    crowd_sd,
    mean_share,
    scale_of,
    share,
    total,
)
from simulation.predict.options import STOPS, SURE, options
from workers.rules.trust import TrustModel


def test_a_total_follows_the_phrases_of_all_images_and_extras_come_on_top() -> None:
    runs = [[10.0, 10.0], [20.0, 20.0]]
    found = total(runs, Frame([5, 10], 150, 20), extra=[7.0, 7.0])
    assert found.value == pytest.approx(307)
    assert found.low < 307 < found.high
    assert total(runs, Frame([5, 10], 150, 20), scale=Scale(2.0, 0.0)).value == pytest.approx(600)


def test_known_truths_and_larger_samples_make_the_interval_narrower() -> None:
    draw = random.Random(1)
    runs = [[draw.gauss(50, 10) for _ in range(3)] for _ in range(40)]
    wide = total(runs[:10], Frame([10] * 10, 4000, 400))
    assert total(runs, Frame([10] * 40, 4000, 400)).width < wide.width
    assert total(runs[:10], Frame([10] * 10, 4000, 400, known=1.0)).width < wide.width


def test_the_interval_of_a_total_holds_the_outcome_in_about_nine_of_ten_runs() -> None:
    held = 0
    for seed in range(200):
        draw = random.Random(seed)
        means = [draw.gauss(50, 12) for _ in range(300)]
        runs = [[draw.gauss(mean, 8) for _ in range(2)] for mean in means[:30]]
        reached = sum(draw.gauss(mean, 8) for mean in means)
        held += total(runs, Frame([10] * 30, 3000, 300, known=1.0)).holds(reached)
    assert 170 <= held <= 199


def test_a_share_is_that_of_all_chains_and_stays_between_0_and_1() -> None:
    frame = Frame([5, 1], 60, 20)
    mean = mean_share([[9.0, 9.0], [1.0, 1.0]], [[10.0, 10.0], [1.0, 1.0]], frame)
    found = share([(mean, frame)])
    assert found.value == pytest.approx(10 / 11) and 0 <= found.low < found.value < found.high <= 1


def test_the_share_of_two_groups_weighs_them_by_their_phrases() -> None:
    many, few = Mean(0.9, 0.0001, 20), Mean(0.5, 0.0001, 20)
    found = share([(many, Frame([1], 90, 20)), (few, Frame([1], 10, 20)), (Mean(0.0, 1.0, 0), Frame([], 0, 0))])
    assert found.value == pytest.approx(0.86) and found.width < 0.1
    assert share([]) == (0.0, 0.0, 1.0)


def test_crews_that_differ_make_the_interval_wider() -> None:
    runs, frame = [[10.0, 10.0], [20.0, 20.0]], Frame([5, 10], 150, 20, known=1.0)
    same, apart = total(runs, frame, [50.0] * 12), total(runs, frame, [0.0, 100.0] * 6)
    assert same.value == apart.value and apart.high > same.high
    assert total(runs, frame, crowd=0.1).width > total(runs, frame).width
    assert crowd_sd(20, 0.3) > crowd_sd(20, 0.0) > crowd_sd(80, 0.0) == pytest.approx(CROWD_SD / 2)


def test_finished_images_set_the_scale_as_far_as_chance_does_not_explain_it() -> None:
    draw = random.Random(3)
    forecast = [[draw.gauss(50, 5)] for _ in range(60)]
    actual = [1.3 * mean * draw.gauss(1, 0.1) for (mean,) in forecast]
    few, many = scale_of(actual[:5], forecast[:5], 0.1), scale_of(actual, forecast, 0.1)
    assert 1.1 < few.factor < many.factor < 1.35
    assert many.sd < few.sd < 0.1
    assert scale_of(actual, forecast, 0.01).factor < many.factor  # a prior that is surer gives way less
    assert scale_of([10.0], [[5.0]], 0.1) == (1.0, 0.1)  # one image says nothing


def test_every_strategy_trust_model_and_box_policy_is_offered_with_stops_where_the_strategy_reads_one() -> None:
    base = ProtocolSettings()
    made = [one.settings(base) for one in options(base)]
    assert {one.strategy for one in made} == set(Strategy)
    assert {one.trust[Task.BOX_DRAWING.value] for one in made} == set(TrustModel)
    assert {one.box_policy for one in made} == set(BoxPolicy)
    assert len(made) == 2 * 2 * (4 + len(STOPS))
    adaptive = [one for one in made if one.strategy is Strategy.ADAPTIVE]
    assert {one.link_stop for one in adaptive} == set(STOPS) and {one.verify_below for one in adaptive} == {SURE}
    assert {one.verify_below for one in made if one.strategy is Strategy.GREEDY} == {base.verify_below}


def test_a_choice_that_is_registered_later_appears_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {one.name: one for one in guide.GUIDE}
    policy = replace(named["draw_by"], acts_on_images=True, choices=(Choice("drag", ""), Choice("two clicks", "")))
    monkeypatch.setattr(room, "GUIDE", (*(one for one in guide.GUIDE if one.name != "draw_by"), policy))
    made = options(ProtocolSettings())
    assert len(made) == 2 * 2 * 2 * (4 + len(STOPS))
    assert {one.settings(ProtocolSettings()).draw_by for one in made} == {"drag", "two clicks"}


def test_changes_are_those_of_the_sums_and_intervals_rest_on_differences_within_images() -> None:
    same = change_of_sum([10, 100, 40], [5, 50, 20])
    assert same == pytest.approx((-0.5, -0.5, -0.5)), "every image takes half, however much that is"
    uneven = change_of_sum([10, 100, 40], [10, 50, 15])
    assert uneven is not None and uneven.value == -0.5 and uneven.low < -0.6 and uneven.high > -0.4
    shares = change_of_share([(8, 10), (4, 10)], [(9, 10), (5, 10)])
    assert shares == pytest.approx((0.1, 0.1, 0.1)), "both gain as much, though they differ"
    assert change_of_sum([0, 0], [1, 2]) is None and change_of_share([(0, 0)], [(1, 1)]) is None


def test_nine_of_ten_intervals_hold_what_all_images_together_would_show() -> None:
    draw, held, times = random.Random(1), [0, 0], 400
    for _ in range(times):
        before = [draw.uniform(20, 80) for _ in range(12)]
        after = [one * draw.gauss(0.8, 0.2) for one in before]
        found = change_of_sum(before, after)
        counts = [draw.randint(3, 8) for _ in range(12)]
        sides = [[(sum(draw.random() < share for _ in range(n)), n) for n in counts] for share in (0.8, 0.7)]
        shares = change_of_share(*sides)
        assert found is not None and shares is not None
        held = [held[0] + found.holds(-0.2), held[1] + shares.holds(-0.1)]
    assert [0.87 < one / times < 0.93 for one in held] == [True, True], held
