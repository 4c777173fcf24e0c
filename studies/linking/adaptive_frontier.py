"""The chains that the adaptive strategy gets right by number of judgments [beyond paper 3.1.1], with a simulated crowd.

The folds of real images are disjoint, the prior knows nothing of the fold, and every strategy gets the answers of the
same workers.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, Heard
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.fits.fit_link_prior import fit_link_prior
from pipeline.rules.linking.fits.fit_rule_keeping import with_rule_keeping
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT, LinkPrior
from pipeline.rules.linking.transitivity import LinkMention, Pair, groups
from simulation.compare_strategies import BedImage, admissible_pairs, run_strategy
from simulation.link_crowd import LinkCrowd
from studies.linking.calibration import Said
from studies.linking.crowd import MOST, Crew
from studies.linking.new_project import Refitting, run_project
from studies.linking.program import Predict
from studies.linking.report import Fold, Point, Tally
from studies.linking.shuffled_words import shuffle_words

STOPS = (0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.12, 0.08, 0.05, 0.03, 0.02)


@dataclass(frozen=True, slots=True)
class World:
    """The simulated crowd and words; the images are real."""

    error: float | None = None
    """The crowd's error rate, 0 to 1; None: as in table 2."""
    spam: float = 0.0
    """The share of workers who answer at random."""
    skills: bool = False
    """Every worker has answered verification questions (see `crowd.Crew`)."""
    shuffled: bool = False
    """Words are shuffled among the mentions of all images."""
    program: Predict | None = None
    """A program predicts chains, in a project that refits."""


def frontier(
    bed: Sequence[BedImage],
    *,
    folds: int = 5,
    images: int = 100,
    fitted_on: int = 200,
    alike: Mapping[str, float] | None = None,
    prior: LinkPrior | None = None,
    refitting: Refitting | None = None,
    stops: Sequence[float] = STOPS,
    world: World | None = None,
    seed: int = 0,
    done: Callable[[int, int], object] = lambda number, of: None,
) -> Iterator[Fold]:
    """Yield the folds. `done` is called with the number of the image and of all images; a refitting project has many.

    `prior`: that of every fold; None: it is fitted on `fitted_on` images outside the fold, and with 0 it is the default
    prior. `alike`: how alike captions use two heads, for the fit (see `alike_heads`).
    `refitting`: each fold is a project that refits as it runs, once for each stop.

    Raises ValueError for too few images, for no images at all, and for a stop that is not between 0 and 1.
    """
    if folds < 1 or images < 1 or fitted_on < 0 or not all(0 < stop < 1 for stop in stops):
        raise ValueError("Give at least one fold, one image and 0 images for the prior, and stops between 0 and 1.")
    if len(bed) < folds * images or len(bed) - images < fitted_on:
        raise ValueError(f"{len(bed)} images are too few for {folds} folds of {images} and a prior of {fitted_on}.")
    world = world or World()
    shuffled = _mixed(bed, seed)
    shown = _mixed(shuffle_words(bed, seed), seed) if world.shuffled else shuffled
    steps = folds * images * (len(stops) if refitting else 1)
    for number in range(folds):
        own = slice(number * images, (number + 1) * images)
        outside = [*shown[: own.start], *shown[own.stop :]]
        first = prior or (fit_on(outside[:fitted_on], alike) if fitted_on else DEFAULT)
        crew = _crew(shuffled[own], world, seed + number)
        before = number * (steps // folds)

        def tell(image: int, before: int = before) -> None:
            done(before + image, steps)

        yield _fold(shown[own], crew, first, refitting, stops, tell, world.program)


def _mixed(bed: Sequence[BedImage], seed: int) -> list[BedImage]:
    return random.Random(f"folds {seed}").sample(list(bed), len(bed))


def _crew(images: Sequence[BedImage], world: World, seed: int) -> Crew:
    """The crowd reads the words as they are: shuffled words mislead no worker."""
    errors = {} if world.error is None else {"false_negative": world.error, "false_positive": world.error}
    crowd = LinkCrowd([(one.key, one.mentions, one.gold) for one in images], seed, **errors)
    return Crew(crowd, seed, spam=world.spam, skills=world.skills)


def fit_on(images: Sequence[BedImage], alike: Mapping[str, float] | None = None) -> LinkPrior:
    """Return a prior as `manage.py fit_link_prior` makes it of images with gold."""
    known = [(image.mentions, [image.gold[mention.number] for mention in image.mentions]) for image in images]
    return with_rule_keeping(fit_link_prior(gold_groups(images), alike=alike), known)


def gold_groups(images: Iterable[BedImage]) -> Iterator[tuple[Sequence[LinkMention], Sequence[str]]]:
    """Yield every group with the gold chain of each of its mentions."""
    for image in images:
        for group in groups(image.mentions):
            yield group, [image.gold[mention.number] for mention in group]


def _fold(
    fold: Sequence[BedImage],
    crew: Crew,
    prior: LinkPrior,
    refitting: Refitting | None,
    stops: Sequence[float],
    done: Callable[[int], None],
    program: Predict | None,
) -> Fold:
    plus = run_strategy(Strategy.GREEDY_PLUS, fold, crew.answers)
    tallies = {stop: Tally() for stop in sorted(stops, reverse=True)}
    for turn, (stop, tally) in enumerate(tallies.items() if refitting else (), start=1):
        assert refitting is not None
        for image, judgments, plan in run_project(fold, crew, prior, refitting, stop, program):
            _add(tally, image, judgments, plan)
        done(turn * len(fold))
    for number, image in enumerate(() if refitting else fold, start=1):
        for group in groups(image.mentions):
            for stop, (judgments, plan) in asked(group, image.key, crew, prior, tuple(tallies)).items():
                _add(tallies[stop], image, judgments, plan)
        done(number)
    pairs = sum(map(admissible_pairs, fold))
    chains = sum(len(image.chains()) for image in fold)
    points = {stop: Point(100 * tally.judgments / pairs, 100 * tally.exact / chains) for stop, tally in tallies.items()}
    return Fold(Point(plus.cost, plus.matched_chains), points, tallies)


def _add(tally: Tally, image: BedImage, judgments: int, plan: LinkPlan) -> None:
    gold = image.chains()
    tally.judgments += judgments
    tally.exact += sum(chain in gold for chain in plan.chains)
    tally.chains += [Said(image.key, plan.confidence[chain[0]], chain in gold) for chain in plan.chains]
    tally.links += [
        Said(image.key, chance, image.gold[one] == image.gold[other]) for (one, other), chance in plan.together.items()
    ]


def asked(
    group: Sequence[LinkMention], image: str, crew: Crew, prior: LinkPrior, stops: Sequence[float]
) -> dict[float, tuple[int, LinkPlan]]:
    """Return judgments and plan at each stop. `stops` descend; each stop goes on from where the one before ended."""
    heard: dict[Pair, list[Heard]] = {}
    ended = {}
    for stop in stops:
        while (plan := plan_adaptively(group, heard, prior=prior, stop=stop, most=MOST)).open:
            (pair,) = plan.open
            votes = heard.setdefault(pair, [])
            votes.append(crew.heard(image, pair, len(votes), OF_PAPER))
        ended[stop] = sum(map(len, heard.values())), plan
    return ended
