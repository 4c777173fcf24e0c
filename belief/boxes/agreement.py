"""Agreement of programs [beyond paper 3.2.2]: a box is likelier good if another program proposed it, too.

How much likelier is learned, for each program, from boxes of others that were kept and dropped in finished chains. Used
for the boxes of a data set that is being checked, which programs of other origin look at with other eyes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from belief.annotators import Errors
from belief.boxes.box_prior import AGREED, Agreements, BoxPrior

UNKNOWN: Agreements = (5.0, 5.0, 0.8, 7.2)
"""Imagined boxes of other programs: of good ones, proposed and not proposed by one that nobody knows; of bad ones."""
LEAST = 0.02


class Beside(NamedTuple):
    """The word of one program on another's box, by its own proposals."""

    program: str
    proposed: bool
    """It proposed the box, too."""
    kept: bool
    """The chain ended with the box."""


def agreement(program: str, prior: BoxPrior) -> Errors:
    """Return how often a program proposes a bad box of another, too (passed), and a good one not (alarm)."""
    record = prior.programs.get(program)
    seen = record.agreed if record and record.agreed else (0.0,) * AGREED
    has, has_not, has_bad, has_not_bad = (one + more for one, more in zip(seen, UNKNOWN, strict=True))
    passed, alarm = has_bad / (has_bad + has_not_bad), has_not / (has + has_not)
    return Errors(max(passed, LEAST), max(alarm, LEAST)) if passed + alarm < 1 else Errors(0.5, 0.5)


def counted_agreement(every: Iterable[Beside]) -> Mapping[str, Agreements]:
    """Return for each program: of kept boxes of others, those it proposed and did not; of dropped ones the same."""
    found: dict[str, list[float]] = defaultdict(lambda: [0.0] * AGREED)
    for one in every:
        found[one.program][(0 if one.kept else 2) + (not one.proposed)] += 1
    return {program: (own[0], own[1], own[2], own[3]) for program, own in found.items()}
