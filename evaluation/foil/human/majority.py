"""Majority and unanimity [paper Shekhar, Human performance]: more than half of an item's votes are right, or all."""

from collections.abc import Sequence

MAJORITY, UNANIMITY = "majority", "unanimity"
RULES = (MAJORITY, UNANIMITY)


def is_right(votes: Sequence[bool], rule: str) -> bool:
    """Tell whether the item counts as right. `votes`: whether each vote is right. No votes are not right."""
    if rule == UNANIMITY:
        return bool(votes) and all(votes)
    return 2 * sum(votes) > len(votes)
