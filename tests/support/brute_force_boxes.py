"""The belief about a chain's boxes by brute force: every entity is named, every way is listed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.rules.boxing.box_answers import NODES, NONE_THOUGH_MISSING, WRONG_TO_BOX, error
from pipeline.rules.boxing.box_belief import BoxAnswer
from pipeline.rules.boxing.box_prior import DEFAULT
from pipeline.rules.tasks.task import Task


class Way(NamedTuple):
    """One way in which all could have been, and its chance together with the answers."""

    chance: float
    node: int
    boxes: int
    """The true number of boxes."""
    entity: tuple[tuple[int, int | None], ...] = ()
    """For each drawn box, the entity that it shows; None: a bad box."""

    def missing(self, shown: Sequence[int]) -> list[int]:
        there = {entity for box, entity in self.entity if box in shown}
        return [one for one in range(self.boxes) if one not in there]

    def is_good(self, box: int) -> bool:
        return (box, None) not in self.entity


def all_ways(counts: Sequence[float], answers: Sequence[BoxAnswer]) -> list[Way]:
    """Return every way that the answers allow; the chances add up to 1."""
    ways = ways_and_answers(counts, answers)
    total = sum(way.chance for way in ways)
    return [way._replace(chance=way.chance / total) for way in ways]


def ways_and_answers(counts: Sequence[float], answers: Sequence[BoxAnswer]) -> list[Way]:
    """Return every way that the answers allow; the chances add up to that of the answers."""
    ways = [Way(chance / NODES, node, boxes) for boxes, chance in enumerate(counts) for node in range(NODES)]
    for answer in answers:
        ways = ways_after(ways, answer)
    return ways


def ways_after(ways: Sequence[Way], answer: BoxAnswer) -> list[Way]:
    """Return every way that one more answer allows, each with its chance together with this answer."""
    return [after for way in ways for after in _after(way, answer) if after.chance]


def _after(way: Way, answer: BoxAnswer) -> Iterator[Way]:
    names = {
        Task.BOX_REQUIREMENT: "requirement",
        Task.BOX_DRAWING: "drawing",
        Task.BOX_QUALITY: "quality",
        Task.BOX_COVERAGE: "coverage",
    }
    wrong = float(error(DEFAULT.error_of(names[answer.task]), answer.shift)[way.node])
    missing = way.missing(answer.shown)
    match answer.task:
        case Task.BOX_REQUIREMENT:
            box = 1 - wrong if way.boxes else wrong * WRONG_TO_BOX
            yield way._replace(chance=way.chance * (box if answer.answer == 1 else 1 - box))
        case Task.BOX_DRAWING:
            yield from _drawn(way, answer, wrong, missing)
        case Task.BOX_QUALITY:
            assert answer.box is not None
            right = way.is_good(answer.box) == (answer.answer == "good")
            yield way._replace(chance=way.chance * (1 - wrong if right else wrong))
        case Task.BOX_COVERAGE:
            right = (not missing) == (answer.answer == "all there")
            yield way._replace(chance=way.chance * (1 - wrong if right else wrong))


def _drawn(way: Way, answer: BoxAnswer, wrong: float, missing: list[int]) -> Iterator[Way]:
    if answer.box is None:
        none = wrong * NONE_THOUGH_MISSING if missing else 1 - wrong
        yield way._replace(chance=way.chance * none)
        return
    if answer.trust is not None:
        good, bad = answer.trust, 1 - answer.trust
    else:
        good, bad = 1 - wrong, wrong * (1 - NONE_THOUGH_MISSING)
    if not missing:
        bad = wrong if answer.trust is None else 1.0
    yield way._replace(chance=way.chance * bad, entity=(*way.entity, (answer.box, None)))
    for one in missing:
        yield way._replace(chance=way.chance * good / len(missing), entity=(*way.entity, (answer.box, one)))
