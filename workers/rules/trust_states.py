"""States of trust [paper 3.3]: where a worker can stand on one task, what moves them, and who may."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TrustState(StrEnum):
    INVITED = "invited"
    TESTING = "testing"
    PROBATION = "probation"
    """Verification questions only. In the verification model nobody is trusted: who passed the test stays here."""
    TRUSTED = "trusted"
    SUSPENDED = "suspended"
    """For a time; then the worker goes on where they were."""
    BARRED = "barred"


class TrustEvent(StrEnum):
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
"""These follow from scores alone; nobody can make them happen."""
BY_WORKER = frozenset(
    {TrustEvent.BEGIN_TEST, TrustEvent.PASS_TEST, TrustEvent.FAIL_TEST, TrustEvent.FAIL_LAST_TEST, TrustEvent.APPEAL}
)
BY_SIGNAL = frozenset({TrustEvent.SUSPEND})
BY_TIME = frozenset(RESUME.values())
BY_REQUESTER = frozenset(
    {TrustEvent.WAIVE_TEST, TrustEvent.TRUST, TrustEvent.SUSPEND, TrustEvent.BAR, TrustEvent.REFUSE_APPEAL}
    | {TrustEvent.REINSTATE, TrustEvent.REINSTATE_TO_TEST}
    | BY_TIME
)


class IllegalMoveError(ValueError):
    """This can't happen to a worker who stands there."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Everything that is stored of a worker's trust on a task."""

    state: TrustState = TrustState.INVITED
    passed_test: bool = False
    tests_failed: int = 0
    test_from: datetime | None = None
    """When the test may be tried again."""
    had_second_probation: bool = False
    """The next time below the minimum bars."""
    probation_since: datetime | None = None
    """Verification questions answered after this count towards probation."""
    trusted_since: datetime | None = None
    """From here on real assignments; their verification questions are counted from here."""
    score_since: datetime | None = None
    """Scores count answers after this; None: all. Set when a worker is reinstated or trusted by hand."""
    resumes: TrustState | None = None
    """What a suspended worker goes back to ..."""
    suspended_until: datetime | None = None
    """... and when."""
    appealed: bool = False
    """One appeal for each time of being barred."""


def following(trust: Trust, event: TrustEvent) -> TrustState:
    """The state that the event leads to. Raises IllegalMoveError where the table names none."""
    if (trust.state, event) not in TRANSITIONS:
        raise IllegalMoveError(f"A worker who is {trust.state} is not one who {event}.")
    return TRANSITIONS[trust.state, event]
