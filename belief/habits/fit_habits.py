"""Fit of habits [beyond paper 3.2.2]: from what workers drew where the true box is known.

Every habit is pulled towards that of all workers, and that one towards none, as by some imagined drawings.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotation.rules.box import Box
from belief.habits.habit import CROWD, NOBODY_KNOWS, Edges, Habit, pointing_of

OF_WORKER, OF_CROWD = 10.0, 25.0
"""Imagined drawings: of a worker as of the crowd, and of the crowd without a habit."""
FARTHEST = 0.3
"""An edge counts as at most this share of the side off: what lies farther is another thing rather than a habit."""
LEAST = 0.005
"""The smallest spread."""
MOST = 300
"""So many workers have a habit of their own at most, those with the most drawings."""
DIGITS = 4


class KnownDrawing(NamedTuple):
    """A box that a worker drew, and the true one of the same thing."""

    worker: int
    drawn: Box
    true: Box


def fit_habits(known: Iterable[KnownDrawing]) -> dict[str, Habit]:
    """Return the habits of the workers and of the crowd; without any drawing there are none."""
    of: dict[int, list[KnownDrawing]] = defaultdict(list)
    for one in known:
        of[one.worker].append(one)
    if not of:
        return {}
    crowd = _habit([one for own in of.values() for one in own], NOBODY_KNOWS, OF_CROWD)
    most = sorted(of, key=lambda worker: (-len(of[worker]), worker))[:MOST]
    return {CROWD: crowd} | {str(worker): _habit(of[worker], crowd, OF_WORKER) for worker in sorted(most)}


def _habit(known: Sequence[KnownDrawing], base: Habit, imagined: float) -> Habit:
    missed = [_missed(one) for one in known]
    number = len(known) + imagined
    left, top, right, bottom = (
        (sum(each) + imagined * usual) / number
        for each, usual in zip(zip(*missed, strict=True), base.edges, strict=True)
    )
    edges = (left, top, right, bottom)
    apart = sum(_apart(one, edges) - pointing_of(each.drawn) for one, each in zip(missed, known, strict=True))
    spread = max((apart + imagined * base.spread) / number, LEAST)
    rounded = (round(left, DIGITS), round(top, DIGITS), round(right, DIGITS), round(bottom, DIGITS))
    return Habit(rounded, round(spread, DIGITS))


def _missed(one: KnownDrawing) -> Edges:
    """Return what has to be added to each edge, as a share of the drawn side."""
    width, height = one.drawn.x1 - one.drawn.x0, one.drawn.y1 - one.drawn.y0
    sides = (width, height, width, height)
    left, top, right, bottom = (
        max(-FARTHEST, min((true - drawn) / side, FARTHEST))
        for true, drawn, side in zip(one.true, one.drawn, sides, strict=True)
    )
    return left, top, right, bottom


def _apart(missed: Edges, usual: Edges) -> float:
    return sum(abs(one - other) for one, other in zip(missed, usual, strict=True)) / len(usual)
