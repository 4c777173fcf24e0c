"""Changed labels [beyond paper 3]: what a check has made of the labels of an image, as far as it is settled.

Labels that share phrases, before or after, are one change. A change counts once every chain in it is complete or
non-visual; until then its labels are in question.

Whose answers, predictions or acts speak for a change is found, and which acts of an expert confirm it or take it back.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Any, NamedTuple

from annotation.rules.box import Box
from annotation.rules.states import BoxState
from annotation.rules.transitivity import Pair
from pipeline.checking.kinds_of_error import BoxChange, ErrorKind, box_changes, flag_kinds, phrase_kinds
from pipeline.checking.label_evidence import ChainLabel, labels_now
from pipeline.protocol.image.expert import CONFIRM, TAKE_BACK
from pipeline.protocol.state.progress import NOTHING_DRAWN, ChainAnswer, ImageProgress
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.flow import SETTLED
from pipeline.protocol.tasks.task import Task


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


class ChangeDecision(StrEnum):
    """The last word on a change."""

    BY_ANSWERS = "by answers"
    CONFIRMED = "confirmed by an expert"
    TAKEN_BACK = "taken back by an expert"


class ExpertAct(NamedTuple):
    """An act of an expert that is in force."""

    entry: int
    actor: str
    data: Mapping[str, Any]


class Decided(NamedTuple):
    """A change, and what experts have said of it."""

    change: LabelChange
    decision: ChangeDecision
    acts: tuple[ExpertAct, ...]
    """Those that confirm the change, made it, or took it back, the oldest first."""


ASKS = ("review", "ask others", CONFIRM, TAKE_BACK)
"""Acts that make no label by themselves; two of them are told by the labels that they name."""


def decided(change: LabelChange, progress: ImageProgress, acts: Iterable[ExpertAct]) -> Decided:
    """Return what experts have said of a change: they confirm it, or they made it."""

    def makes(data: Mapping[str, Any]) -> bool:
        if data["action"] in ASKS or (data["action"] == "send" and data["to"] not in SETTLED):
            return False
        return not change.mentions.isdisjoint(_touched(data, progress))

    found = tuple(act for act in acts if confirms(act, change.after) or makes(act.data))
    return Decided(change, ChangeDecision.CONFIRMED if found else ChangeDecision.BY_ANSWERS, found)


def confirms(act: ExpertAct, labels: Iterable[ChainLabel]) -> bool:
    """Return whether an act says that exactly these labels are right."""
    return act.data["action"] == CONFIRM and {*labels} == {*labels_from_rows(act.data["labels"])}


def taken_back(now: Iterable[ChainLabel], acts: Iterable[ExpertAct]) -> list[Decided]:
    """Return the changes that experts have taken back and that stay so, by first mention.

    `now`: the labels of the image.
    """
    there, found = {*now}, []
    for act in acts:
        if act.data["action"] == TAKE_BACK:
            before, was = labels_from_rows(act.data["labels"]), labels_from_rows(act.data["was"])
            change = change_of(before, was) if there.issuperset(before) else None
            found += [Decided(change, ChangeDecision.TAKEN_BACK, (act,))] if change else []
    return sorted(found, key=lambda one: one.change.before)


def labels_from_rows(rows: Iterable[Sequence[Any]]) -> list[ChainLabel]:
    """Return labels from the rows [mentions, boxes, flag] of an entry."""
    return [
        ChainLabel(tuple(sorted(mentions)), tuple(sorted(Box(*box) for box in boxes)), flag)
        for mentions, boxes, flag in rows
    ]


def label_rows(labels: Iterable[ChainLabel]) -> list[list[Any]]:
    """Return the rows of an entry for labels."""
    return [[[*label.mentions], [[*box] for box in label.boxes], label.flag] for label in labels]


def _touched(data: Mapping[str, Any], progress: ImageProgress) -> set[int]:
    """Return the mentions that an act names, and those that name the chains it is about. The chains may be gone."""
    found = {data[name] for name in ("chain", "mention", "first", "second") if name in data}
    found.update(data.get("chains", ()), data.get("remove", ()), (row[0] for row in data.get("add", ())))
    found.update(number for part in data.get("parts", ()) for number in part)
    number = data.get("box")
    box = progress.boxes.get(number) if isinstance(number, int) else None
    return found | ({box.chain} if box else set())
