"""Found by [beyond paper 3]: whose answers, predictions or acts speak for a change of a checked data set's labels."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from annotation.rules.box import Box
from annotation.rules.states import BoxState
from annotation.rules.transitivity import Pair
from pipeline.checking.changed_labels import LabelChange
from pipeline.checking.kinds_of_error import ErrorKind
from pipeline.checking.label import ChainLabel
from pipeline.protocol.state.answer import NOTHING_DRAWN, ChainAnswer
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.task import Task


class ChangeSupport(NamedTuple):
    """Those who speak for a change: counts by the number of a worker, people and programs alike."""

    answers: Mapping[int, int]
    predictions: Mapping[int, int]
    """Boxes and pairs of phrases that programs predicted as they are now."""


def found_by(progress: ImageProgress, change: LabelChange, source: int) -> ChangeSupport:
    """Return who speaks for a change. `source`: the number of the program that stands for the data set."""
    links: set[tuple[int, int]] = set()
    """The worker and the entry of each answer about links, of a sweep once."""
    predictions: Counter[int] = Counter()
    for (first, second), same in changed_pairs(change).items():
        pair: Pair = (
            (first, second) if progress.mentions[first].order < progress.mentions[second].order else (second, first)
        )
        votes = progress.votes.get(pair, ())
        links |= {(vote.worker, vote.entry) for vote in votes if bool(vote.answer) is same}
        predictions.update(program for program, answer in _predicted(progress, pair) if answer is same)
    answers = Counter(worker for worker, _ in links)
    boxes = _Boxes.of(change)
    for chain in progress.chains.values():
        heard = chain.answers if change.mentions.intersection(chain.mentions) else ()
        for answer in heard:
            if answer.worker is not None and _speaks(progress, answer, boxes):
                (predictions if answer.is_pre_annotation else answers)[answer.worker] += 1
    del predictions[source], answers[source]
    return ChangeSupport(dict(sorted(answers.items())), dict(sorted(predictions.items())))


class _Boxes(NamedTuple):
    """The effect of a change on boxes."""

    gone: frozenset[Box]
    new: frozenset[Box]
    fewer: bool
    """Labels lost boxes and got none."""
    more: bool
    """Labels got more boxes than they lost."""
    flagged: bool
    """No label has a box, and the reason is another one."""

    @classmethod
    def of(cls, change: LabelChange) -> "_Boxes":
        gone = frozenset(box.before for box in change.boxes if box.before)
        new = frozenset(box.after for box in change.boxes if box.after)
        return cls(gone, new, bool(gone) and not new, len(new) > len(gone), ErrorKind.FLAG in change.kinds)


def changed_pairs(change: LabelChange) -> dict[tuple[int, int], bool]:
    """Return the pairs of mentions that were one thing and are two, or the other way round: whether they are one now.

    Of each pair the lower number comes first.
    """
    was, now = (
        {pair for label in labels for pair in combinations(sorted(label.mentions), 2)}
        for labels in (change.before, change.after)
    )
    both = _numbers(change.before) & _numbers(change.after)
    return {pair: pair in now for pair in sorted(was ^ now) if both.issuperset(pair)}


def _numbers(labels: Sequence[ChainLabel]) -> set[int]:
    return {number for label in labels for number in label.mentions}


def _predicted(progress: ImageProgress, pair: Pair) -> Iterator[tuple[int, bool]]:
    """Yield the programs that place both mentions, and whether in one chain."""
    for program, chains in progress.program_chains.items():
        places = [next((place for place, numbers in enumerate(chains) if number in numbers), None) for number in pair]
        if None not in places:
            yield program, places[0] == places[1]


def _speaks(progress: ImageProgress, answer: ChainAnswer, boxes: _Boxes) -> bool:
    """Return whether an answer about a chain's boxes, or a program's box, speaks for what the change did to them."""
    if not answer.counts:
        return False
    match answer.task:
        case Task.BOX_QUALITY:
            judged = progress.boxes[answer.boxes[0]].box
            return judged in (boxes.gone if answer.value == BoxQualityAnswer.BAD else boxes.new)
        case Task.BOX_COVERAGE:
            return boxes.more and answer.value == CoverageAnswer.MORE_NEEDED
        case Task.BOX_DRAWING if answer.value == NOTHING_DRAWN:
            return boxes.fewer and not answer.boxes
        case Task.BOX_DRAWING:
            box = progress.boxes[answer.value]
            return box.state is BoxState.ACCEPTED and box.box in boxes.new
        case Task.BOX_REQUIREMENT if answer.value == RequirementAnswer.BOX:
            return boxes.more
        case _:
            return boxes.fewer or boxes.flagged
