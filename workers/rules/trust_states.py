"""Trust states [paper 3.3]: the states of a worker's trust on one task, and the events that change the state."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TrustState(StrEnum):
    """The state of a worker's trust on one task."""

    INVITED = "invited"
    """The worker may work on the task, and has not started."""
    TESTING = "testing"
    """The worker takes the qualification test."""
    PROBATION = "probation"
    """The worker gets verification questions only, or in the verification model real ones, too."""
    TRUSTED = "trusted"
    """The worker gets real questions, with a few verification questions among them."""
    SUSPENDED = "suspended"
    """The worker gets no questions until a set time, and then returns to the state before."""
    BARRED = "barred"
    """The worker gets no more questions of the task, and may appeal once."""


class TrustEvent(StrEnum):
    """An event that can change the state. The values complete the sentence "The worker ..."."""

    BEGIN_TEST = "began the qualification test"
    WAIVE_TEST = "need not take the qualification test"
    PASS_TEST = "passed the qualification test"
    FAIL_TEST = "failed the qualification test"
    FAIL_LAST_TEST = "failed the qualification test for the last time"
    PASS_PROBATION = "passed probation"
    FAIL_PROBATION = "did not pass probation"
    LOSE_TRUST = "lost trust"
    FAIL_AGAIN = "was below the minimum again"
    TRUST = "is trusted by hand"
    SUSPEND = "is suspended"
    RESUME_TEST = "may go on with the qualification test"
    RESUME_PROBATION = "may go on with probation"
    RESUME_TRUST = "may go on as before"
    BAR = "is barred"
    APPEAL = "appealed"
    REFUSE_APPEAL = "is still barred: the appeal was refused"
    REINSTATE = "is reinstated, and on probation anew"
    REINSTATE_TO_TEST = "is reinstated, and may take the qualification test anew"


class TrustStart(StrEnum):
    """The beginning of a worker's trust on a task: the first line of its history, before any event."""

    INVITED = "was invited"
    TRUSTED = "was given access as a trusted worker"


TRANSITIONS: dict[tuple[TrustState, TrustEvent], TrustState] = {
    (TrustState.INVITED, TrustEvent.BEGIN_TEST): TrustState.TESTING,
    (TrustState.INVITED, TrustEvent.WAIVE_TEST): TrustState.PROBATION,
    (TrustState.INVITED, TrustEvent.TRUST): TrustState.TRUSTED,
    (TrustState.INVITED, TrustEvent.BAR): TrustState.BARRED,
    (TrustState.TESTING, TrustEvent.PASS_TEST): TrustState.PROBATION,
    (TrustState.TESTING, TrustEvent.FAIL_TEST): TrustState.TESTING,
    (TrustState.TESTING, TrustEvent.FAIL_LAST_TEST): TrustState.BARRED,
    (TrustState.TESTING, TrustEvent.WAIVE_TEST): TrustState.PROBATION,
    (TrustState.TESTING, TrustEvent.TRUST): TrustState.TRUSTED,
    (TrustState.TESTING, TrustEvent.SUSPEND): TrustState.SUSPENDED,
    (TrustState.TESTING, TrustEvent.BAR): TrustState.BARRED,
    (TrustState.PROBATION, TrustEvent.PASS_PROBATION): TrustState.TRUSTED,
    (TrustState.PROBATION, TrustEvent.FAIL_PROBATION): TrustState.PROBATION,
    (TrustState.PROBATION, TrustEvent.FAIL_AGAIN): TrustState.BARRED,
    (TrustState.PROBATION, TrustEvent.TRUST): TrustState.TRUSTED,
    (TrustState.PROBATION, TrustEvent.SUSPEND): TrustState.SUSPENDED,
    (TrustState.PROBATION, TrustEvent.BAR): TrustState.BARRED,
    (TrustState.TRUSTED, TrustEvent.LOSE_TRUST): TrustState.PROBATION,
    (TrustState.TRUSTED, TrustEvent.FAIL_AGAIN): TrustState.BARRED,
    (TrustState.TRUSTED, TrustEvent.SUSPEND): TrustState.SUSPENDED,
    (TrustState.TRUSTED, TrustEvent.BAR): TrustState.BARRED,
    (TrustState.SUSPENDED, TrustEvent.SUSPEND): TrustState.SUSPENDED,
    (TrustState.SUSPENDED, TrustEvent.RESUME_TEST): TrustState.TESTING,
    (TrustState.SUSPENDED, TrustEvent.RESUME_PROBATION): TrustState.PROBATION,
    (TrustState.SUSPENDED, TrustEvent.RESUME_TRUST): TrustState.TRUSTED,
    (TrustState.SUSPENDED, TrustEvent.BAR): TrustState.BARRED,
    (TrustState.BARRED, TrustEvent.APPEAL): TrustState.BARRED,
    (TrustState.BARRED, TrustEvent.REFUSE_APPEAL): TrustState.BARRED,
    (TrustState.BARRED, TrustEvent.REINSTATE): TrustState.PROBATION,
    (TrustState.BARRED, TrustEvent.REINSTATE_TO_TEST): TrustState.TESTING,
    (TrustState.BARRED, TrustEvent.TRUST): TrustState.TRUSTED,
}

RESUME = {
    TrustState.TESTING: TrustEvent.RESUME_TEST,
    TrustState.PROBATION: TrustEvent.RESUME_PROBATION,
    TrustState.TRUSTED: TrustEvent.RESUME_TRUST,
}
BY_FIGURES = frozenset(
    {TrustEvent.PASS_PROBATION, TrustEvent.FAIL_PROBATION, TrustEvent.LOSE_TRUST, TrustEvent.FAIL_AGAIN}
)
"""The events that follow from scores alone; no person can cause them."""


class IllegalMoveError(ValueError):
    """The event cannot happen to a worker in this state."""


@dataclass(frozen=True, slots=True)
class Trust:
    """The trust of one worker on one task, as it is stored."""

    state: TrustState = TrustState.INVITED
    passed_test: bool = False
    tests_failed: int = 0
    test_from: datetime | None = None
    """The time from which the worker may take the test again."""
    had_second_probation: bool = False
    """The worker is barred the next time that the score is below the minimum."""
    probation_since: datetime | None = None
    """Answers to verification questions after this count towards probation."""
    trusted_since: datetime | None = None
    """The time at which real assignments began; the share of verification questions among them is counted from here."""
    score_since: datetime | None = None
    """Scores count answers after this; None: all. Set when the requester reinstates or trusts a worker."""
    resumes: TrustState | None = None
    """The state that a suspended worker returns to ..."""
    suspended_until: datetime | None = None
    """... and when this happens."""
    appealed: bool = False
    """Whether the worker has appealed since being barred; a worker may appeal once each time."""


def following(trust: Trust, event: TrustEvent) -> TrustState:
    """Return the state that the event leads to. Raises IllegalMoveError if the event is not allowed in this state."""
    if (trust.state, event) not in TRANSITIONS:
        raise IllegalMoveError(f"A worker who is {trust.state} is not one who {event}.")
    return TRANSITIONS[trust.state, event]
