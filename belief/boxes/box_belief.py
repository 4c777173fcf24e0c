"""Box belief [beyond paper 3.2]: how many boxes of a chain are missing, and which of those drawn are good.

A filter over the answers in the order of the record. Its state is a table of chances, by the difficulty of the chain,
the number of boxes that are still missing, and for each box that is shown whether it is good. A good box shows an
entity of the chain that no other shown box covers; so a good box makes the missing ones one fewer, and a good box that
is dropped makes them one more. Beyond `MAX_TRACKED` boxes the surest is weighed apart, so the table stays small.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from belief.annotators import ErrorRates
from belief.boxes.box_answers import ALARMS, NODES, WRONG_TO_BOX, BoxReply, BoxTask, drawing_chances, node_errors
from belief.boxes.box_prior import DEFAULT, BoxPrior
from belief.models.records import NEW_BOX_MODEL, PERSON

MAX_TRACKED = 6
"""The boxes whose goodness is weighed together."""
Table = NDArray[np.float64]


class BoxAnswer(NamedTuple):
    """One answer about a chain, or one box that a program proposed and that was taken."""

    task: BoxTask
    answer: BoxReply | None
    """None of a drawing."""
    skill: float = 0.0
    """The logit of the worker's error, less that of the crowd, at the time of the answer."""
    box: int | None = None
    """The number of the box that was drawn or judged. None of a drawing: none is missing."""
    shown: tuple[int, ...] = ()
    """The numbers of the chain's boxes that the worker saw; of a judged box, that box may be left out."""
    trust: float | None = None
    """Of a box that a program proposed: the chance that it is good if one is missing. None: a worker's answer."""
    model: str | None = None
    """The number of the program that gave the answer; None: a person did, or the box was proposed."""
    maker: str = PERSON
    """Of a judged box: who made it, see `records.Maker`."""
    same_family: bool = False
    """Of a judged box: the model that judged it, or one of its family, had proposed it."""
    errors: ErrorRates | None = None
    """Of a judged box: how often its answer is wrong, if a program did not judge but propose; see `agreement`."""

    @property
    def about(self) -> tuple[BoxTask, int | None, tuple[int, ...]]:
        """The same for all answers about the same thing."""
        return self.task, self.box, tuple(sorted(self.shown))

    @property
    def by_person(self) -> bool:
        """Whether a worker answered: no model, and no program that proposed the box."""
        return self.model is None and self.trust is None

    @property
    def alarmed(self) -> bool:
        """Whether the answer finds something wrong: a box is missing, or the box is bad."""
        return self.answer in ALARMS


class BoxEvidence(NamedTuple):
    """All that is known of a chain's boxes."""

    counts: tuple[float, ...]
    """The chances that the chain truly has 0, 1, ... boxes, before any answer."""
    answers: tuple[BoxAnswer, ...] = ()
    dropped: tuple[int, ...] = ()
    """Boxes that are shown no more, whatever the answers say of them now."""


@dataclass(frozen=True, slots=True)
class BoxBelief:
    """The state of the filter."""

    table: Table
    """Chances [NODES, missing boxes, 2 for each of `boxes`]; they add up to 1. 1 in an axis of a box: it is good."""
    boxes: tuple[int, ...] = ()
    settled: tuple[tuple[int, float], ...] = ()
    """Further shown boxes, and the chance that each is good, weighed apart."""
    log_chance: float = 0.0
    """The logarithm of the chance of all answers so far, whatever is true."""

    @property
    def shown(self) -> tuple[int, ...]:
        """The boxes that are not dropped, in ascending order."""
        return tuple(sorted((*self.boxes, *(box for box, _ in self.settled))))

    def p_good(self, box: int) -> float:
        """Return the chance that a shown box is good. Raises KeyError for a box that is not shown."""
        for settled, chance in self.settled:
            if settled == box:
                return chance
        if box not in self.boxes:
            raise KeyError(f"Box {box} is not shown; shown are {self.shown}.")
        good = np.take(self.table, 1, axis=2 + self.boxes.index(box))
        return float(good.sum())

    @property
    def p_missing(self) -> float:
        """The chance that a box is missing."""
        return 1 - float(self.table[:, 0].sum())

    @property
    def p_no_box(self) -> float:
        """The chance that the chain has no box at all."""
        return self.p_exactly(())

    @property
    def p_complete(self) -> float:
        """The chance that all shown boxes are good and none is missing."""
        return self.p_exactly(self.shown)

    def p_exactly(self, good: Collection[int]) -> float:
        """Return the chance that of the shown boxes these are good, the others are not, and none is missing."""
        apart = [chance if box in good else 1 - chance for box, chance in self.settled]
        return float(self.table[self._place(good)].sum()) * float(np.prod(apart))

    def _place(self, good: Collection[int]) -> tuple[slice | int, ...]:
        """Return where no box is missing, and of the weighed boxes these are good."""
        return (slice(None), 0, *(int(box in good) for box in self.boxes))

    def without(self, dropped: Sequence[int]) -> "BoxBelief":
        """Return the belief after these boxes are no longer shown: the entities of good ones are missing again."""
        if not dropped:
            return self
        table, boxes = self.table, self.boxes
        for box in dropped:
            if box in boxes:
                axis = 2 + boxes.index(box)
                table = np.take(table, 0, axis=axis) + _one_more(np.take(table, 1, axis=axis))
                boxes = tuple(other for other in boxes if other != box)
        for box, chance in self.settled:
            if box in dropped:
                table = (1 - chance) * table + chance * _one_more(table)
        settled = tuple((box, chance) for box, chance in self.settled if box not in dropped)
        return replace(self, table=table, boxes=boxes, settled=settled)

    def after(self, answer: BoxAnswer, prior: BoxPrior = DEFAULT) -> "BoxBelief":
        """Return the belief after one more answer."""
        match answer.task:
            case BoxTask.REQUIREMENT:
                return self._required(answer, prior)
            case BoxTask.DRAWING:
                return self._showing(answer)._drawn(answer, prior)
            case BoxTask.QUALITY:
                return self._judged(answer, prior)
            case BoxTask.COVERAGE:
                return self._showing(answer)._covered(answer, prior)

    def _showing(self, answer: BoxAnswer) -> "BoxBelief":
        return self.without([box for box in self.shown if box not in answer.shown])

    def _required(self, answer: BoxAnswer, prior: BoxPrior) -> "BoxBelief":
        passed, alarm = _errors(answer, prior)
        to_box = alarm * WRONG_TO_BOX if answer.model is None else alarm
        some, none = (1 - passed, to_box) if answer.alarmed else (passed, 1 - to_box)
        apart = float(np.prod([1 - chance for _, chance in self.settled]))
        table = self.table * _along(some, self.table)
        corner = self._place(())
        table[corner] = self.table[corner] * (apart * none + (1 - apart) * some)
        return self._with(table)

    def _drawn(self, answer: BoxAnswer, prior: BoxPrior) -> "BoxBelief":
        if answer.trust is None:
            good, bad, none, needless = drawing_chances(prior.error_of(BoxTask.DRAWING), answer.skill)
        else:
            good = np.full(NODES, answer.trust)
            bad, none, needless = 1 - good, np.zeros(NODES), np.ones(NODES)
        if answer.box is None:
            table = self.table * _along(none, self.table)
            table[:, 0] = self.table[:, 0] * _along(1 - needless, table[:, 0])
            return self._with(table)
        if_good = np.zeros_like(self.table)
        if_good[:, :-1] = self.table[:, 1:]
        if_good *= _along(good, if_good)
        if_bad = self.table * _along(bad, self.table)
        if_bad[:, 0] = self.table[:, 0] * _along(needless, if_bad[:, 0])
        table = np.empty((*if_bad.shape, 2))
        table[..., 0], table[..., 1] = if_bad, if_good
        grown = self._with(table)
        return BoxBelief(grown.table, (*self.boxes, answer.box), self.settled, grown.log_chance)._small()

    def _judged(self, answer: BoxAnswer, prior: BoxPrior) -> "BoxBelief":
        passed, alarm = _errors(answer, prior)
        if_good, if_bad = (alarm, 1 - passed) if answer.alarmed else (1 - alarm, passed)
        if answer.box in self.boxes:
            axis = 2 + self.boxes.index(answer.box)
            chances = np.stack((if_bad, if_good), axis=1)
            shape = [NODES] + [2 if place == axis else 1 for place in range(1, self.table.ndim)]
            return self._with(self.table * chances.reshape(shape))
        settled, likelihood = [], 1.0
        for box, chance in self.settled:
            if box == answer.box:
                good, bad = chance * float(if_good.mean()), (1 - chance) * float(if_bad.mean())
                likelihood = good + bad
                chance = good / likelihood
            settled.append((box, chance))
        return replace(self, settled=tuple(settled), log_chance=self.log_chance + math.log(likelihood))

    def _covered(self, answer: BoxAnswer, prior: BoxPrior) -> "BoxBelief":
        passed, alarm = _errors(answer, prior)
        if_none, if_some = (alarm, 1 - passed) if answer.alarmed else (1 - alarm, passed)
        table = self.table * _along(if_some, self.table)
        table[:, 0] = self.table[:, 0] * _along(if_none, table[:, 0])
        return self._with(table)

    def _with(self, table: Table) -> "BoxBelief":
        likelihood = float(table.sum())
        return BoxBelief(table / likelihood, self.boxes, self.settled, self.log_chance + math.log(likelihood))

    def _small(self) -> "BoxBelief":
        if len(self.boxes) <= MAX_TRACKED:
            return self
        chances = [self.p_good(box) for box in self.boxes]
        # The newest box stays: it is the next to be judged.
        sure = max(range(len(chances) - 1), key=lambda place: chances[place])
        boxes = self.boxes[:sure] + self.boxes[sure + 1 :]
        settled = (*self.settled, (self.boxes[sure], chances[sure]))
        return replace(self, table=self.table.sum(axis=2 + sure), boxes=boxes, settled=settled)


def believe_boxes(evidence: BoxEvidence, prior: BoxPrior = DEFAULT) -> BoxBelief:
    """Return the belief after all answers, in their order, of the boxes that are still shown."""
    belief = belief_before(evidence)
    for answer in evidence.answers:
        belief = belief.after(answer, prior)
    return belief.without(evidence.dropped)


def belief_before(evidence: BoxEvidence) -> BoxBelief:
    """Return the belief before any answer."""
    counts = np.asarray(evidence.counts, dtype=np.float64)
    return BoxBelief(np.tile(counts / counts.sum() / NODES, (NODES, 1)))


def _errors(answer: BoxAnswer, prior: BoxPrior) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the chances [NODES] of finding nothing wrong where something is, and something where nothing is."""
    if answer.model is None:
        wrong = node_errors(prior.error_of(answer.task), answer.skill)
        return wrong, wrong
    if answer.errors is not None:
        return np.full(NODES, answer.errors.miss), np.full(NODES, answer.errors.false_alarm)
    record = prior.model_annotators.get(answer.model, NEW_BOX_MODEL)
    match answer.task:
        case BoxTask.QUALITY:
            errors = record.of_box(answer.maker, same_family=answer.same_family)
        case BoxTask.REQUIREMENT:
            errors = record.of_requirement()
        case _:
            errors = record.of_missing()
    return np.full(NODES, errors.miss), np.full(NODES, errors.false_alarm)


def _along(chances: NDArray[np.float64], table: Table) -> Table:
    """Shape chances by difficulty so that they multiply a table."""
    return chances.reshape((NODES,) + (1,) * (table.ndim - 1))


def _one_more(table: Table) -> Table:
    """Move every chance to one more missing box; the last number stands for all above."""
    moved = np.zeros_like(table)
    moved[:, 1:] = table[:, :-1]
    moved[:, -1] += table[:, -1]
    return moved
