"""Sweeps against pairs alone [beyond paper 3.1.1]: seconds of links on the same images, crowds and seeds.

How long a further candidate of a sweep takes is assumed: nobody was timed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from belief.links.fit_known import fit_known
from belief.links.link_prior import DEFAULT
from belief.links.link_seconds import LinkSeconds
from pipeline.policies.adaptive_links import LINK_SECONDS, AdaptiveLinks
from pipeline.policies.compose import adaptive_links
from pipeline.settings.settings import Settings
from simulation.compare_strategies import (
    BedImage,
    GoldForm,
    PairAnswers,
    bed_image,
    begun,
    further_candidates,
    link_run,
    questions_in,
)
from simulation.crowd import LinkCrowd
from simulation.scenes.scene import make_scenes
from studies.linking.adaptive_frontier import MOST, Point, adaptive, cost_of, folds_of, known
from studies.linking.narrations import FIRST

FURTHER = (0.7, 1.1, 1.6, 3.0)
"""The seconds of each further candidate that are assumed."""
GOALS = (90.67, 95.0)
STOPS = (0.6, 0.4, 0.3, 0.2, 0.12, 0.07, 0.04, 0.02, 0.01)


@dataclass(frozen=True, slots=True)
class Sample:
    """One project, which learns nothing as it runs: images, settings, and the seed of the crowd."""

    images: Sequence[BedImage]
    settings: Settings
    seed: int


def real_samples(bed: Sequence[BedImage], seeds: Sequence[int], images: int, fitted_on: int) -> Iterator[Sample]:
    """Yield a sample for each seed, with a prior from other images, or the default one. See `frontier`."""
    for seed in seeds:
        inside, outside = next(folds_of(bed, 1, images, seed))
        prior = fit_known(map(known, outside[:fitted_on])) if fitted_on else DEFAULT
        yield Sample(inside, adaptive(prior, beyond=False), seed)


def narrated_samples(seeds: Sequence[int], images: int) -> Iterator[Sample]:
    """Yield made narrations of 150 words, as in `narrations`."""
    for seed in seeds:
        scenes = make_scenes(FIRST + seed, images, narrated=True)
        bed = [bed_image(scene.image, GoldForm.WHOLE, by_sentence=True) for scene in scenes]
        yield Sample(bed, adaptive(beyond=True), seed)


def measure(
    sample: Sample, further: Sequence[float], stops: Sequence[float], done: Callable[[], object]
) -> dict[float | None, dict[float, Point]]:
    """Return seconds an image and exact chains in percent, by the further seconds and by stop; None: pairs alone."""
    beds = [(image.key, image.mentions, image.gold) for image in sample.images]
    answers = PairAnswers(LinkCrowd(beds, sample.seed), sample.seed, most=MOST)
    chains = sum(len(image.chains()) for image in sample.images)
    found: dict[float | None, dict[float, Point]] = {}
    for seconds_of_further in (None, *further):
        seconds, exact = dict.fromkeys(stops, 0.0), dict.fromkeys(stops, 0)
        policies = {stop: _policy(sample.settings, stop, seconds_of_further) for stop in stops}
        for image in sample.images:
            gold, progress = image.chains(), begun(image.mentions)
            for stop, policy in policies.items():  # each goes on from where the one before ended
                plans = link_run(policy, progress, answers.about(image.key))
                further_seconds = (seconds_of_further or 0.0) * further_candidates(progress)
                seconds[stop] += LINK_SECONDS.pair * questions_in(progress) + further_seconds
                exact[stop] += sum(chain in gold for plan in plans for chain in plan.chains)
            done()
        found[seconds_of_further] = {
            stop: Point(seconds[stop] / len(sample.images), 100 * exact[stop] / chains) for stop in stops
        }
    return found


def _policy(settings: Settings, stop: float, further: float | None) -> AdaptiveLinks:
    links = replace(settings.learned.links, seconds=LinkSeconds(LINK_SECONDS.pair, further or 0.0))
    learned = replace(settings.learned, links=links)
    return adaptive_links(replace(settings, link_stop=stop, sweeps=further is not None, learned=learned))


def rows(found: Sequence[Mapping[float | None, Mapping[float, Point]]]) -> list[list[str]]:
    """Return a row for pairs and for each of the further seconds: seconds at each goal, and their share of pairs'."""
    reached = {name: [cost_of(_means(found, name), goal) for goal in GOALS] for name in found[0]}
    return [[_name(name), *map(_cell, costs, reached[None])] for name, costs in reached.items()]


def _means(found: Sequence[Mapping[float | None, Mapping[float, Point]]], name: float | None) -> list[Point]:
    every = [[run[name][stop] for run in found] for stop in found[0][name]]
    return [Point(fmean(point.cost for point in own), fmean(point.chains for point in own)) for own in every]


def _name(further: float | None) -> str:
    return "pairs" if further is None else f"sweeps, {further:g} s"


def _cell(cost: float | None, of_pairs: float | None) -> str:
    if cost is None or of_pairs is None:
        return "not reached" if cost is None else f"{cost:.1f}"
    return f"{cost:.1f} ({cost / of_pairs:.2f})"
