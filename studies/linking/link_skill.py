"""Skills of workers without gold [beyond paper 3.3]: by second answers alone, and by the other links of each image too.

Real mentions, simulated workers; spammers toss a coin. The adaptive strategy asks, so that most pairs are asked once.
"""

import random
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from pipeline.rules.linking.adaptive.answer_model import Heard
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively, told_by_others
from pipeline.rules.linking.fits.fit_link_prior import fit_link_prior
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.linking.transitivity import LinkMention, Pair, groups
from reports.check_links import OTHER_LINKS, SURE
from reports.estimate_skills import RULES
from simulation.compare_strategies import BedImage
from simulation.link_crowd import LinkCrowd
from studies.linking.adaptive_frontier import gold_groups
from workers.rules.skill import Judged, estimate_skills

STOP = 0.1
WAYS = ("second answers", "other links too")


class Row(NamedTuple):
    """The estimates of one kind of worker, by one way: accuracies 0 to 1, and answers that could be checked."""

    way: str
    kind: str
    least: float
    mean: float
    most: float
    checked: float
    """The mean per worker."""


class _Crew:
    """So many workers of whom the first are spammers, asked in random order."""

    def __init__(self, crowd: LinkCrowd, workers: int, spammers: int, seed: int) -> None:
        self._crowd, self._workers, self._spammers = crowd, workers, spammers
        self._lot = random.Random(f"crew {seed}")

    def answer(self, image: str, pair: Pair, but: Sequence[int]) -> tuple[int, bool]:
        """Return a worker who has not answered the pair, and what they say."""
        worker = self._lot.choice([one for one in range(self._workers) if one not in but])
        if worker < self._spammers:
            return worker, self._lot.random() < 0.5
        return worker, self._crowd.answer(image, *pair, worker)


def compare(
    bed: Sequence[BedImage],
    *,
    images: int = 150,
    fitted_on: int = 150,
    workers: int = 20,
    spammers: int = 4,
    seed: int = 0,
) -> tuple[int, list[Row]]:
    """Return the number of answers and the rows. Raises ValueError for too few images or workers."""
    if len(bed) < images + fitted_on or min(images, fitted_on) < 1:
        raise ValueError(f"{len(bed)} images are too few for {images} and a prior of {fitted_on}.")
    if not 0 < spammers < workers:
        raise ValueError(f"{spammers} spammers of {workers} workers: give at least one of each kind.")
    shuffled = random.Random(f"skill {seed}").sample(list(bed), len(bed))
    fold = shuffled[:images]
    prior = fit_link_prior(gold_groups(shuffled[images : images + fitted_on]))
    crew = _Crew(LinkCrowd([(one.key, one.mentions, one.gold) for one in fold], seed), workers, spammers, seed)
    answers: list[Judged] = []
    told: list[Judged] = []
    for image in fold:
        for group in groups(image.mentions):
            said = _asked(group, image.key, crew, prior)
            answers += (Judged(who, (image.key, pair), same) for pair, cast in said.items() for who, same in cast)
            told += _told(group, image.key, said, prior)
    rows = [
        row
        for way, judged in zip(WAYS, (answers, [*answers, *told]), strict=True)
        for row in _rows(way, judged, spammers)
    ]
    return len(answers), rows


def _asked(
    group: Sequence[LinkMention], image: str, crew: _Crew, prior: LinkPrior
) -> dict[Pair, list[tuple[int, bool]]]:
    said: dict[Pair, list[tuple[int, bool]]] = defaultdict(list)
    while (plan := plan_adaptively(group, _heard(said), prior=prior, stop=STOP)).open:
        (pair,) = plan.open
        said[pair].append(crew.answer(image, pair, [who for who, _ in said[pair]]))
    return said


def _heard(said: dict[Pair, list[tuple[int, bool]]]) -> dict[Pair, list[Heard]]:
    return {pair: [Heard(same) for _, same in cast] for pair, cast in said.items()}


def _told(
    group: Sequence[LinkMention], image: str, said: dict[Pair, list[tuple[int, bool]]], prior: LinkPrior
) -> Iterator[Judged]:
    for pair, chance in told_by_others(group, _heard(said), prior=prior).items():
        if max(chance, 1 - chance) >= SURE:
            yield Judged(OTHER_LINKS, (image, pair), chance > 0.5)


def _rows(way: str, judged: Sequence[Judged], spammers: int) -> Iterator[Row]:
    found = estimate_skills(judged, (True, False), {}, RULES).workers
    kinds: dict[str, list[Hashable]] = {"spammers": [], "others": []}
    for worker in found:
        if isinstance(worker, int):
            kinds["spammers" if worker < spammers else "others"].append(worker)
    for kind, members in kinds.items():
        shares = [found[one].accuracy for one in members]
        yield Row(way, kind, min(shares), fmean(shares), max(shares), fmean(found[one].checked for one in members))


def table(rows: Sequence[Row]) -> str:
    lines = [f"{'checked by':<18}{'workers':<10}{'least':>8}{'mean':>8}{'most':>8}{'checked':>9}"]
    lines += [
        f"{row.way:<18}{row.kind:<10}{row.least:>8.2f}{row.mean:>8.2f}{row.most:>8.2f}{row.checked:>9.0f}"
        for row in rows
    ]
    return "\n".join(lines)
