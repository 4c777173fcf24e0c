"""Settling [beyond paper 3.3]: which decision on a session is sent to its platform, and which reward is still expected.

The ledger says what a worker is owed. A platform pays a fixed reward for an approved session, and bonuses. The reward
is paid whole, however little the session earned; a bonus pays what is owed beyond the expected rewards.

`owed` is what the ledger says the project owes the worker, `pending` the worker's bonuses that are planned or sent, and
`sessions` all sessions of the worker that are not settled.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


def still_missing(
    *, done: int, least: int, passed: bool, tested: bool, pays_tests: bool, nothing_open: bool
) -> int | None:
    """Return how many assignments are missing; None: the session can be handed in; 0: nothing can be.

    `done`, `least`: assignments that were submitted, and that the session needs. `tested`: the worker completed a
    qualification test in the session; `passed`: they passed it. `nothing_open`: there was nothing to do when the
    worker last asked, so any submitted assignment or passed test is enough.
    """
    if done >= least:
        return None
    if not nothing_open and not (tested and pays_tests):
        return least - done
    return None if done or passed or (tested and pays_tests) else 0


SMALLEST_PART, LARGEST_PART = 8, 99
"""Limits of a part of a reward, in percent [Prolific's API]."""


def part_cents(net: int, reward: int) -> int:
    """Return the largest part of a reward that was earned and is a whole percentage in whole cents.

    0: there is none, or the whole reward was earned.
    """
    if net >= reward:
        return 0
    hundredths = (reward * percent for percent in range(SMALLEST_PART, LARGEST_PART + 1))
    return max((part // 100 for part in hundredths if part % 100 == 0 and part <= 100 * net), default=0)


class Settlement(StrEnum):
    """A decision on a session."""

    NONE = ""
    APPROVE = "approve"
    REJECT = "reject"
    OVERRIDE = "override"
    """Approve after all, after a rejection."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A session as our rows and the platform see it. Money in cents."""

    handed_in: bool
    """The worker handed the session in on our page."""
    platform_state: str
    """The state on the platform: "" (unknown), submitted, approved, rejected, returned."""
    reward: int
    earned: int
    """Sum of the pay of the assignments that were submitted in the session."""
    refused: int
    """Part of `earned` that the requester refused to pay; refusals that were taken back are subtracted."""
    due: bool = True
    """The session has waited as long as the requester wants before an approval."""
    awaited: bool = True
    """The platform may still list the session: it was not read since the session's deadline."""
    return_requested: bool = False
    """The worker was asked to give the session back, and still has time for that."""

    @property
    def net(self) -> int:
        return self.earned - self.refused

    @property
    def extra(self) -> int:
        """The part of the reward beyond the earned pay, in cents."""
        return max(self.reward - self.net, 0)

    @property
    def is_all_refused(self) -> bool:
        return self.refused > 0 and self.net <= 0


def settlement_of(session: SessionFacts) -> Settlement:
    """Return the decision to send. A session that was submitted on the platform alone is left to the requester."""
    match session.platform_state:
        case "submitted" if session.is_all_refused:
            return Settlement.NONE if session.return_requested else Settlement.REJECT
        case "submitted" if session.handed_in and session.due:
            return Settlement.APPROVE
        case "rejected" if session.net > 0:
            return Settlement.OVERRIDE
    return Settlement.NONE


def expects_reward(session: SessionFacts) -> bool:
    """Whether the platform has yet to pay the session's reward, and will."""
    if settlement_of(session) is Settlement.OVERRIDE:
        return True
    if is_on_hold(session) or not session.handed_in or session.is_all_refused:
        return False
    return _may_be_approved(session)


def is_on_hold(session: SessionFacts) -> bool:
    """Whether the session's pay waits: the worker is still at work, or the requester still has time to look at it.

    The reward is paid first, as soon as the session is settled; a bonus now would be paid on top of the reward.
    """
    return (not session.handed_in or not session.due) and _may_be_approved(session)


def _may_be_approved(session: SessionFacts) -> bool:
    return session.platform_state == "submitted" or (session.platform_state == "" and session.awaited)


def bonus_cents(owed: int, pending: int, sessions: Sequence[SessionFacts]) -> int:
    """Return the bonus to plan. Pay from a session that never reached the platform is part of it."""
    expected = [session for session in sessions if expects_reward(session)]
    owed += sum(session.extra for session in expected)
    owed -= sum(max(session.net, 0) for session in sessions if is_on_hold(session))
    return max(owed - pending - sum(session.reward for session in expected), 0)


def is_paid_by_bonus(session: SessionFacts, owed: int, pending: int, others: Iterable[SessionFacts]) -> bool:
    """Whether a bonus has paid, or is about to pay, the session's pay: `others` take up all that is still owed."""
    for other in others:
        if is_on_hold(other):
            owed -= max(other.net, 0)
        elif expects_reward(other):
            owed -= min(max(other.net, 0), other.reward)
    return min(session.net, session.reward) > max(owed - pending, 0)


def without_paid_by_bonus(
    sessions: Mapping[int, SessionFacts], owed: int, pending: int, overriding: Collection[int]
) -> dict[int, SessionFacts]:
    """Return a worker's sessions, those that a bonus paid marked as returned: such a rejection is not overridden.

    `overriding`: numbers of the sessions whose override is planned or sent already; these stay.
    """
    left = dict(sessions)
    for number, session in sessions.items():
        if settlement_of(session) is not Settlement.OVERRIDE or number in overriding:
            continue
        others = [other for key, other in left.items() if key != number]
        if is_paid_by_bonus(session, owed, pending, others):
            left[number] = replace(session, platform_state="returned")
    return left
