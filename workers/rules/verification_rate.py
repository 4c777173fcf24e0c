"""Verification rate [paper 3.3]: which places of an assignment hold verification questions.

Each place is drawn by itself, from a hash of a secret seed and the place's number, with odds that lean against the
deficit: the rate, times 1 + deficit / 4, at least a quarter of the rate and at most twice. So the share is exact in the
long run (the deficit stays within a few questions, however many are asked), and yet no place is ever certain or
impossible. Counting tells a worker nothing: by counts alone every place has the rate itself. Somebody who knew all
earlier verification questions could tell odds of a quarter to twice the rate, never more.

Only two counts are needed. A place is drawn the same every time, so returning an assignment brings no better one.
When the stock is used up the rate is 0 (`work`); when it grows again, what was missed is caught up at twice the rate.
"""

from hashlib import blake2b

CALM = 4
"""The deficit, in questions, that doubles the odds."""
LEAST, MOST = 0.25, 2.0
"""The odds of any place, in rates."""


def odds(asked: int, verified: int, rate: float) -> float:
    """The odds that the next place holds a verification question, after so many of both kinds since the rate began."""
    lean = 1 + (rate * asked - verified) / CALM
    return rate * min(max(lean, LEAST), MOST)


def places(seed: str, *, asked: int, verified: int, size: int, rate: float) -> tuple[int, ...]:
    """The places, from 0, that hold a verification question in the next assignment of `size` questions.

    `seed` is a secret of the project with the worker, the task, and when the rate began (when they became trusted).
    `asked` counts the questions that this worker was asked of the task since then, `verified` the verification
    questions among them. Raises ValueError for an impossible rate.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"A rate of {rate}: it is a share, from 0 to 1.")
    if rate == 1:
        return tuple(range(size))
    drawn: list[int] = []
    for place in range(size):
        if _uniform(seed, asked + place) < odds(asked + place, verified + len(drawn), rate):
            drawn.append(place)
    return tuple(drawn)


def _uniform(seed: str, number: int) -> float:
    digest = blake2b(f"{seed} {number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
