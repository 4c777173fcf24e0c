"""Corrected labels [beyond paper 3]: the labels of a checked image that are settled, and differ from its source's."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pipeline.rules.checking.label import Label, labels_now
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.tasks.flow import SETTLED


class CorrectedLabels(NamedTuple):
    """What has become of the labels of an image's source."""

    changed: list[Label]
    """Labels of the source that are no longer as they were."""
    instead: list[Label]
    """Labels of now that take the place of all that share a mention with them."""
    in_question: int
    """Labels of the source that are not settled: they stay as they were."""


def corrected_labels(
    source: Sequence[Label], progress: ImageProgress, types: Mapping[int, Sequence[str]]
) -> CorrectedLabels:
    """Return what has become of the labels of a source.

    Labels that share mentions, before or now, are settled together: once every chain of theirs is complete or
    non-visual. `types`: those that the source gives to mentions, by number; others are the project's own.
    """
    chains = progress.chains.values() if progress.started else ()
    settled = {number for one in chains if one.state in SETTLED for number in one.mentions}
    retyped = {
        number
        for number, own in types.items()
        if number in progress.mentions and set(own) != set(progress.mentions[number].types)
    }
    found = CorrectedLabels([], [], 0)
    for before, now in _groups(source, labels_now(progress) if progress.started else ()):
        if not settled.issuperset(number for label in (*before, *now) for number in label.mentions):
            found = found._replace(in_question=found.in_question + len(before))
            continue
        changed = [one for one in before if one not in now or retyped.intersection(one.mentions)]
        if changed or not before:
            found.changed.extend(changed)
            found.instead.extend(now)
    return found


def _groups(before: Iterable[Label], now: Iterable[Label]) -> Iterator[tuple[list[Label], list[Label]]]:
    """Yield labels of both that shared mentions connect."""
    root: dict[int, int] = {}

    def find(number: int) -> int:
        while root.setdefault(number, number) != number:
            number = root[number]
        return number

    both = (list(before), list(now))
    for label in (*both[0], *both[1]):
        first, *others = [find(number) for number in label.mentions]
        for other in others:
            root[find(other)] = find(first)
    groups: dict[int, tuple[list[Label], list[Label]]] = defaultdict(lambda: ([], []))
    for place, labels in enumerate(both):
        for label in labels:
            groups[find(label.mentions[0])][place].append(label)
    yield from groups.values()
