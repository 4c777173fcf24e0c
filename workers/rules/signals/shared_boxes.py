"""Shared boxes [beyond the paper]: pairs of workers who answer the same drawing questions with nearly equal boxes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from workers.rules.signals.chance import at_least
from workers.rules.signals.near_boxes import NEAR, Drawn, NearBoxes, blind
from workers.rules.signals.shared_errors import Pair, Shared


def shared_boxes(
    drawn: Mapping[int, Iterable[Drawn]], *, boxes: int = 3, near: float = NEAR, least: float = 0.03
) -> dict[Pair, Shared]:
    """`drawn`: the boxes of each question. The pairs with at least `boxes` nearly equal ones, and their chance.

    Held against the share of all pairs of boxes that are nearly equal, never under `least`: some things have edges
    that everybody finds. Boxes that need no look are left out: two who never look are not therefore one.
    """
    questions_of: dict[int, set[int]] = defaultdict(set)
    ids: dict[Pair, list[tuple[int, int]]] = defaultdict(list)
    pairs = 0
    for question, answers in drawn.items():
        earlier, seen = NearBoxes(near), 0
        for one in sorted(one for one in answers if not blind(one, near=near)):
            questions_of[one.worker].add(question)
            for other in earlier.near(one):
                low, high = sorted((one.worker, other.worker))
                ids[low, high].append((other.id, one.id))
            earlier.add(one)
            pairs, seen = pairs + seen, seen + 1
    usual = max(least, sum(map(len, ids.values())) / max(pairs, 1))
    return {
        pair: _shared(found, len(questions_of[pair[0]] & questions_of[pair[1]]), usual)
        for pair, found in ids.items()
        if len(found) >= boxes
    }


def _shared(found: list[tuple[int, int]], met: int, usual: float) -> Shared:
    judgments = Counter(id for both in found for id in both)
    return Shared(at_least(len(found), met, usual), len(found), met, tuple(sorted(judgments)))
