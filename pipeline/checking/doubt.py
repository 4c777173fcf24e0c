"""Doubt [beyond paper 3]: for each label of a checked data set, how it stands and how likely it is wrong."""

import math
from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import NamedTuple

from annotation.rules.box import Box
from annotation.rules.states import ChainState
from pipeline.checking.chances import Chances, LinkView, chances_of
from pipeline.checking.label_evidence import ChainLabel
from pipeline.policies.compose import engine_of
from pipeline.protocol.state.progress import ChainProgress, ImageProgress
from pipeline.settings.settings import Settings
from runtime.intervals import OF_PROGRAMS, normal

END_STATES = (ChainState.COMPLETE, ChainState.NON_VISUAL)


class LabelPart(StrEnum):
    """The parts of a label that can be wrong."""

    MENTIONS = "mentions"
    BOXES = "boxes"
    FLAG = "flag"


class LabelStatus(StrEnum):
    """The ways in which a label stands, beside that of the source."""

    IN_QUESTION = "in question"
    """Something is still asked about it, or an expert has to decide."""
    UNCHANGED = "unchanged"
    CHANGED = "changed"


class Doubt(NamedTuple):
    """The doubt about one label."""

    chain: int
    """The name of its chain."""
    status: LabelStatus
    chances: Chances

    @property
    def part(self) -> LabelPart:
        """The part that is most in doubt."""
        return min(LabelPart, key=lambda part: getattr(self.chances, part.value))


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
    return [
        Doubt(name, status_of(progress, name, settings), label_chances)
        for name, label_chances in sorted(chances.items())
    ]


def status_of(progress: ImageProgress, name: int, settings: Settings) -> LabelStatus:
    """Return how the label of this chain stands."""
    chains = [chain for chain in progress.chains.values() if name in (chain.name, chain.merged_into)]
    if any(chain.state not in END_STATES for chain in chains):
        return LabelStatus.IN_QUESTION
    now, before = _now(progress, chains), source_label(progress, chains, engine_of(settings).source.program)
    if before is not None and not before.boxes and not before.flag:
        now = now._replace(flag="")  # the source does not say why there is no box
    return LabelStatus.UNCHANGED if now == before else LabelStatus.CHANGED


def source_label(progress: ImageProgress, chains: Collection[ChainProgress], source: int) -> ChainLabel | None:
    """Return the label of the source with exactly the mentions of these chains; None: it has no such label."""
    own = sorted(number for chain in chains for number in chain.mentions)
    if own not in [sorted(chain) for chain in progress.program_chains.get(source, ())]:
        return None
    boxes = tuple(sorted(set(boxes_of_program(progress, chains, source))))
    flag = next((flag for number in own if (flag := progress.mentions[number].reference_flag)), "")
    return ChainLabel(tuple(own), boxes, "" if boxes else flag)


def boxes_of_program(progress: ImageProgress, chains: Collection[ChainProgress], program: int) -> list[Box]:
    """Return the boxes that a program has proposed for chains: those that were shown, then those that wait."""
    names, own = {chain.name for chain in chains}, {number for chain in chains for number in chain.mentions}
    shown = [box.box for box in progress.boxes.values() if box.worker == program and box.chain in names]
    waiting = [offer.box for offer in progress.pre_annotations if offer.worker == program and offer.mention in own]
    return [*shown, *waiting]


def _now(progress: ImageProgress, chains: list[ChainProgress]) -> ChainLabel:
    boxes = tuple(sorted({box.box for chain in chains for box in progress.accepted(chain.name)}))
    flag = "" if boxes else next((chain.non_visual for chain in chains if chain.non_visual), "")
    return ChainLabel(tuple(sorted(number for chain in chains for number in chain.mentions)), boxes, flag)


def expected_wrong(doubts: Iterable[float]) -> ExpectedWrong:
    """Return how many labels are expected to be wrong, given the chance of each, 0 to 1, that it is."""
    every = list(doubts)
    return expected_of(len(every), sum(every), sum(chance * (1 - chance) for chance in every))


def expected_of(labels: int, total: float, variance: float) -> ExpectedWrong:
    """Return the same from sums: of the chances, and of their variances. Labels count as independent."""
    _, low, high = normal(total, math.sqrt(max(variance, 0.0)), OF_PROGRAMS)
    return ExpectedWrong(labels, total, max(0.0, low), min(float(labels), high))
