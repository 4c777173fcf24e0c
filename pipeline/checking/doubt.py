"""Doubt [beyond paper 3]: for each label of a checked data set, how it stands and how likely it is wrong."""

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from annotation.rules.states import ChainState
from pipeline.checking.chances import Chances, LinkView, chances_of
from pipeline.checking.label import Label
from pipeline.policies.compose import engine_of
from pipeline.protocol.state.progress import ChainProgress, ImageProgress
from pipeline.settings.settings import Settings

ENDS = (ChainState.COMPLETE, ChainState.NON_VISUAL)
OF_90 = 1.645
"""Standard deviations on either side of the mean that hold 90 % of a normal distribution."""


class Part(StrEnum):
    """The parts of a label that can be wrong."""

    MENTIONS = "mentions"
    BOXES = "boxes"
    FLAG = "flag"


class Standing(StrEnum):
    """The ways in which a label stands, beside that of the source."""

    IN_QUESTION = "in question"
    """Something is still asked about it, or an expert has to decide."""
    UNCHANGED = "unchanged"
    CHANGED = "changed"


class Doubt(NamedTuple):
    """The doubt about one label."""

    chain: int
    """The name of its chain."""
    standing: Standing
    chances: Chances

    @property
    def part(self) -> Part:
        """The part that is most in doubt."""
        return min(Part, key=lambda part: getattr(self.chances, part.value))


class ExpectedWrong(NamedTuple):
    """The number of labels that are expected to be wrong, with the ends of a 90 % interval."""

    labels: int
    wrong: float
    low: float
    high: float


def doubts_of(progress: ImageProgress, settings: Settings, links: LinkView | None = None) -> list[Doubt]:
    """Return the doubts about the labels of an image, by chain; none where no data set is checked.

    `links`: what `link_view` returns, where it is known.
    """
    if not engine_of(settings).source.program:
        return []
    chances = chances_of(progress, settings, links)
    return [Doubt(name, standing_of(progress, name, settings), own) for name, own in sorted(chances.items())]


def standing_of(progress: ImageProgress, name: int, settings: Settings) -> Standing:
    """Return how the label of this chain stands."""
    chains = [one for one in progress.chains.values() if name in (one.name, one.merged_into)]
    if any(one.state not in ENDS for one in chains):
        return Standing.IN_QUESTION
    now, before = _now(progress, chains), source_label(progress, chains, engine_of(settings).source.program)
    if before is not None and not before.boxes and not before.flag:
        now = now._replace(flag="")  # the source does not say why there is no box
    return Standing.UNCHANGED if now == before else Standing.CHANGED


def source_label(progress: ImageProgress, chains: Iterable[ChainProgress], source: int) -> Label | None:
    """Return the label of the source with exactly the mentions of these chains; None: it has no such label."""
    names, own = {one.name for one in chains}, sorted(number for one in chains for number in one.mentions)
    if own not in [sorted(chain) for chain in progress.program_chains.get(source, ())]:
        return None
    taken = [box.box for box in progress.boxes.values() if box.worker == source and box.chain in names]
    left = [one.box for one in progress.pre_annotations if one.worker == source and one.mention in own]
    boxes = tuple(sorted({*taken, *left}))
    flag = next((flag for number in own if (flag := progress.mentions[number].flag)), "")
    return Label(tuple(own), boxes, "" if boxes else flag)


def _now(progress: ImageProgress, chains: list[ChainProgress]) -> Label:
    boxes = tuple(sorted({box.box for one in chains for box in progress.accepted(one.name)}))
    flag = "" if boxes else next((one.non_visual for one in chains if one.non_visual), "")
    return Label(tuple(sorted(number for one in chains for number in one.mentions)), boxes, flag)


def expected_wrong(doubts: Iterable[float]) -> ExpectedWrong:
    """Return how many labels are expected to be wrong, given the chance of each, 0 to 1, that it is."""
    every = list(doubts)
    return expected_of(len(every), sum(every), sum(one * (1 - one) for one in every))


def expected_of(labels: int, total: float, variance: float) -> ExpectedWrong:
    """Return the same from sums: of the chances, and of their variances. Labels count as independent."""
    about = OF_90 * math.sqrt(max(variance, 0.0))
    return ExpectedWrong(labels, total, max(0.0, total - about), min(float(labels), total + about))
