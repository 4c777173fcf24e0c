"""Reasons of doubt [beyond paper 3]: what speaks against a label of a checked data set, with figures.

The chances follow from the belief alone; reasons tell a reader where to look, and some of them say more than it knows.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from annotation.rules.box import Box, iou
from annotation.rules.dictionaries import Dictionaries, types_of
from annotation.rules.states import BoxState
from annotation.rules.transitivity import Pair
from belief.boxes.box_prior import counts_of
from pipeline.checking.chances import LinkView, link_view
from pipeline.checking.doubt import LabelPart, boxes_of_program
from pipeline.checking.kinds_of_error import share_in
from pipeline.policies.compose import engine_of
from pipeline.protocol.boxes.pre_annotations import COVERED, predicted_numbers
from pipeline.protocol.image.chain_steps import representative
from pipeline.protocol.state.progress import ChainProgress, ImageProgress
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings

SAME_BOX = 0.8
"""Two boxes that overlap so much (IOU) show the same place."""
INSIDE = 0.95
"""A box of which this share lies in another one is inside that one."""
ALIKE, APART = 0.1, 0.9
"""Pairs of different chains that are likelier one thing, and pairs of one chain that are less likely, are named."""
RARE = 0.1
"""Numbers of boxes that are less likely than this, by types and phrase, are named."""
BAD = ((Task.BOX_QUALITY, BoxQualityAnswer.BAD), (Task.BOX_COVERAGE, CoverageAnswer.MORE_NEEDED))


class Why(StrEnum):
    """The reasons of doubt."""

    SOURCE = "source"
    """The data set itself has other mentions in its chain: what is believed now differs from it."""
    PROGRAM_LINKS = "program-links"
    """Another program holds other mentions to be the same thing."""
    ALIKE = "alike"
    """A mention of another chain may be the same thing."""
    APART = "apart"
    """Two of its own mentions may be different things."""
    PEOPLE_LINKS = "answers-links"
    """Somebody's answer to a link says otherwise."""
    PROGRAM_NUMBER = "program-number"
    """Another program found another number of boxes."""
    PROGRAM_BOX = "program-box"
    """A box is not where another program found one."""
    SAME_BOX = "same-box"
    """Another chain has the same box."""
    INSIDE = "inside"
    """A box lies inside one of another chain with a common type."""
    NUMBER = "number"
    """It is unusual for such a phrase to have so many boxes."""
    BAD = "bad"
    """Somebody judged a box bad."""
    MISSING = "missing"
    """Somebody found a box missing."""
    NO_BOX = "no-box"
    """Somebody said that it needs no box."""
    NEEDS_BOX = "needs-box"
    """Somebody said that it needs a box."""
    TYPE = "type"
    """The dictionaries have another type for a mention."""


class DoubtReason(NamedTuple):
    """One reason of doubt about a label. Figures that have no meaning for it are None."""

    why: Why
    part: LabelPart
    chance: float | None = None
    """Of a pair: that it is one thing. Of a number of boxes: that there are so many. Of two boxes: how much of them."""
    number: int | None = None
    """Boxes, or answers of people."""
    programs: int | None = None
    """Answers of programs; of a number or box of a program: the boxes that it found."""
    mention: int | None = None
    """A mention of the label."""
    other: int | None = None
    """The other mention; of boxes, the first one of the other chain."""
    types: tuple[str, ...] = ()
    """The types that the dictionaries have."""


class LabelParts(NamedTuple):
    """The parts of one label that reasons read."""

    progress: ImageProgress
    settings: Settings
    links: LinkView
    chains: list[ChainProgress]
    mentions: frozenset[int]
    boxes: list[Box]


def reasons_of(
    progress: ImageProgress,
    settings: Settings,
    chain: int,
    dictionaries: Dictionaries,
    links: LinkView | None = None,
) -> list[DoubtReason]:
    """Return what speaks against the label of a chain, by part. `links`: what `link_view` returns, where known."""
    chains = [part for part in progress.chains.values() if chain in (part.name, part.merged_into)]
    mentions = frozenset(number for chain in chains for number in chain.mentions)
    boxes = [box for chain in chains for box in boxes_shown(progress, chain, settings)]
    label = LabelParts(progress, settings, links or link_view(progress, settings), chains, mentions, boxes)
    tests = (_by_links, _by_programs_links, _by_boxes_of_others, _by_programs_boxes, _by_number, _by_answers)
    found = [reason for test in tests for reason in test(label)] + list(_by_types(label, dictionaries))
    return sorted(found, key=lambda reason: list(LabelPart).index(reason.part))


def boxes_shown(progress: ImageProgress, chain: ChainProgress, settings: Settings) -> list[Box]:
    """Return the boxes that a chain has now, those in question included; before there are any, the source's."""
    own = [box for box in progress.boxes.values() if box.chain == chain.name]
    if own:
        return [box.box for box in own if box.state is not BoxState.DISCARDED]
    return list(dict.fromkeys(boxes_of_program(progress, [chain], engine_of(settings).source.program)))


def _by_links(label: LabelParts) -> Iterator[DoubtReason]:
    """Yield the likeliest pair with another chain, the least likely one inside, and answers against the label."""
    across, inside = list[tuple[float, Pair]](), list[tuple[float, Pair]]()
    for pair, chance in label.links.together.items():
        own = len(label.mentions.intersection(pair))
        if own == 1 and chance >= ALIKE:
            across.append((chance, pair))
        elif own == 2 and chance < APART:
            inside.append((chance, pair))
    if across:
        yield _of_pair(label, Why.ALIKE, *max(across))
    if inside:
        yield _of_pair(label, Why.APART, *min(inside))
    against = {
        (vote.worker, vote.entry)
        for pair, cast in label.progress.votes.items()
        for vote in cast
        if (own := len(label.mentions.intersection(pair))) and vote.answer != (own == 2)
    }
    if against:
        programs = sum(worker in label.settings.model_annotators for worker, _ in against)
        yield DoubtReason(Why.PEOPLE_LINKS, LabelPart.MENTIONS, number=len(against) - programs, programs=programs)


def _of_pair(label: LabelParts, why: Why, chance: float, pair: Pair) -> DoubtReason:
    one, other = pair if pair[0] in label.mentions else pair[::-1]
    return DoubtReason(why, LabelPart.MENTIONS, round(chance, 4), mention=one, other=other)


def _by_programs_links(label: LabelParts) -> Iterator[DoubtReason]:
    """Yield whether the source, and how many other programs, have another chain with the label's mentions."""
    differ = []
    for program, chains in label.progress.program_chains.items():
        placed = {number for chain in chains for number in chain}
        if placed >= label.mentions and label.mentions not in [frozenset(chain) for chain in chains]:
            differ.append(program)
    source = engine_of(label.settings).source.program
    if source in differ:
        yield DoubtReason(Why.SOURCE, LabelPart.MENTIONS)
    if others := len(differ) - (source in differ):
        yield DoubtReason(Why.PROGRAM_LINKS, LabelPart.MENTIONS, programs=others)


def _by_boxes_of_others(label: LabelParts) -> Iterator[DoubtReason]:
    """Yield the chain with the most similar box, and the first with a common type that holds one of its boxes."""
    types = {kind for chain in label.chains for kind in label.progress.types_of(chain)}
    same, inside = list[tuple[float, int]](), list[tuple[float, int]]()
    for other in label.progress.chains.values():
        if other in label.chains or other.merged_into in {chain.name for chain in label.chains}:
            continue
        for shown in boxes_shown(label.progress, other, label.settings):
            for box in label.boxes:
                if (overlap := iou(box, shown)) >= SAME_BOX:
                    same.append((overlap, other.name))
                elif (share := share_in(box, shown)) >= INSIDE and types & label.progress.types_of(other):
                    inside.append((share, other.name))
    for why, found in ((Why.SAME_BOX, same), (Why.INSIDE, inside)):
        if found:
            share, name = max(found)
            yield DoubtReason(why, LabelPart.BOXES, round(share, 4), other=name)


def _by_programs_boxes(label: LabelParts) -> Iterator[DoubtReason]:
    """Yield another program's number of boxes, and how many boxes are where no other program found any."""
    source = str(engine_of(label.settings).source.program)
    predicted = predicted_numbers(label.progress, label.chains[0]) if len(label.chains) == 1 else {}
    for program, count in predicted.items():
        if program == source:
            continue
        if count != len(label.boxes):
            yield DoubtReason(Why.PROGRAM_NUMBER, LabelPart.BOXES, number=len(label.boxes), programs=count)
        theirs = boxes_of_program(label.progress, label.chains, int(program))
        lonely = sum(all(iou(box, other) < COVERED for other in theirs) for box in label.boxes)
        if theirs and lonely:
            yield DoubtReason(Why.PROGRAM_BOX, LabelPart.BOXES, number=lonely, programs=len(theirs))


def _by_number(label: LabelParts) -> Iterator[DoubtReason]:
    """Yield the number of boxes, if it is rare for chains of such types and such a phrase."""
    shown = label.progress.mentions[representative(label.progress, label.chains[0])]
    types = frozenset(kind for chain in label.chains for kind in label.progress.types_of(chain))
    counts = counts_of(types, shown.words, shown.head, engine_of(label.settings).box_rules.prior)
    count = min(len(label.boxes), len(counts) - 1)
    if counts[count] < RARE:
        part = LabelPart.FLAG if not count else LabelPart.BOXES
        yield DoubtReason(Why.NUMBER, part, round(counts[count], 4), number=count)


def _by_answers(label: LabelParts) -> Iterator[DoubtReason]:
    """Yield the answers to box tasks that speak against the boxes, or against having any."""
    given = [
        answer for chain in label.chains for answer in chain.answers if answer.counts and not answer.is_pre_annotation
    ]
    there = {box.number for box in label.progress.boxes.values() if box.state is not BoxState.DISCARDED}

    def counted(why: Why, part: LabelPart, by: Sequence[bool]) -> Iterator[DoubtReason]:
        if by:
            yield DoubtReason(why, part, number=len(by) - sum(by), programs=sum(by))

    bad = [
        answer.by_model for answer in given if (answer.task, answer.value) == BAD[0] and there.issuperset(answer.boxes)
    ]
    missing = [
        answer.by_model
        for answer in given
        if (answer.task, answer.value) == BAD[1] and len(answer.boxes) >= len(label.boxes)
    ]
    needs = [answer for answer in given if answer.task is Task.BOX_REQUIREMENT]
    box = RequirementAnswer.BOX
    yield from counted(Why.BAD, LabelPart.BOXES, bad)
    yield from counted(Why.MISSING, LabelPart.BOXES if label.boxes else LabelPart.FLAG, missing)
    if label.boxes:
        yield from counted(Why.NO_BOX, LabelPart.FLAG, [vote.by_model for vote in needs if vote.value != box])
    else:
        yield from counted(Why.NEEDS_BOX, LabelPart.FLAG, [vote.by_model for vote in needs if vote.value == box])


def _by_types(label: LabelParts, dictionaries: Dictionaries) -> Iterator[DoubtReason]:
    """Yield the mentions whose type is none of those that the dictionaries have."""
    for number in label.progress.reading_order(list(label.mentions)):
        mention = label.progress.mentions[number]
        ours = tuple(str(kind) for kind in types_of(mention.compared.split(), dictionaries))
        if not set(ours) & set(mention.types) and ours != ("other",):
            yield DoubtReason(Why.TYPE, LabelPart.MENTIONS, mention=number, types=ours)
