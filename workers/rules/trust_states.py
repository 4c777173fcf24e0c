"""States of trust [paper 3.3]: where a worker can stand on one task, what moves them, and who may."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class State(StrEnum):
    INVITED = "invited"
    TESTING = "testing"
    PROBATION = "probation"
    """Verification questions only. In the verification model nobody is trusted: who passed the test stays here."""
    TRUSTED = "trusted"
    SUSPENDED = "suspended"
    """For a time; then the worker goes on where they were."""
    BARRED = "barred"


class Event(StrEnum):
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


TRANSITIONS: dict[tuple[State, Event], State] = {
    (State.INVITED, Event.BEGIN_TEST): State.TESTING,
    (State.INVITED, Event.WAIVE_TEST): State.PROBATION,
    (State.INVITED, Event.TRUST): State.TRUSTED,
    (State.INVITED, Event.BAR): State.BARRED,
    (State.TESTING, Event.PASS_TEST): State.PROBATION,
    (State.TESTING, Event.FAIL_TEST): State.TESTING,
    (State.TESTING, Event.FAIL_LAST_TEST): State.BARRED,
    (State.TESTING, Event.WAIVE_TEST): State.PROBATION,
    (State.TESTING, Event.TRUST): State.TRUSTED,
    (State.TESTING, Event.SUSPEND): State.SUSPENDED,
    (State.TESTING, Event.BAR): State.BARRED,
    (State.PROBATION, Event.PASS_PROBATION): State.TRUSTED,
    (State.PROBATION, Event.FAIL_PROBATION): State.PROBATION,
    (State.PROBATION, Event.FAIL_AGAIN): State.BARRED,
    (State.PROBATION, Event.TRUST): State.TRUSTED,
    (State.PROBATION, Event.SUSPEND): State.SUSPENDED,
    (State.PROBATION, Event.BAR): State.BARRED,
    (State.TRUSTED, Event.LOSE_TRUST): State.PROBATION,
    (State.TRUSTED, Event.FAIL_AGAIN): State.BARRED,
    (State.TRUSTED, Event.SUSPEND): State.SUSPENDED,
    (State.TRUSTED, Event.BAR): State.BARRED,
    (State.SUSPENDED, Event.SUSPEND): State.SUSPENDED,
    (State.SUSPENDED, Event.RESUME_TEST): State.TESTING,
    (State.SUSPENDED, Event.RESUME_PROBATION): State.PROBATION,
    (State.SUSPENDED, Event.RESUME_TRUST): State.TRUSTED,
    (State.SUSPENDED, Event.BAR): State.BARRED,
    (State.BARRED, Event.APPEAL): State.BARRED,
    (State.BARRED, Event.REFUSE_APPEAL): State.BARRED,
    (State.BARRED, Event.REINSTATE): State.PROBATION,
    (State.BARRED, Event.REINSTATE_TO_TEST): State.TESTING,
    (State.BARRED, Event.TRUST): State.TRUSTED,
}

RESUME = {
    State.TESTING: Event.RESUME_TEST,
    State.PROBATION: Event.RESUME_PROBATION,
    State.TRUSTED: Event.RESUME_TRUST,
}
BY_FIGURES = frozenset({Event.PASS_PROBATION, Event.FAIL_PROBATION, Event.LOSE_TRUST, Event.FAIL_AGAIN})
"""These follow from scores alone; nobody can make them happen."""
BY_WORKER = frozenset({Event.BEGIN_TEST, Event.PASS_TEST, Event.FAIL_TEST, Event.FAIL_LAST_TEST, Event.APPEAL})
BY_SIGNAL = frozenset({Event.SUSPEND})
BY_TIME = frozenset(RESUME.values())
BY_REQUESTER = frozenset(
    {Event.WAIVE_TEST, Event.TRUST, Event.SUSPEND, Event.BAR, Event.REFUSE_APPEAL}
    | {Event.REINSTATE, Event.REINSTATE_TO_TEST}
    | BY_TIME
)


class IllegalMoveError(ValueError):
    """This can't happen to a worker who stands there."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything that is stored of a worker's trust on a task."""

    state: State = State.INVITED
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
    resumes: State | None = None
    """What a suspended worker goes back to ..."""
    suspended_until: datetime | None = None
    """... and when."""
    appealed: bool = False
    """One appeal for each time of being barred."""


def following(standing: Standing, event: Event) -> State:
    """The state that the event leads to. Raises IllegalMoveError where the table names none."""
    if (standing.state, event) not in TRANSITIONS:
        raise IllegalMoveError(f"A worker who is {standing.state} is not one who {event}.")
    return TRANSITIONS[standing.state, event]
