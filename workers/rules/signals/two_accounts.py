"""Two accounts as one [paper 3.3]: two workers share errors or boxes, and their hours of work interlock."""

from collections.abc import Mapping, Sequence

from workers.rules.signals.interlock import Interlock, Spell, interlock
from workers.rules.signals.shared_errors import Pair, Shared
from workers.rules.signals.signal import Signal, SignalKind, together

ENOUGH = 0.001
"""The largest chance of shared errors or boxes that gives a signal. Hours alone give none: colleagues start at once."""
NOTHING = Shared(1.0, 0, 0, ())


def two_accounts(
    pair: Pair,
    errors: Shared = NOTHING,
    boxes: Shared = NOTHING,
    spells: Mapping[int, Sequence[Spell]] | None = None,
    *,
    enough: float = ENOUGH,
) -> Signal | None:
    """Return a signal for one pair, from what `shared_errors`, `shared_boxes` and `spells` found.

    The three are independent if the two workers are strangers, so their chances are combined. For `confirmed`, the
    `tests` of this signal are all pairs of workers.
    """
    if min(errors.chance, boxes.chance) > enough:
        return None
    clock = interlock(*(spells[worker] for worker in pair)) if spells else None
    chance = together([errors.chance, boxes.chance, clock.chance if clock else 1.0])
    judgments = tuple(sorted({*errors.judgments, *boxes.judgments}))
    return Signal(SignalKind.TWO_ACCOUNTS, pair, chance, " ".join(_evidence(errors, boxes, clock)), judgments)


def _evidence(errors: Shared, boxes: Shared, clock: Interlock | None) -> list[str]:
    words = []
    if errors.equal:
        words.append(f"{errors.equal} equal wrong answers on {errors.met} questions that both answered.")
    if boxes.equal:
        words.append(f"{boxes.equal} nearly equal boxes on {boxes.met} questions for which both drew.")
    if clock:
        words.append(
            f"Of {clock.spells} spells of work {clock.overlapping} overlap with the other's; "
            f"{clock.joint} times both began within a minute, {clock.handovers} times one began as the other ended."
        )
    return words
