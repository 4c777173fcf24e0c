"""The chains that the adaptive strategy gets right by judgments [beyond paper 3.1.1], with a simulated crowd."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import fmean
from typing import NamedTuple, TypeVar

from annotation.rules.transitivity import LinkMention
from belief.learned import LearnedState
from belief.links.fit_known import fit_joins, fit_known, joins_of
from belief.links.link_prior import DEFAULT, LinkPrior
from pipeline.learning.learn import LinkEvidence, learn
from pipeline.learning.refit import images_before_refit, judged_in
from pipeline.learning.vectors_of_phrases import make_vectors
from pipeline.policies.adaptive_links import AdaptiveLinks, GroupPlan
from pipeline.policies.compose import adaptive_links
from pipeline.protocol.links.strategies import Strategy
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from simulation.compare_strategies import (
    BedImage,
    PairAnswers,
    admissible_pairs,
    ask_once,
    begun,
    run_strategy,
    votes_in,
)
from simulation.crowd import LinkCrowd
from studies.command import with_spread
from studies.linking.calibration import Said, calibration_table

Image = TypeVar("Image")
Known = tuple[Sequence[LinkMention], Sequence[str]]
"""Mentions, and the gold chain of each."""


def known(image: BedImage) -> Known:
    return image.mentions, [image.gold[mention.number] for mention in image.mentions]


def whole(image: BedImage) -> Known:
    """Return the mentions, and the chain of each as it was before gold was split."""
    return image.mentions, [image.whole[mention.number] for mention in image.mentions]


def joins_of_others(images: Iterable[Known]) -> dict[str, float]:
    """Return weights of joins that these images alone tell. The defaults were fitted on the images of the studies."""
    return fit_joins([joins_of(*image) for image in images], {})


def with_vectors(bed: Sequence[BedImage]) -> list[BedImage]:
    """Return the images with a vector of each phrase. Raises ValueError without the package."""
    texts = [" ".join(mention.words) for image in bed for mention in image.mentions]
    given = iter(make_vectors(texts))
    return [
        replace(image, mentions=tuple(mention._replace(vector=next(given)) for mention in image.mentions))
        for image in bed
    ]


def folds_of(bed: Sequence[Image], folds: int, images: int, seed: int) -> Iterator[tuple[list[Image], list[Image]]]:
    """Yield disjoint samples of so many images, each with the images outside it."""
    shuffled = random.Random(f"folds {seed}").sample(list(bed), len(bed))
    for first in range(0, folds * images, images):
        yield shuffled[first : first + images], [*shuffled[:first], *shuffled[first + images :]]


MOST = 15
AT_ONCE = 20


def adaptive(prior: LinkPrior = DEFAULT, *, beyond: bool) -> Settings:
    """Return the settings of a project that begins with this prior. No link is asked at random.

    `beyond`: chains that a rule of links keeps apart are asked about, too.
    """
    return Settings(
        strategy=LinkStrategy.ADAPTIVE,
        link_most=MOST,
        learned=LearnedState(links=prior),
        reask_rate=0.0,
        beyond_rules=beyond,
    )


class Finished(NamedTuple):
    """One finished group."""

    image: BedImage
    judgments: int
    plan: GroupPlan


@dataclass(slots=True)
class _Group:
    image: BedImage
    mentions: Sequence[LinkMention]
    progress: ImageProgress = field(init=False)
    plan: GroupPlan | None = None
    """The last plan, once it asks nothing more."""

    def __post_init__(self) -> None:
        self.progress = begun(self.mentions)

    def ask(self, policy: AdaptiveLinks, answers: PairAnswers) -> None:
        """Get the next answer, or keep the plan if nothing more is asked."""
        if not ask_once(policy, self.progress, self.mentions, answers.about(self.image.key)).asks:
            self.plan = policy.believed(self.progress, self.mentions, None)


def run_project(images: Sequence[BedImage], answers: PairAnswers, settings: Settings) -> Iterator[Finished]:
    """Yield the groups of all images, once all are finished. `settings`: those that the project begins with."""
    policy, given = adaptive_links(settings), settings.learned
    waiting = iter([[_Group(image, mentions) for mentions in policy.groups(image.mentions)] for image in images])
    work = list(islice(waiting, AT_ONCE))
    every = [group for own in work for group in own]
    started = len(work)
    while work:
        if (ended := started - len(work)) >= images_before_refit(settings, Task.COREFERENCE_LINK):
            judged = [own for group in every for own in judged_in(group.progress, settings)]
            linked = [one for group in every if group.plan for one in policy.linked(group.progress, group.plan.chains)]
            evidence = LinkEvidence(judged, ended, linked)
            settings = replace(settings, learned=learn(settings, settings.learned, evidence, given))
            policy = adaptive_links(settings)
        for group in [group for own in work for group in own if group.plan is None]:
            group.ask(policy, answers)
        work = [own for own in work if any(group.plan is None for group in own)]
        for own in islice(waiting, AT_ONCE - len(work)):
            started += 1
            work.append(own)
            every += own
    for group in every:
        assert group.plan is not None
        yield Finished(group.image, votes_in(group.progress), group.plan)


GOALS = (86.07, 90.67, 95.0)
"""Exact chains, in percent: those of the paper's greedy plus and exhaustive plus, and more."""
STOPS = (0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.12, 0.08, 0.05, 0.03, 0.02)


@dataclass(slots=True)
class Tally:
    """Counts over the images of one fold, at one stop."""

    judgments: int = 0
    exact: int = 0
    chains: list[Said] = field(default_factory=list)
    """The confidence of every chain, and whether it is a gold chain."""
    links: list[Said] = field(default_factory=list)
    """The chance of every pair that can corefer, and whether it does."""


class Point(NamedTuple):
    """The cost and the accuracy of a strategy, in percent as in table 2."""

    cost: float
    chains: float
    """Chains that are exactly right."""


@dataclass(frozen=True, slots=True)
class Fold:
    """The results of one fold; points and tallies by stop."""

    greedy_plus: Point
    points: dict[float, Point]
    tallies: dict[float, Tally]


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
    for goal in GOALS:
        lines.append(_cost_line(f"{goal:g} % of chains", folds, [goal] * len(folds)))
    lines.append(_cost_line("greedy plus's chains", folds, [fold.greedy_plus.chains for fold in folds]))
    return "\n".join(lines)


def _cost_line(name: str, folds: Sequence[Fold], goals: Sequence[float]) -> str:
    costs = [cost_of(fold.points.values(), goal) for fold, goal in zip(folds, goals, strict=True)]
    reached = [one for one in costs if one is not None]
    if not reached:
        return f"{name}: not reached"
    of_means = cost_of(_means(folds), fmean(goals))
    said = "not reached" if of_means is None else f"{of_means:.1f}"
    return f"{name}: cost {with_spread(reached)}, in {len(reached)} of {len(folds)} folds; by their means {said}"


def _means(folds: Sequence[Fold]) -> Iterator[Point]:
    """Yield the mean of the folds at each stop: a cost by these leaves out no fold that misses the goal."""
    for stop in folds[0].points:
        own = [fold.points[stop] for fold in folds]
        yield Point(fmean(one.cost for one in own), fmean(one.chains for one in own))


def reliability_table(folds: Sequence[Fold], stop: float) -> str:
    """Compare the confidence of all chains with gold, in tenths."""
    return calibration_table([case for fold in folds for case in fold.tallies[stop].chains])


def _line(name: str, points: Sequence[Point]) -> str:
    costs, chains = [point.cost for point in points], [point.chains for point in points]
    return f"{name:<22}{with_spread(costs):>16}{with_spread(chains):>18}"


def frontier(
    bed: Sequence[BedImage],
    *,
    folds: int = 5,
    images: int = 100,
    fitted_on: int = 200,
    alike: Mapping[str, float] | None = None,
    stops: Sequence[float] = STOPS,
    error: float | None = None,
    seed: int = 0,
    beyond: bool = False,
    done: Callable[[int], object] = lambda images: None,
) -> Iterator[Fold]:
    """Yield the folds. Each is a project that refits as it runs, once for each stop; `done` is told of its images then.

    `fitted_on`: images outside the fold that the prior is fitted on; 0: the prior of a new project, but for the weights
    of joins, which whole chains of all images outside the fold tell. `alike`: how alike captions use two heads (see
    `alike_heads`). `error`: the crowd's error rate, 0 to 1; None: as in table 2. `beyond`: chains that a rule of links
    keeps apart are asked about, too.

    Raises ValueError for too few images, for no images at all, and for a stop that is not between 0 and 1.
    """
    if folds < 1 or images < 1 or fitted_on < 0 or not all(0 < stop < 1 for stop in stops):
        raise ValueError("Give at least one fold, one image and 0 images for the prior, and stops between 0 and 1.")
    if len(bed) < folds * images or len(bed) - images < fitted_on:
        raise ValueError(f"{len(bed)} images are too few for {folds} folds of {images} and a prior of {fitted_on}.")
    stops = sorted(stops, reverse=True)
    for number, (inside, outside) in enumerate(folds_of(bed, folds, images, seed)):
        prior = (
            fit_known(map(known, outside[:fitted_on]), alike)
            if fitted_on
            else replace(DEFAULT, alike=dict(alike or {}))
        )
        if beyond:
            prior = replace(prior, joins=joins_of_others(map(whole, outside)))
        answers, settings = _answers(inside, error, seed + number), adaptive(prior, beyond=beyond)
        tallies = {stop: Tally() for stop in stops}
        for stop, tally in tallies.items():
            for image, judgments, plan in run_project(inside, answers, replace(settings, link_stop=stop)):
                _add(tally, image, judgments, plan)
            done(len(inside))
        yield _fold(inside, answers, tallies)


def _answers(images: Sequence[BedImage], error: float | None, seed: int) -> PairAnswers:
    beds = [(image.key, image.mentions, image.gold) for image in images]
    crowd = (
        LinkCrowd(beds, seed) if error is None else LinkCrowd(beds, seed, false_negative=error, false_positive=error)
    )
    return PairAnswers(crowd, seed, most=MOST)


def _add(tally: Tally, image: BedImage, judgments: int, plan: GroupPlan) -> None:
    gold = image.chains()
    tally.judgments += judgments
    tally.exact += sum(chain in gold for chain in plan.chains)
    tally.chains += [Said(image.key, plan.confidence[chain[0]], chain in gold) for chain in plan.chains]
    tally.links += [
        Said(image.key, chance, image.gold[one] == image.gold[other]) for (one, other), chance in plan.together.items()
    ]


def _fold(images: Sequence[BedImage], answers: PairAnswers, tallies: dict[float, Tally]) -> Fold:
    plus = run_strategy(Strategy.GREEDY_PLUS, images, answers)
    pairs = sum(map(admissible_pairs, images))
    chains = sum(len(image.chains()) for image in images)
    points = {stop: Point(100 * tally.judgments / pairs, 100 * tally.exact / chains) for stop, tally in tallies.items()}
    return Fold(Point(plus.cost, plus.matched_chains), points, tallies)
