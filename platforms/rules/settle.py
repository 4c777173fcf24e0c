"""Settling [beyond paper 3.3]: what a platform is to be told of a session, and what a worker is still to get.

The ledger says what is owed; a platform pays a fixed reward for a session that is approved, and bonuses. So the reward
is paid whole, whatever was earned in the session, and a bonus carries all that is owed beyond the rewards to come.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Verdict(StrEnum):
    NONE = ""
    APPROVE = "approve"
    REJECT = "reject"
    OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class Sitting:
    """A session as both sides see it. Money in cents."""

    handed_in: bool
    """Here."""
    there: str
    """As the platform sees it: "", submitted, approved, rejected, returned."""
    reward: int
    earned: int
    """By the assignments that were handed in in it."""
    refused: int
    """Of that, by hand; what was taken back is taken off."""
    due: bool = True
    """It waited as long as the requester wanted."""
    awaited: bool = True
    """It may still be at work, or on its way there: the platform was not read since its time ran out."""

    @property
    def net(self) -> int:
        return self.earned - self.refused

    @property
    def extra(self) -> int:
        """What the reward pays beyond what was earned."""
        return max(self.reward - self.net, 0)


def verdict(sitting: Sitting) -> Verdict:
    """What is handed in there and not here is left to the requester: no work of it is known."""
    refused = sitting.refused > 0 and sitting.net <= 0
    match sitting.there:
        case "submitted" if refused:
            return Verdict.REJECT
        case "submitted" if sitting.handed_in and sitting.due:
            return Verdict.APPROVE
        case "rejected" if sitting.net > 0:
            return Verdict.OVERRIDE
    return Verdict.NONE


def is_coming(sitting: Sitting) -> bool:
    """Whether its reward will be paid, and is not yet."""
    if verdict(sitting) is Verdict.OVERRIDE:
        return True
    if is_held(sitting) or not sitting.handed_in or (sitting.refused > 0 and sitting.net <= 0):
        return False
    return sitting.there == "submitted" or (sitting.there == "" and sitting.awaited)


def is_held(sitting: Sitting) -> bool:
    """Whether what it earned waits: somebody is at work in it, or the requester still has to look or to decide.

    It is paid by its reward first, as soon as that is settled; a bonus now would be paid besides.
    """
    goes_on = not sitting.handed_in or not sitting.due
    return goes_on and (sitting.there == "submitted" or (sitting.there == "" and sitting.awaited))


def bonus(owed: int, said: int, sittings: Sequence[Sitting]) -> int:
    """What a worker gets beyond the rewards to come. `owed`: in the project; `said`: bonuses on their way.

    What was earned in a session that never arrived at the platform is in it: no work stays unpaid.
    """
    coming = [sitting for sitting in sittings if is_coming(sitting)]
    owed += sum(sitting.extra for sitting in coming)
    owed -= sum(max(sitting.net, 0) for sitting in sittings if is_held(sitting))
    return max(owed - said - sum(sitting.reward for sitting in coming), 0)


def is_carried(sitting: Sitting, owed: int, said: int, others: Iterable[Sitting]) -> bool:
    """Whether a bonus has paid what it earned, or is to: of what is owed, nothing is left for it beside the others."""
    for other in others:
        if is_held(other):
            owed -= max(other.net, 0)
        elif is_coming(other):
            owed -= min(max(other.net, 0), other.reward)
    return min(sitting.net, sitting.reward) > max(owed - said, 0)


def without_carried(
    sittings: Mapping[int, Sitting], owed: int, said: int, on_their_way: Collection[int]
) -> dict[int, Sitting]:
    """A worker's, by number. A rejected one whose money went another way is not approved after all.

    `on_their_way`: of which the platform is told that already.
    """
    left = dict(sittings)
    for number, sitting in sittings.items():
        if verdict(sitting) is not Verdict.OVERRIDE or number in on_their_way:
            continue
        others = [other for key, other in left.items() if key != number]
        if is_carried(sitting, owed, said, others):
            left[number] = replace(sitting, there="returned")
    return left
