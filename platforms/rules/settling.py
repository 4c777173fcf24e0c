"""Settling [beyond paper 3.3]: what a platform is to be told of a session, and what a worker is still to get.

The ledger says what is owed; a platform pays a fixed reward for a session that is approved, and bonuses. So the reward
is paid whole, whatever was earned in the session, and a bonus carries all that is owed beyond the rewards to come.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Settlement(StrEnum):
    NONE = ""
    APPROVE = "approve"
    REJECT = "reject"
    OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A session as both sides see it. Money in cents."""

    handed_in: bool
    """Here."""
    platform_state: str
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


def settlement_of(facts: SessionFacts) -> Settlement:
    """What is handed in there and not here is left to the requester: no work of it is known."""
    refused = facts.refused > 0 and facts.net <= 0
    match facts.platform_state:
        case "submitted" if refused:
            return Settlement.REJECT
        case "submitted" if facts.handed_in and facts.due:
            return Settlement.APPROVE
        case "rejected" if facts.net > 0:
            return Settlement.OVERRIDE
    return Settlement.NONE


def is_coming(facts: SessionFacts) -> bool:
    """Whether its reward will be paid, and is not yet."""
    if settlement_of(facts) is Settlement.OVERRIDE:
        return True
    if is_held(facts) or not facts.handed_in or (facts.refused > 0 and facts.net <= 0):
        return False
    return facts.platform_state == "submitted" or (facts.platform_state == "" and facts.awaited)


def is_held(facts: SessionFacts) -> bool:
    """Whether what it earned waits: somebody is at work in it, or the requester still has to look or to decide.

    It is paid by its reward first, as soon as that is settled; a bonus now would be paid besides.
    """
    goes_on = not facts.handed_in or not facts.due
    return goes_on and (facts.platform_state == "submitted" or (facts.platform_state == "" and facts.awaited))


def bonus(owed: int, said: int, all_facts: Sequence[SessionFacts]) -> int:
    """What a worker gets beyond the rewards to come. `owed`: in the project; `said`: bonuses on their way.

    What was earned in a session that never arrived at the platform is in it: no work stays unpaid.
    """
    coming = [facts for facts in all_facts if is_coming(facts)]
    owed += sum(facts.extra for facts in coming)
    owed -= sum(max(facts.net, 0) for facts in all_facts if is_held(facts))
    return max(owed - said - sum(facts.reward for facts in coming), 0)


def is_carried(facts: SessionFacts, owed: int, said: int, others: Iterable[SessionFacts]) -> bool:
    """Whether a bonus has paid what it earned, or is to: of what is owed, nothing is left for it beside the others."""
    for other in others:
        if is_held(other):
            owed -= max(other.net, 0)
        elif is_coming(other):
            owed -= min(max(other.net, 0), other.reward)
    return min(facts.net, facts.reward) > max(owed - said, 0)


def without_carried(
    all_facts: Mapping[int, SessionFacts], owed: int, said: int, on_their_way: Collection[int]
) -> dict[int, SessionFacts]:
    """A worker's, by number. A rejected one whose money went another way is not approved after all.

    `on_their_way`: of which the platform is told that already.
    """
    left = dict(all_facts)
    for number, facts in all_facts.items():
        if settlement_of(facts) is not Settlement.OVERRIDE or number in on_their_way:
            continue
        others = [other for key, other in left.items() if key != number]
        if is_carried(facts, owed, said, others):
            left[number] = replace(facts, platform_state="returned")
    return left
