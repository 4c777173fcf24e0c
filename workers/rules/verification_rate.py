"""Verification rate [paper 3.3]: which places of an assignment hold verification questions.

Each place is drawn separately, from a hash of a secret seed and the place's number. Its odds are the rate times
1 + deficit / 4, at least a quarter of the rate and at most twice the rate. So the share is exact in the long run (the
deficit stays within a few questions), and no place is ever certain or impossible. Counting does not help a worker: by
counts alone every place has the rate itself. A worker who knew all earlier verification questions could know odds
between a quarter of the rate and twice the rate, never more.

Only two counts are needed. A place is drawn the same each time, so returning an assignment brings no better one. When
the stock is used up the rate is 0 (`work`); when the stock grows again, the deficit is caught up at twice the rate.
"""

from hashlib import blake2b

CALM = 4
"""The deficit, in questions, that doubles the odds."""
MIN_ODDS, MAX_ODDS = 0.25, 2.0
"""The least and the largest odds of a place, as multiples of the rate."""


def odds(questions: int, verified: int, rate: float) -> float:
    """Return the odds that the next place holds a verification question.

    `questions`: all questions since the rate began; `verified`: the verification questions among them.
    """
    lean = 1 + (rate * questions - verified) / CALM
    return rate * min(max(lean, MIN_ODDS), MAX_ODDS)


def places(seed: str, *, questions: int, verified: int, size: int, rate: float) -> tuple[int, ...]:
    """Return the places, from 0, that hold verification questions in the next assignment of `size` questions.

    `seed`: a secret of the project, with the worker, the task, and when the rate began (when the worker became
    trusted). `questions`: the questions of the task that this worker was asked since then. `verified`: the verification
    questions among them. Raises ValueError for an impossible rate.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"The rate must be a share from 0 to 1, not {rate}.")
    if rate == 1:
        return tuple(range(size))
    drawn: list[int] = []
    for place in range(size):
        if _uniform(seed, questions + place) < odds(questions + place, verified + len(drawn), rate):
            drawn.append(place)
    return tuple(drawn)


def _uniform(seed: str, number: int) -> float:
    digest = blake2b(f"{seed} {number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
