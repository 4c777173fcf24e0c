"""Program counts [beyond paper 3.2.1]: how many boxes a program proposes tells how many a chain needs.

What it tells is learned from finished chains, for each program: how often it proposed no box, one, two, or more for
chains that ended with none, one, two, or more. A program that proposes the same whatever a chain needs tells nothing,
and neither does one that few chains are known of. None for a chain counts only if the program proposed a box in the
same image: else it may not have looked at the image.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import prod

from belief.boxes.box_prior import PROPOSED, BoxPrior, NumberRows

PULL = 10.0
"""Imagined chains in each row, with numbers as in all rows together."""
DOUBT = 0.05
"""The share of chains of any row whose number is taken to tell nothing."""
ProposedNumbers = Mapping[str, int]
"""By program, the boxes that it proposed for a chain; programs that did not look at the image are left out."""


def with_proposed(counts: tuple[float, ...], proposed: ProposedNumbers, prior: BoxPrior) -> tuple[float, ...]:
    """Return the chances that a chain truly has 0, 1, ... boxes, given what programs proposed; they add up to 1."""
    told = [shares for program, number in proposed.items() if (shares := _shares_of(program, number, prior))]
    if not told:
        return counts
    weighed = [count * prod(one[min(place, PROPOSED - 1)] for one in told) for place, count in enumerate(counts)]
    return tuple(one / sum(weighed) for one in weighed)


def counted_numbers(chains: Iterable[tuple[int, ProposedNumbers]]) -> dict[str, NumberRows]:
    """Return for each program how many chains with each number of boxes had each number of proposed ones.

    `chains`: of each finished chain the boxes that it ended with, and those that were proposed.
    """
    rows: dict[str, list[list[int]]] = defaultdict(lambda: [[0] * PROPOSED for _ in range(PROPOSED)])
    for boxes, proposed in chains:
        for program, number in proposed.items():
            rows[program][min(boxes, PROPOSED - 1)][min(number, PROPOSED - 1)] += 1
    return {program: tuple(map(tuple, own)) for program, own in rows.items()}


def _shares_of(program: str, number: int, prior: BoxPrior) -> list[float]:
    """Return for each true number how often the program proposes this number; an empty list for unknown programs."""
    record = prior.programs.get(program)
    if record is None or not record.numbers:
        return []
    proposed = min(number, PROPOSED - 1)
    of_all = sum(map(sum, record.numbers))
    everywhere = (sum(row[proposed] for row in record.numbers) + 1) / (of_all + PROPOSED)
    shares = [(row[proposed] + PULL * everywhere) / (sum(row) + PULL) for row in record.numbers]
    return [(1 - DOUBT) * share + DOUBT * everywhere for share in shares]
