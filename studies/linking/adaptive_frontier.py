"""The chains that the adaptive strategy gets right by number of judgments [beyond paper 3.1.1], with a simulated crowd.

The folds of real images are disjoint, the prior is fitted on images outside the fold, and every strategy gets the
answers of the same workers.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean, stdev
from typing import NamedTuple

from pipeline.rules.linking.adaptive.answer_model import Heard
from pipeline.rules.linking.adaptive.fit_link_prior import fit_link_prior
from pipeline.rules.linking.adaptive.link_prior import DEFAULT, LinkPrior
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.transitivity import LinkMention, Pair, groups
from simulation.compare_strategies import BedImage, PairAnswers, admissible_pairs, run_strategy
from simulation.link_crowd import LinkCrowd

STOPS = (0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.12, 0.08, 0.05, 0.03, 0.02)
MOST = 15
BINS = 10


@dataclass(slots=True)
class Tally:
    """Counts over the images of one fold, at one stop."""

    judgments: int = 0
    exact: int = 0
    reliability: Counter[tuple[int, bool]] = field(default_factory=Counter)
    """Chains by tenth of their confidence and by whether they are right.

    Chains with a mention whose gold chain holds two mentions of one caption are left out: no link may join these two,
    so such a chain cannot be right.
    """


class Point(NamedTuple):
    """The cost and the accuracy of a strategy, in percent as in table 2."""

    cost: float
    chains: float
    """Chains that are exactly right."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The results of one fold; points and reliability by stop."""

    greedy_plus: Point
    points: dict[float, Point]
    reliability: dict[float, Counter[tuple[int, bool]]]
    """As in `Tally`."""


def frontier(
    bed: Sequence[BedImage],
    *,
    folds: int = 5,
    images: int = 100,
    fitted_on: int = 200,
    stops: Sequence[float] = STOPS,
    errors: dict[str, float] | None = None,
    seed: int = 0,
    done: Callable[[int, int], object] = lambda number, of: None,
) -> Iterator[Fold]:
    """Yield the folds. With `fitted_on` 0 the prior knows no words.

    Raises ValueError for too few images, for no images at all, and for a stop that is not between 0 and 1.
    """
    if folds < 1 or images < 1 or fitted_on < 0 or not all(0 < stop < 1 for stop in stops):
        raise ValueError("Give at least one fold, one image and 0 images for the prior, and stops between 0 and 1.")
    if len(bed) < folds * images or len(bed) - images < fitted_on:
        raise ValueError(f"{len(bed)} images are too few for {folds} folds of {images} and a prior of {fitted_on}.")
    shuffled = random.Random(f"folds {seed}").sample(list(bed), len(bed))
    for number in range(folds):
        fold = shuffled[number * images : (number + 1) * images]
        outside = [*shuffled[: number * images], *shuffled[(number + 1) * images :]]
        prior = fit_link_prior(gold_groups(outside[:fitted_on])) if fitted_on else DEFAULT
        crowd = LinkCrowd([(one.key, one.mentions, one.gold) for one in fold], seed + number, **(errors or {}))
        answers = PairAnswers(crowd, seed + number, most=MOST)
        before = number * images
        yield _fold(fold, answers, prior, stops, partial(_tell, done, before, folds * images))


def _tell(done: Callable[[int, int], object], before: int, of: int, image: int) -> None:
    done(before + image, of)


def gold_groups(images: Iterable[BedImage]) -> Iterator[tuple[Sequence[LinkMention], Sequence[str]]]:
    """Yield every group with the gold chain of each of its mentions."""
    for image in images:
        for group in groups(image.mentions):
            yield group, [image.gold[mention.number] for mention in group]


def _fold(
    fold: Sequence[BedImage],
    answers: PairAnswers,
    prior: LinkPrior,
    stops: Sequence[float],
    done: Callable[[int], None],
) -> Fold:
    plus = run_strategy(Strategy.GREEDY_PLUS, fold, answers)
    tallies = {stop: Tally() for stop in sorted(stops, reverse=True)}
    for number, image in enumerate(fold):
        gold = image.chains()
        allowed = {number for chain in gold if _is_allowed(image, chain) for number in chain}
        for group in groups(image.mentions):
            for stop, (judgments, plan) in asked(group, image.key, answers, prior, tuple(tallies)).items():
                _add(tallies[stop], judgments, plan, gold, allowed)
        done(number + 1)
    pairs = sum(map(admissible_pairs, fold))
    chains = sum(len(image.chains()) for image in fold)
    points = {stop: Point(100 * tally.judgments / pairs, 100 * tally.exact / chains) for stop, tally in tallies.items()}
    reliability = {stop: tally.reliability for stop, tally in tallies.items()}
    return Fold(Point(plus.cost, plus.matched_chains), points, reliability)


def _is_allowed(image: BedImage, chain: Sequence[int]) -> bool:
    captions = [mention.caption for mention in image.mentions if mention.number in chain]
    return len(set(captions)) == len(captions)


def _add(tally: Tally, judgments: int, plan: LinkPlan, gold: set[tuple[int, ...]], allowed: set[int]) -> None:
    tally.judgments += judgments
    for chain in plan.chains:
        right = chain in gold
        tally.exact += right
        if allowed.issuperset(chain):
            tally.reliability[min(int(plan.confidence[chain[0]] * BINS), BINS - 1), right] += 1


def asked(
    group: Sequence[LinkMention], image: str, answers: PairAnswers, prior: LinkPrior, stops: Sequence[float]
) -> dict[float, tuple[int, LinkPlan]]:
    """Return judgments and plan at each stop. `stops` descend; each stop goes on from where the one before ended."""
    heard: dict[Pair, list[Heard]] = {}
    ended = {}
    for stop in stops:
        while (plan := plan_adaptively(group, heard, prior=prior, stop=stop, most=MOST)).open:
            (pair,) = plan.open
            votes = heard.setdefault(pair, [])
            votes.append(Heard(answers.vote(image, pair, len(votes))))
        ended[stop] = sum(map(len, heard.values())), plan
    return ended


def cost_of(points: Iterable[Point], chains: float) -> float | None:
    """Return the least cost for this percentage of exact chains, interpolated between points; None if not reached."""
    before: Point | None = None
    for point in sorted(points):
        if point.chains >= chains:
            if before is None or point.chains == before.chains:
                return point.cost
            rise = point.chains - before.chains
            return before.cost + (point.cost - before.cost) * (chains - before.chains) / rise
        before = point
    return None


def table(folds: Sequence[Fold]) -> str:
    """Format the means over the folds, and the standard deviation between folds."""
    lines = [f"{'':<22}{'cost %':>16}{'exact chains %':>18}"]
    lines.append(_line("greedy plus", [fold.greedy_plus for fold in folds]))
    for stop in folds[0].points:
        lines.append(_line(f"adaptive, stop {stop:g}", [fold.points[stop] for fold in folds]))
    for goal in (86.07, 90.67, 95.0):
        costs = [cost_of(fold.points.values(), goal) for fold in folds]
        reached = [one for one in costs if one is not None]
        cost = f"cost {_with_spread(reached)}, in {len(reached)} of {len(folds)} folds" if reached else "not reached"
        lines.append(f"{goal:g} % of chains: {cost}")
    return "\n".join(lines)


def reliability_table(folds: Sequence[Fold], stop: float) -> str:
    """Compare confidence with gold, in tenths."""
    total: Counter[tuple[int, bool]] = Counter()
    for fold in folds:
        total += fold.reliability[stop]
    lines = ["confidence      chains    right %"]
    for tenth in range(BINS):
        right, wrong = total[tenth, True], total[tenth, False]
        if right + wrong:
            share = 100 * right / (right + wrong)
            lines.append(f"{tenth / BINS:.1f} to {(tenth + 1) / BINS:.1f}{right + wrong:>12}{share:>11.1f}")
    return "\n".join(lines)


def _line(name: str, points: Sequence[Point]) -> str:
    costs, chains = [one.cost for one in points], [one.chains for one in points]
    return f"{name:<22}{_with_spread(costs):>16}{_with_spread(chains):>18}"


def _with_spread(values: Sequence[float]) -> str:
    return f"{fmean(values):.1f} ±{stdev(values) if len(values) > 1 else 0.0:.1f}"
