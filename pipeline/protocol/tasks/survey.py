"""Survey [beyond paper 3]: the majority of the votes on one question, and whether the votes are unanimous."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

Verdict = TypeVar("Verdict", bound=Hashable)


def majority(verdicts: Sequence[Verdict], *, needed: int) -> Verdict | None:
    """Return the verdict of more than half of the votes. None: ask one more worker.

    `needed`: the votes that are asked for, an odd number, so that two possible verdicts never tie. If the number was
    lowered while votes came in, one more vote may be there than needed; a tie then asks once more.
    """
    if len(verdicts) < needed:
        return None
    verdict, votes = Counter(verdicts).most_common(1)[0]
    return verdict if 2 * votes > len(verdicts) else None


def is_unanimous(verdicts: Sequence[Hashable]) -> bool:
    """Return whether there are votes, and all say the same."""
    return len(set(verdicts)) == 1
