"""Changed labels [beyond paper 3]: what a check has made of the labels of an image, as far as it is settled.

Labels that share phrases, before or after, are one change. A change counts once every chain in it is complete or
non-visual; until then its labels are in question.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.checking.kinds_of_error import BoxChange, ErrorKind, box_changes, flag_kinds, phrase_kinds
from pipeline.checking.label import ChainLabel, labels_now
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.flow import SETTLED


class TypeChange(NamedTuple):
    """The types of a mention, by its number."""

    mention: int
    before: tuple[str, ...]
    after: tuple[str, ...]


class LabelChange(NamedTuple):
    """Labels of the source that share phrases with labels of now, and differ from them."""

    before: tuple[ChainLabel, ...]
    after: tuple[ChainLabel, ...]
    kinds: tuple[ErrorKind, ...]
    """In the order of their declaration."""
    boxes: tuple[BoxChange, ...] = ()
    """Of all its labels together if phrases changed their chains."""
    types: tuple[TypeChange, ...] = ()

    @property
    def mentions(self) -> frozenset[int]:
        """The numbers of all mentions that it is about."""
        return frozenset(number for label in (*self.before, *self.after) for number in label.mentions)


class LabelComparison(NamedTuple):
    """The labels of an image, before and now."""

    changes: list[LabelChange]
    """By first mention."""
    same: int
    """The number of the source's labels that are settled and as they were."""
    in_question: int
    """The number of its labels that are not settled."""


def compare_labels(
    source: Sequence[ChainLabel], progress: ImageProgress, types: Mapping[int, Sequence[str]]
) -> LabelComparison:
    """Return what became of the labels of a source.

    `types`: of the mentions whose types may have changed, those at import.
    """
    chains = progress.chains.values() if progress.started else ()
    settled = {number for chain in chains if chain.state in SETTLED for number in chain.mentions}
    changes, same, in_question = [], 0, 0
    for before, after in _groups(source, labels_now(progress) if progress.started else ()):
        there = [number for label in (*before, *after) for number in label.mentions if number in progress.mentions]
        if not settled.issuperset(there):
            in_question += len(before)
        elif change := change_of(before, after, _retyped(there, progress, types)):
            changes.append(change)
        else:
            same += len(before)
    return LabelComparison(changes, same, in_question)


def change_of(
    before: Sequence[ChainLabel], after: Sequence[ChainLabel], types: Sequence[TypeChange] = ()
) -> LabelChange | None:
    """Return what changed between labels about the same phrases; None: nothing that counts."""
    phrases = phrase_kinds(before, after)
    boxes = box_changes(*({box for label in labels for box in label.boxes} for labels in (before, after)))
    boxes = boxes if before and after else []  # those of new or removed phrases alone are no error of boxes
    kinds = {*phrases, *(change.kind for change in boxes), *flag_kinds(before, after)} | (
        {ErrorKind.TYPE} if types else set()
    )
    in_order = tuple(kind for kind in ErrorKind if kind in kinds)
    return LabelChange(tuple(before), tuple(after), in_order, tuple(boxes), tuple(types)) if kinds else None


def _retyped(numbers: Iterable[int], progress: ImageProgress, types: Mapping[int, Sequence[str]]) -> list[TypeChange]:
    return [
        TypeChange(number, tuple(types[number]), tuple(progress.mentions[number].types))
        for number in sorted({*numbers} & types.keys())
        if sorted(types[number]) != sorted(progress.mentions[number].types)
    ]


def _groups(
    before: Iterable[ChainLabel], after: Iterable[ChainLabel]
) -> Iterator[tuple[list[ChainLabel], list[ChainLabel]]]:
    """Yield labels that shared mentions connect, by their first mention."""
    root: dict[int, int] = {}

    def find(number: int) -> int:
        while root.setdefault(number, number) != number:
            number = root[number]
        return number

    before, after = list(before), list(after)
    for label in (*before, *after):
        first, *others = sorted({find(number) for number in label.mentions})
        for other in others:
            root[other] = first
    groups: dict[int, tuple[list[ChainLabel], list[ChainLabel]]] = defaultdict(lambda: ([], []))
    for place, labels in enumerate((before, after)):
        for label in labels:
            groups[find(label.mentions[0])][place].append(label)
    for first in sorted(groups):
        yield groups[first]
