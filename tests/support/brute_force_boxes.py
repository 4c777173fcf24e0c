"""The belief about a chain's boxes, and the worth of questions, by brute force over every way it could have been."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from pipeline.rules.boxing.belief.box_belief import BoxAnswer
from pipeline.rules.boxing.belief.look_ahead import AGAIN, DRAWN_RIGHT, NONE_RIGHT, NOTHING_TO_DRAW, SECONDS, Question
from pipeline.rules.boxing.prior.box_answers import NODES, NONE_THOUGH_MISSING, WRONG_TO_BOX, error
from pipeline.rules.boxing.prior.box_prior import DEFAULT
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


def plain_worth(
    ways: Sequence[Way], shown: tuple[int, ...], price: float, *, requirement: bool, depth: int = 2
) -> dict[Question, float]:
    """Return what each question is worth. `requirement`: whether that task is weighed. `shown`: at most two boxes."""
    found = {}
    for question, answers in _questions(shown, requirement=requirement).items():
        worth = -price * SECONDS[question.task] * sum(way.chance for way in ways)
        for answer in answers:
            after = ways_after(ways, answer)
            boxes = shown if answer.task is not Task.BOX_DRAWING or answer.box is None else (*shown, answer.box)
            worths = list(plain_ends(after, boxes, price))
            if depth > 1:
                worths += plain_worth(after, boxes, price, requirement=requirement, depth=depth - 1).values()
            worth += max(worths)
        found[question] = worth
    return found


def plain_ends(ways: Sequence[Way], shown: tuple[int, ...], price: float) -> list[float]:
    """Return what it is worth to stop now, or to go on in one plain way; the last is to go on drawing."""

    def mean(worth: Callable[[Way], float]) -> float:
        return sum(way.chance * worth(way) for way in ways)

    def going_on(way: Way, boxes: Sequence[int]) -> float:
        """Return the worth of drawing all that is missing beside good `boxes`."""
        if not all(way.is_good(box) for box in boxes):
            return 0.0
        missing = len(way.missing(boxes))
        if missing:
            return max(0.0, DRAWN_RIGHT**missing - price * AGAIN)
        if shown:
            return DRAWN_RIGHT - price * SECONDS[Task.BOX_DRAWING]
        return NONE_RIGHT - price * NOTHING_TO_DRAW

    def right(way: Way, boxes: Sequence[int]) -> bool:
        return all(way.is_good(box) for box in boxes) and not way.missing(boxes)

    def judging(way: Way, box: int, others: Sequence[int]) -> float:
        if not all(way.is_good(other) for other in others):
            return 0.0
        wrong, paid = DEFAULT.error_of("quality"), price * SECONDS[Task.BOX_QUALITY]
        if way.is_good(box):
            return (1 - wrong) * going_on(way, shown) + wrong * going_on(way, others) - paid
        return (1 - wrong) * going_on(way, others) - paid

    ends = [mean(lambda way: not way.boxes)]
    if shown:
        ends.append(mean(lambda way: right(way, shown)))
    for box in shown:
        others = [one for one in shown if one != box]
        ends.append(mean(lambda way, others=others: going_on(way, others)))  # type: ignore[misc]
        if others:
            ends.append(mean(lambda way, box=box, others=others: not way.is_good(box) and right(way, others)))  # type: ignore[misc]
        ends.append(mean(lambda way, box=box, others=others: judging(way, box, others)))  # type: ignore[misc]
    ends.append(mean(lambda way: going_on(way, shown)))
    return ends


def _questions(shown: tuple[int, ...], *, requirement: bool) -> dict[Question, list[BoxAnswer]]:
    """Return the answers to each question that can be asked."""
    draw, new = Task.BOX_DRAWING, len(shown)
    found = {Question(draw): [BoxAnswer(draw, None, 0.0, box, shown) for box in (None, new)]}
    if requirement:
        found[Question(Task.BOX_REQUIREMENT)] = [BoxAnswer(Task.BOX_REQUIREMENT, vote) for vote in (1, 2)]
    if shown:
        said = [BoxAnswer(Task.BOX_COVERAGE, one, 0.0, None, shown) for one in ("all there", "more needed")]
        found[Question(Task.BOX_COVERAGE)] = said
    for box in shown:
        judged = [BoxAnswer(Task.BOX_QUALITY, one, 0.0, box, shown) for one in ("good", "bad")]
        found[Question(Task.BOX_QUALITY, box)] = judged
    return found
