"""Bonus [beyond paper 3.3]: a worker gets as a bonus what is owed beyond the rewards that are still expected.

`owed` is what the ledger says the project owes the worker, `pending` the worker's bonuses that are planned or sent, and
`sessions` all sessions of the worker that are not settled. Money in cents.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from platforms.rules.settling import SessionFacts, Settlement, expects_reward, is_on_hold, settlement_of


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
