"""Links in made narrations [beyond paper 3.1.1]: long captions with pronouns, sets and parts, and a simulated crowd.

The strategy is adaptive and goes beyond the rules of links, with the prior of a new project. The cost counts all pairs
of the mentions of an image, those that the rules exclude as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from pipeline.policies.compose import adaptive_links
from simulation.compare_strategies import GoldForm, PairAnswers, bed_image, begun, link_run, votes_in
from simulation.crowd import LinkCrowd
from simulation.scenes.scene import make_scenes
from studies.command import with_spread
from studies.linking.adaptive_frontier import MOST, Point, adaptive, cost_of

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
        bed_image(scene.image, GoldForm.WHOLE, by_sentence=True)
        for scene in make_scenes(FIRST + seed, images, narrated=True)
    ]
    crowd = LinkCrowd([(one.key, one.mentions, one.gold) for one in bed], seed)
    answers = PairAnswers(crowd, seed, most=MOST)
    settings = adaptive(beyond=True)
    policies = {stop: adaptive_links(replace(settings, link_stop=stop)) for stop in sorted(stops, reverse=True)}
    judged, exact = dict.fromkeys(stops, 0), dict.fromkeys(stops, 0)
    for image in bed:
        gold, progress = image.chains(), begun(image.mentions)
        for stop, policy in policies.items():  # each goes on from where the one before ended
            plans = link_run(policy, progress, answers.about(image.key))
            judged[stop] += votes_in(progress)
            exact[stop] += sum(chain in gold for plan in plans for chain in plan.chains)
        done()
    pairs = sum(len(one.mentions) * (len(one.mentions) - 1) // 2 for one in bed)
    chains = sum(len(one.chains()) for one in bed)
    return Measured(
        pairs, chains, {stop: Point(100 * judged[stop] / pairs, 100 * exact[stop] / chains) for stop in stops}
    )


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
