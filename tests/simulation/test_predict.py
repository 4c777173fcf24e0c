"""Estimates from a sample, paired differences of two runs, and the ways to ask that are registered.
Images played in memory, by the rules of the service, with truths that are known or drawn.
Costs of tests and verification questions: with many crews, in the time that the work takes, and what is left.
"""

import random
from collections import Counter
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import pytest

from annotation.rules.box import Box
from belief.annotators import skill
from belief.links.answer_model import PAPER_ERRORS
from belief.links.link_prior import DEFAULT
from pipeline.policies.adaptive_links import LINK_SECONDS
from pipeline.protocol.settings import SettingChoice
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings import guide
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, kinds_of
from simulation.predict import options as room
from simulation.predict.crew import CrewPlan, Load, Qualified, QualifiedCrew, QualityCosts, ToCome, qualify
from simulation.predict.draw_truth import (
    JOINED,
    MIN_IMAGES_TO_FIT,
    PAPER_RATES,
    WITH_WORDS,
    Belief,
    TruthDrawer,
    belief_of,
    join_chains,
)
from simulation.predict.estimate import (
    CROWD_SD,
    Mean,
    SamplingFrame,
    Scale,
    change_of_share,
    change_of_sum,
    crowd_sd,
    mean_share,
    scale_of,
    share,
    total,
)
from simulation.predict.forecast import ForecastImages, ForecastPlan, forecast
from simulation.predict.options import STOPS, SURE, ForecastOption, options
from simulation.predict.play_image import ImagePlay, Played
from simulation.predict.subject import SoFar, Subject
from simulation.simulate import SECONDS
from simulation.view import TrueChain, TrueImage
from tests.support.table import row
from workers.rules.trust import TrustModel


def test_a_total_follows_the_phrases_of_all_images_extras_come_on_top_and_larger_samples_make_it_surer() -> None:
    runs = [[10.0, 10.0], [20.0, 20.0]]
    found = total(runs, SamplingFrame([5, 10], 150, 20), extra=[7.0, 7.0])
    assert found.value == pytest.approx(307) and found.low < 307 < found.high
    assert total(runs, SamplingFrame([5, 10], 150, 20), scale=Scale(2.0, 0.0)).value == pytest.approx(600)
    draw = random.Random(1)
    runs = [[draw.gauss(50, 10) for _ in range(3)] for _ in range(40)]
    wide = total(runs[:10], SamplingFrame([10] * 10, 4000, 400))
    assert total(runs, SamplingFrame([10] * 40, 4000, 400)).width < wide.width
    assert total(runs[:10], SamplingFrame([10] * 10, 4000, 400, known=1.0)).width < wide.width


def test_the_interval_of_a_total_holds_the_outcome_in_about_nine_of_ten_runs() -> None:
    held = 0
    for seed in range(200):
        draw = random.Random(seed)
        means = [draw.gauss(50, 12) for _ in range(300)]
        runs = [[draw.gauss(mean, 8) for _ in range(2)] for mean in means[:30]]
        reached = sum(draw.gauss(mean, 8) for mean in means)
        held += total(runs, SamplingFrame([10] * 30, 3000, 300, known=1.0)).holds(reached)
    assert 170 <= held <= 199


def test_a_share_is_that_of_all_chains_stays_between_0_and_1_and_weighs_two_groups_by_their_phrases() -> None:
    frame = SamplingFrame([5, 1], 60, 20)
    mean = mean_share([[9.0, 9.0], [1.0, 1.0]], [[10.0, 10.0], [1.0, 1.0]], frame)
    found = share([(mean, frame)])
    assert found.value == pytest.approx(10 / 11) and 0 <= found.low < found.value < found.high <= 1
    many, few = Mean(0.9, 0.0001, 20), Mean(0.5, 0.0001, 20)
    nobody = (Mean(0.0, 1.0, 0), SamplingFrame([], 0, 0))
    found = share([(many, SamplingFrame([1], 90, 20)), (few, SamplingFrame([1], 10, 20)), nobody])
    assert found.value == pytest.approx(0.86) and found.width < 0.1
    assert share([]) == (0.0, 0.0, 1.0)


def test_crews_that_differ_make_the_interval_wider() -> None:
    runs, frame = [[10.0, 10.0], [20.0, 20.0]], SamplingFrame([5, 10], 150, 20, known=1.0)
    same, apart = total(runs, frame, [50.0] * 12), total(runs, frame, [0.0, 100.0] * 6)
    assert same.value == apart.value and apart.high > same.high
    assert total(runs, frame, crowd=0.1).width > total(runs, frame).width
    assert crowd_sd(20, 0.3) > crowd_sd(20, 0.0) > crowd_sd(80, 0.0) == pytest.approx(CROWD_SD / 2)


def test_finished_images_set_the_scale_as_far_as_chance_does_not_explain_it() -> None:
    draw = random.Random(3)
    forecast = [[draw.gauss(50, 5)] for _ in range(60)]
    actual = [1.3 * mean * draw.gauss(1, 0.1) for (mean,) in forecast]
    few, many = scale_of(actual[:5], forecast[:5], 0.1), scale_of(actual, forecast, 0.1)
    assert 1.1 < few.factor < many.factor < 1.35 and many.sd < few.sd < 0.1
    assert scale_of(actual, forecast, 0.01).factor < many.factor  # a prior that is surer gives way less
    assert scale_of([10.0], [[5.0]], 0.1) == (1.0, 0.1)  # one image says nothing


def test_every_strategy_trust_model_and_box_policy_is_offered_with_stops_where_the_strategy_reads_one() -> None:
    base = Settings()
    made = [one.settings(base) for one in options(base)]
    assert {one.strategy for one in made} == set(LinkStrategy)
    assert {one.trust[Task.BOX_DRAWING.value] for one in made} == set(TrustModel)
    assert {one.box_policy for one in made} == set(BoxPolicyName)
    assert len(made) == 2 * 2 * (4 + 2 * len(STOPS))
    adaptive = [one for one in made if one.strategy is LinkStrategy.ADAPTIVE]
    assert {one.link_stop for one in adaptive} == set(STOPS) and {one.verify_below for one in adaptive} == {SURE}
    assert {one.verify_below for one in made if one.strategy is LinkStrategy.GREEDY} == {base.verify_below}


def test_sweeps_are_offered_beside_pairs_alone_where_the_strategy_can_ask_any() -> None:
    for base in (Settings(), Settings(sweeps=True)):
        made = [(one.settings(base), one.words) for one in options(base)]
        adaptive = [(one, words) for one, words in made if one.strategy is LinkStrategy.ADAPTIVE]
        assert [one.sweeps for one, _ in adaptive] == ["sweeps" in words for _, words in adaptive]
        assert sum(one.sweeps for one, _ in adaptive) == len(adaptive) / 2
        assert not any("sweeps" in words for one, words in made if one.strategy is not LinkStrategy.ADAPTIVE)
    assert len(options(Settings(part_answers=True))) == 2 * 2 * (4 + len(STOPS)), "answers about parts are of pairs"


def test_a_choice_that_is_registered_later_appears_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {one.name: one for one in guide.GUIDE}
    choices = (SettingChoice("drag", ""), SettingChoice("two clicks", ""))
    policy = replace(named["draw_by"], acts_on_images=True, choices=choices)
    monkeypatch.setattr(room, "GUIDE", (*(one for one in guide.GUIDE if one.name != "draw_by"), policy))
    made = options(Settings())
    assert len(made) == 2 * 2 * 2 * (4 + 2 * len(STOPS))
    assert {one.settings(Settings()).draw_by for one in made} == {"drag", "two clicks"}


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


SETTINGS = Settings()


def subject(*captions: str, name: str = "1") -> Subject:
    """Make an image with a mention for each caption, as in "people: a man"."""
    rows = [(kind, text) for kind, _, text in (caption.partition(": ") for caption in captions)]
    ends = [number + 1 + len(text.split()) for number, (_, text) in enumerate(rows)]
    mentions = (MentionProgress(n, n, n + 1, ends[n], [kind], text) for n, (kind, text) in enumerate(rows))
    return Subject(name, 200, 100, tuple(mentions))


def truth(image: Subject, *chains: tuple[int, ...]) -> TrueImage:
    """Make a truth in which each chain has one box."""
    boxes = [Box(10 * place, 10, 10 * place + 50, 60) for place in range(len(chains))]
    made = (TrueChain(str(place), numbers, False, (boxes[place],)) for place, numbers in enumerate(chains))
    return TrueImage(image.key, 200, 100, tuple(made))


HATS = subject("clothing: a red hat", "clothing: the hat", "clothing: blue shoes", "people: a man")
MUCH = Load(dict.fromkeys(PROTOCOL_TASKS, 400_000), SECONDS)
KNOWN = replace(HATS, known=truth(HATS, (0, 1), (2,), (3,)))


def played(image: Subject, crowd: str = "perfect", *, settings: Settings = SETTINGS, workers: int = 20) -> Played:
    assert image.known is not None
    people = MixedCrowd(CROWDS[crowd]([(image.known, image.for_links())], 1), kinds_of(workers, 0), 1)
    crew = qualify(CrewPlan(workers, trusted=workers), people, settings, 1, MUCH)
    return ImagePlay(image, image.known, settings, people, crew, random.Random(1)).play()


def test_a_perfect_crowd_finds_every_chain_with_the_answers_of_the_protocol_and_nobody_none() -> None:
    found = played(KNOWN)
    assert (found.chains, found.exact, found.review) == (3, 3, 0)
    assert (found.judgments[Task.COREFERENCE_LINK], found.judgments[Task.CHAIN_VERIFICATION]) == (2, 1)
    assert found.judgments[Task.BOX_DRAWING] == found.judgments[Task.BOX_QUALITY] == 3
    assert found.judgments[Task.BOX_COVERAGE] == 6
    assert played(KNOWN, workers=1).review > 0, "without workers the chains starve and go to review"


def test_answers_about_chains_without_a_box_and_with_boxes_are_counted_apart_and_scenes_in_neither() -> None:
    image = subject("other: the camera", "people: a man", "scene: a park")
    boxed = TrueChain("1", (1,), False, (Box(10, 10, 60, 60),))
    chains = (TrueChain("0", (0,), False, ()), boxed, TrueChain("2", (2,), True, ()))
    found = played(replace(image, known=TrueImage(image.key, 200, 100, chains)))
    assert (found.negatives.chains, found.negatives.answers) == (1, {Task.BOX_REQUIREMENT: 2})
    drawn = {Task.BOX_DRAWING: 1, Task.BOX_QUALITY: 1, Task.BOX_COVERAGE: 2}
    assert (found.positives.chains, found.positives.answers) == (1, drawn)


def test_every_registered_strategy_is_played_and_the_same_call_gives_the_same_outcome() -> None:
    for strategy in LinkStrategy:
        settings = replace(SETTINGS, strategy=strategy)
        assert played(KNOWN, "paper", settings=settings) == played(KNOWN, "paper", settings=settings)


MEN = subject(*(f"people: {text}" for text in ("a man", "a boy", "the man", "he", "the boy", "someone", "a person")))
SWEPT = replace(SETTINGS, strategy=LinkStrategy.ADAPTIVE, sweeps=True, reward_cents=dict.fromkeys(PROTOCOL_TASKS, 100))


def test_a_sweep_is_one_judgment_whose_hours_and_pay_grow_with_its_candidates() -> None:
    known = replace(MEN, known=truth(MEN, (0, 2, 3), (1, 4), (5,), (6,)))
    plan = ForecastPlan("perfect", CrewPlan(20, trusted=20), repetitions=2)
    stage = ForecastImages([known], Belief(), plan, phrases=7)
    frame = SamplingFrame([7], 7, 1, 1.0)
    swept, pairs = (forecast(stage, ForecastOption({"sweeps": sweeps}, ()), SWEPT, frame) for sweeps in (True, False))
    assert 0 < swept.by_task[Task.COREFERENCE_LINK] < pairs.by_task[Task.COREFERENCE_LINK]
    for way in (swept, pairs):
        further = fmean(play.further for play in way.played[0])
        assert (further > 0) is (way is swept)
        real, usual = way.parts["real questions"], sum(SECONDS[task] * n for task, n in way.by_task.items())
        assert 3600 * real.hours == pytest.approx(usual + LINK_SECONDS.further_candidate * further)
        each = {task: 100 / SWEPT.batch[task.value] for task in PROTOCOL_TASKS}
        worth = sum(each[task] * n for task, n in way.by_task.items())
        worth += each[Task.COREFERENCE_LINK] * further * LINK_SECONDS.further_candidate / LINK_SECONDS.pair
        assert real.cents == pytest.approx(worth)
        assert real.judgments == pytest.approx(sum(way.by_task.values()))


@row(LinkStrategy.ADAPTIVE, {0: skill(0.7, 60, PAPER_ERRORS.mean), 1: skill(1.0, 60, PAPER_ERRORS.mean)})
@row(LinkStrategy.EXHAUSTIVE, {})
def test_checked_answers_of_workers_count_in_a_forecast_as_in_the_service(strategy: LinkStrategy, skills: Any) -> None:
    settings = replace(SETTINGS, strategy=strategy, box_policy=BoxPolicyName.PAPER)
    gold = truth(HATS, (0, 1), (2,), (3,))
    people = MixedCrowd(CROWDS["perfect"]([(gold, HATS.for_links())], 1), kinds_of(20, 0), 1)
    checked = {0: (0.7, 60), 1: (1.0, 60)}
    crew = QualifiedCrew({task: Qualified(list(range(20)), checked=checked) for task in PROTOCOL_TASKS}, {})
    found: dict[int, float] = {}
    for seed in range(20):
        progress, _ = ImagePlay(HATS, gold, settings, people, crew, random.Random(seed)).annotate()
        found |= {vote.worker: vote.skill for votes in progress.votes.values() for vote in votes}
    assert {0, 1, 2} <= {*found}
    assert found == {worker: round(skills.get(worker, 0.0), 3) for worker in found}


def test_what_a_career_has_shown_of_a_worker_is_known_of_the_crew() -> None:
    gold = truth(HATS, (0, 1), (2,), (3,))
    people = MixedCrowd(CROWDS["paper"]([(gold, HATS.for_links())], 1), kinds_of(20, 0), 1)
    for model in TrustModel:
        settings = replace(SETTINGS, trust=dict.fromkeys(PROTOCOL_TASKS, model.value))
        crew = qualify(CrewPlan(20), people, settings, 1, MUCH)
        known = [crew.checked(Task.BOX_QUALITY, one) for one in crew.tasks[Task.BOX_QUALITY].allowed]
        assert known and all(one and 0.5 < one[0] <= 1 and one[1] > 20 for one in known)


def test_a_drawn_truth_keeps_each_mention_in_one_chain_and_joins_equal_heads_more_often() -> None:
    drawer, same, apart = TruthDrawer(HATS, Belief(joined=0.0)), 0, 0
    for seed in range(200):
        drawn = drawer.draw(random.Random(seed))
        assert sorted(number for chain in drawn.chains for number in chain.mentions) == [0, 1, 2, 3]
        assert all(box.fits(200, 100) for chain in drawn.chains for box in chain.boxes)
        same += drawn.chain_of[0] is drawn.chain_of[1]
        apart += drawn.chain_of[0] is drawn.chain_of[2]
        assert drawn.chain_of[2] is not drawn.chain_of[3]  # no type in common
    assert same > apart + 60
    joined = TruthDrawer(HATS, Belief(joined=0.5))
    any_type = [joined.draw(random.Random(seed)).chain_of for seed in range(60)]
    assert any(one[2] is one[3] for one in any_type), "some chains are ones that links cannot make"
    assert TruthDrawer(KNOWN, Belief(joined=1.0)).draw(random.Random(1)) is KNOWN.known, "gold is taken as it is"
    finished = TruthDrawer(replace(KNOWN, from_gold=False), Belief(joined=1.0))
    assert any(len(finished.draw(random.Random(seed)).chains) < 3 for seed in range(20)), "it may hide a chain"


def test_chains_that_links_cannot_make_are_drawn_by_their_words() -> None:
    texts = ("a red hat", "the hat", "the hat", "a pole")
    mentions = tuple(replace(HATS.mentions[0], number=n, start=3 * n, text=text) for n, text in enumerate(texts))
    image = replace(HATS, mentions=mentions)
    draws = (join_chains([[0], [1], [2], [3]], image, DEFAULT, 0.3, random.Random(seed)) for seed in range(300))
    joined = Counter(tuple(sorted(chain)) for chains in draws for chain in chains if len(chain) == 2)
    assert joined[1, 2] > 2 * joined[1, 3] > 0


def test_boxes_and_priors_are_learned_from_known_images() -> None:
    assert belief_of([]).prior is WITH_WORDS and belief_of([], DEFAULT).prior is DEFAULT
    learned = belief_of([KNOWN] * MIN_IMAGES_TO_FIT)
    assert learned.fitted and learned.learned_from == MIN_IMAGES_TO_FIT
    assert learned.rates["people"].mean < PAPER_RATES["people"].mean  # each known one has one box
    assert learned.joined < JOINED
    assert belief_of([replace(KNOWN, from_gold=False)] * 5).joined == pytest.approx(JOINED)


def test_bad_workers_are_turned_away_and_verification_questions_are_counted() -> None:
    assert KNOWN.known is not None
    people = MixedCrowd(CROWDS["paper"]([(KNOWN.known, KNOWN.for_links())], 1), kinds_of(20, 0.5), 1)
    trusted = qualify(CrewPlan(20, bad=0.5), people, SETTINGS, 1, MUCH).tasks[Task.COREFERENCE_LINK]
    assert set(trusted.allowed) >= set(range(8)) and len(trusted.allowed) < 15
    assert trusted.probation >= 30 * len(trusted.allowed) and trusted.tests >= 200 and 0 < trusted.rate < 0.05
    checked = replace(SETTINGS, trust=dict.fromkeys(PROTOCOL_TASKS, TrustModel.VERIFICATION.value))
    judged = qualify(CrewPlan(20, bad=0.5), people, checked, 1, MUCH).tasks[Task.COREFERENCE_LINK]
    assert judged.rate == pytest.approx(0.25) and judged.probation == 0
    honest, bad = judged.refused.get(0, 0.0), [judged.refused[n] for n in judged.allowed if n >= 10]
    assert honest < 0.01 and max(bad) > 0.01


PLAN = CrewPlan(20, bad=0.3)
LITTLE = Load(dict.fromkeys(PROTOCOL_TASKS, 500.0), SECONDS)
LONG = replace(LITTLE, seconds={task: 200 * seconds for task, seconds in SECONDS.items()})
CONTROL = QualityCosts(PLAN, "paper", 1)


def mean_tests(crews: list[ToCome]) -> float:
    return fmean(sum(one.tests.values()) for one in crews)


def known_of(crews: list[ToCome]) -> list[float]:
    return [sum(one.known.values()) for one in crews]


@pytest.mark.slow
def test_who_fails_the_test_takes_it_again_only_if_the_work_lasts_so_long() -> None:
    assert LITTLE.tries(SETTINGS, 20) == 1 and LONG.tries(SETTINGS, 20) == SETTINGS.tests
    assert LITTLE.tries(replace(SETTINGS, test_wait_hours=0.0), 20) == SETTINGS.tests
    assert mean_tests(CONTROL.to_come(SETTINGS, LITTLE, SoFar())) == 6 * 20 * SETTINGS.test_questions
    assert mean_tests(CONTROL.to_come(SETTINGS, LONG, SoFar())) > 1.2 * 6 * 20 * SETTINGS.test_questions


def test_crews_of_one_kind_differ_and_small_ones_are_looked_at_more_often() -> None:
    found = known_of(CONTROL.to_come(SETTINGS, LITTLE, SoFar()))
    assert len(found) == 12 and stdev(found) > 10
    assert len(QualityCosts(CrewPlan(100), "paper", 1).to_come(SETTINGS, LITTLE, SoFar())) == 3
    trusted = QualityCosts(replace(PLAN, trusted=20), "paper", 1).to_come(SETTINGS, LITTLE, SoFar())
    assert known_of(trusted) == [0.0, 0.0]


@pytest.mark.slow
def test_only_newcomers_take_tests_and_probation() -> None:
    half = QualityCosts(CrewPlan(20, trusted=10), "perfect", 1).to_come(SETTINGS, LITTLE, SoFar())
    assert mean_tests(half) == 6 * 10 * SETTINGS.test_questions
    assert fmean(sum(one.probation.values()) for one in half) == 6 * 10 * SETTINGS.probation
    whole = QualityCosts(CrewPlan(20), "perfect", 1).to_come(SETTINGS, LITTLE, SoFar())
    assert fmean(known_of(whole)) > fmean(known_of(half)) > 6 * 10 * SETTINGS.probation
    checked = replace(SETTINGS, trust=dict.fromkeys(PROTOCOL_TASKS, TrustModel.VERIFICATION.value))
    # A fifth of what is asked are verification questions, so a quarter of the real ones.
    assert fmean(known_of(CONTROL.to_come(checked, LITTLE, SoFar()))) == 6 * 500 * 0.25
    trusted = QualityCosts(CrewPlan(20, trusted=20), "perfect", 1).to_come(checked, LITTLE, SoFar())
    assert mean_tests(trusted) == 0 and fmean(known_of(trusted)) == 6 * 500 * 0.25


def test_a_crew_that_has_qualified_takes_no_test_again() -> None:
    everybody = dict.fromkeys(PROTOCOL_TASKS, 20)
    half = SoFar(real=dict.fromkeys(PROTOCOL_TASKS, 250), known=dict.fromkeys(Task, 500), begun=everybody)
    left = CONTROL.to_come(SETTINGS, LITTLE, half)
    assert mean_tests(left) == 0.0 and 0 < fmean(known_of(left)) < 0.05 * 6 * 250
    few = replace(half, known=dict.fromkeys(PROTOCOL_TASKS, 100), begun=dict.fromkeys(Task, 5))
    assert mean_tests(CONTROL.to_come(SETTINGS, LITTLE, few)) > 0
    assert fmean(known_of(CONTROL.to_come(SETTINGS, LITTLE, few))) > 1000


@pytest.mark.slow
def test_bad_workers_are_admitted_less_often_and_a_task_without_work_costs_nothing() -> None:
    assert all(map({1.0}.issuperset, QualityCosts(CrewPlan(20), "perfect", 1).admitted(SETTINGS, LITTLE).values()))
    assert all(0.4 < fmean(shares) < 0.95 for shares in CONTROL.admitted(SETTINGS, LITTLE).values())
    nothing = Load(dict.fromkeys(PROTOCOL_TASKS, 0.0), SECONDS)
    assert known_of(CONTROL.to_come(SETTINGS, nothing, SoFar())) == [0.0] * 12
