"""Far too fast [paper 3.3]: a worker answers in a small part of the seconds that other workers need."""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist, median
from typing import NamedTuple

from workers.rules.signals.signal import Signal, SignalKind, at_least, best_of, spread

FLOORS = {
    "coreference_link": 1.0,
    "chain_verification": 1.5,
    "box_requirement": 1.0,
    "box_drawing": 2.0,
    "box_quality": 1.0,
    "box_coverage": 1.0,
    "caption_check": 1.0,
    "atom_visual": 0.5,
}
"""Seconds in which no worker can look and answer: about an eighth of table 3's averages. Dragging a box takes two."""
AT_A_GLANCE = 0.75
"""Seconds in which nobody looks at a picture and answers, whatever is asked."""
STANDARD = NormalDist()
MIN_ANSWERS_OF_TASK, MIN_ANSWERS = 30, 20
"""Fewer answers to one task (a probation's worth), or to several, give no signal."""
PART = 1 / 3
"""Practised honest workers reach half of the usual seconds, hardly this part."""
FORGIVEN, FORGIVEN_IN_ALL = 0.1, 0.5
"""The share of answers under the floor that is forgiven, for questions seen before and clocks that jump."""
LEAST_ANSWERS, LEAST_WORKERS, LEAST_BETWEEN = 20, 10, 0.25
"""For a usual pace: a worker's answers, workers, and the standard deviation of their medians."""


class Timed(NamedTuple):
    """A judgment's id, and the seconds that it took."""

    id: int
    seconds: float


class Pace(NamedTuple):
    """The usual pace of one task, in natural logarithms of seconds."""

    centre: float
    between: float
    """The standard deviation of the workers' medians."""
    within: float
    """The standard deviation of one worker's answers."""


def pace(timed: Mapping[int, Iterable[Timed]]) -> Pace | None:
    """Return the usual pace of one task by medians over its workers; up to half of the workers may be bad.

    Workers with fewer than LEAST_ANSWERS do not count. None if fewer than LEAST_WORKERS are left.
    """
    logs = [[math.log(max(time_.seconds, 0.01)) for time_ in times] for times in timed.values()]
    logs = [times for times in logs if len(times) >= LEAST_ANSWERS]
    if len(logs) < LEAST_WORKERS:
        return None
    medians = [median(times) for times in logs]
    return Pace(median(medians), max(LEAST_BETWEEN, spread(medians)), median(spread(times) for times in logs))


def far_too_fast(worker: int, timed: Sequence[Timed], usual: Pace | None, *, floor: float) -> Signal | None:
    """Return a signal if the worker's median is under a PART of the usual, or too many answers are under the floor.

    `floor`: seconds that no honest answer takes.
    """
    if len(timed) < MIN_ANSWERS_OF_TASK:
        return None
    middle = median(answer.seconds for answer in timed)
    quick = [answer for answer in timed if answer.seconds < floor]
    against_floor = at_least(len(quick), len(timed), FORGIVEN)
    chance = best_of([_against_usual(middle, len(timed), usual), against_floor])
    if chance >= 1:
        return None
    than = f" (usual: {math.exp(usual.centre):.1f} s)" if usual else ""
    evidence = f"{len(timed)} answers took {middle:.1f} s in the middle{than}; {len(quick)} took less than {floor:g} s."
    limit = max(middle, floor)
    return Signal(
        SignalKind.FAR_TOO_FAST, (worker,), chance, evidence, tuple(o.id for o in timed if o.seconds <= limit)
    )


def far_too_fast_in_all(worker: int, timed: Mapping[str, Sequence[Timed]]) -> Signal | None:
    """Return a signal if more of the answers to several tasks, by their names, took less than a glance than not.

    Somebody who presses on in each task has too few answers in any one of them for a long time. The bounds are wider
    than for one task: people who draw box after box in 1.5 s must not be shown for a few answers.
    """
    total = sum(map(len, timed.values()))
    quick = [
        time_.id for task, times in timed.items() for time_ in times if time_.seconds < min(AT_A_GLANCE, FLOORS[task])
    ]
    chance = at_least(len(quick), total, FORGIVEN_IN_ALL)
    if total < MIN_ANSWERS or len(timed) < 2 or chance >= 1:
        return None
    evidence = f"{len(quick)} of {total} answers to {len(timed)} tasks took less than {AT_A_GLANCE:g} s."
    return Signal(SignalKind.FAR_TOO_FAST, (worker,), chance, evidence, tuple(quick))


def _against_usual(middle: float, answers: int, usual: Pace | None) -> float:
    if usual is None:
        return 1.0
    below = math.log(max(middle, 0.01)) - usual.centre
    if below > math.log(PART):
        return 1.0
    # The variance of a median is pi / 2 times that of a mean.
    return STANDARD.cdf(below / math.sqrt(usual.between**2 + math.pi / 2 * usual.within**2 / answers))
