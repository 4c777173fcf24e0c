"""Links in made narrations [beyond paper 3.1.1]: long captions with pronouns, sets and parts, and a simulated crowd.

The strategy is adaptive and goes beyond the rules of links, with the prior of a new project. The cost counts all pairs
of the mentions of an image, those that the rules exclude as well.
"""

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from annotation.rules.transitivity import Pair
from belief.links.answer_model import Heard
from belief.links.link_prior import DEFAULT
from scenes.make import make_scenes
from simulation.bed_image import BedImage, Gold, bed_image
from simulation.compare_strategies import PairAnswers
from simulation.link_crowd import LinkCrowd
from studies.linking.adaptive_frontier import Point, cost_of
from studies.linking.new_project import MOST, hear
from studies.linking.planner import BEYOND_RULES
from studies.tables import with_spread

STOPS = (0.3, 0.12, 0.05, 0.02, 0.01, 0.005)
GOALS = (90.0, 95.0, 97.0)
FIRST = 1000
"""The seed of the first set of narrations; weights were chosen on smaller ones."""


class Measured(NamedTuple):
    """The cost of one set of narrations; points by stop."""

    pairs: int
    chains: int
    points: dict[float, Point]


def measure(
    images: int, seed: int, stops: Sequence[float] = STOPS, done: Callable[[], object] = lambda: None
) -> Measured:
    """Measure one set of narrations with a crowd of its own. `done` is called after each image."""
    bed = [
        bed_image(one.image, Gold.WHOLE, by_sentence=True) for one in make_scenes(FIRST + seed, images, narrated=True)
    ]
    crowd = LinkCrowd([(one.key, one.mentions, one.gold) for one in bed], seed)
    answers = PairAnswers(crowd, seed, most=MOST)
    judged, exact = dict.fromkeys(stops, 0), dict.fromkeys(stops, 0)
    for image in bed:
        for stop, judgments, found in _asked(image, answers, sorted(stops, reverse=True)):
            judged[stop] += judgments
            exact[stop] += found
        done()
    pairs = sum(len(one.mentions) * (len(one.mentions) - 1) // 2 for one in bed)
    chains = sum(len(one.chains()) for one in bed)
    return Measured(
        pairs, chains, {stop: Point(100 * judged[stop] / pairs, 100 * exact[stop] / chains) for stop in stops}
    )


def _asked(image: BedImage, answers: PairAnswers, stops: Sequence[float]) -> Iterator[tuple[float, int, int]]:
    """Yield for each stop the judgments and the chains that are exactly right."""
    heard: dict[Pair, list[Heard]] = {}
    gold = image.chains()
    for stop in stops:
        judgments, right = 0, 0
        for group in BEYOND_RULES.groups(image.mentions):
            while (plan := BEYOND_RULES.plan(group, heard, prior=DEFAULT, stop=stop, most=MOST)).asks:
                hear(answers, image.key, plan, heard)
            right += sum(chain in gold for chain in plan.chains)
        judgments = sum(map(len, heard.values()))
        yield stop, judgments, right


def table(runs: Sequence[Measured]) -> str:
    """Format the means over the sets, and the standard deviation between them."""
    lines = [f"{'':<22}{'cost %':>16}{'exact chains %':>18}"]
    for stop in runs[0].points:
        own = [run.points[stop] for run in runs]
        costs, chains = [one.cost for one in own], [one.chains for one in own]
        lines.append(f"{f'stop {stop:g}':<22}{with_spread(costs):>16}{with_spread(chains):>18}")
    means = [
        Point(fmean(run.points[stop].cost for run in runs), fmean(run.points[stop].chains for run in runs))
        for stop in runs[0].points
    ]
    for goal in GOALS:
        cost = cost_of(means, goal)
        lines.append(f"{goal:g} % of chains: {'not reached' if cost is None else f'{cost:.1f} % of all pairs'}")
    return "\n".join(lines)
