"""Shared boxes [beyond paper 3.3]: pairs of workers draw nearly equal boxes for the same questions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from workers.rules.signals.chance import at_least
from workers.rules.signals.near_boxes import NEAR, Drawn, NearBoxes, blind
from workers.rules.signals.shared_errors import Pair, Shared


def shared_boxes(
    drawn: Mapping[int, Iterable[Drawn]], *, boxes: int = 3, near: float = NEAR, least: float = 0.03
) -> dict[Pair, Shared]:
    """Return the pairs of workers with at least `boxes` nearly equal boxes, and the chance of this.

    `drawn`: the boxes of each question. The chance compares with the share of all pairs of boxes that are nearly equal,
    at least `least`, as everybody finds the edges of some things. Boxes that need no look at the picture are left out:
    two workers who never look are not one person for that.
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
