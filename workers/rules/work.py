"""Work [paper 3.3]: what kind of assignment a worker may have, by their trust and what is left of the stock."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from workers.rules.trust import Model, TrustRules
from workers.rules.trust_states import Standing, State

NOTHING_NEW = "There is no new work for you at the moment. The requester has been told."


class Kind(StrEnum):
    NONE = "none"
    TEST = "test"
    VERIFICATION = "verification questions only"
    REAL = "real questions"


@dataclass(frozen=True, slots=True)
class Work:
    """The kind of the next assignment, its share of verification questions, and for the worker why there is none."""

    kind: Kind
    rate: float = 0.0
    reason: str = ""


def work_for(standing: Standing, rules: TrustRules, now: datetime, *, unseen: int, answered: int = 0) -> Work:
    """What a worker may be given who has not seen `unseen` verification questions of the task's stock.

    `answered`: verification questions answered since probation began. Who cannot finish probation waits for the
    requester; who is trusted and has seen all gets real questions only.
    """
    match standing.state:
        case State.INVITED:
            return Work(Kind.TEST)
        case State.TESTING if standing.test_from and now < standing.test_from:
            return Work(Kind.NONE, reason=f"You may take the test again from {standing.test_from:%d %B, %H:%M}.")
        case State.TESTING:
            return Work(Kind.TEST)
        case State.SUSPENDED:
            return Work(Kind.NONE, reason=f"You can go on from {standing.suspended_until:%d %B, %H:%M}.")
        case State.BARRED:
            appeal = "Your appeal is with the requester." if standing.appealed else "You can appeal once."
            return Work(Kind.NONE, reason=f"Your answers to this task are no longer asked for. {appeal}")
        case State.PROBATION if rules.model is Model.TRUSTED:
            return _on_probation(rules, unseen, answered)
        case _:
            rate = rules.trusted_rate if rules.model is Model.TRUSTED else rules.verification_rate
            return Work(Kind.REAL, rate if unseen else 0.0)


def why_not(standing: Standing, now: datetime) -> str:
    """Why a worker who is suspended or barred is asked nothing, in words for them; empty for all others.

    A suspended worker whose time is over is where they were.
    """
    if standing.state is State.SUSPENDED and standing.suspended_until and standing.suspended_until <= now:
        return ""
    outcast = standing.state in (State.SUSPENDED, State.BARRED)
    return work_for(standing, TrustRules(), now, unseen=0).reason if outcast else ""


def _on_probation(rules: TrustRules, unseen: int, answered: int) -> Work:
    if _waits(rules, unseen, answered):
        return Work(Kind.NONE, reason=NOTHING_NEW)
    return Work(Kind.VERIFICATION, 1.0)


def _waits(rules: TrustRules, unseen: int, answered: int) -> bool:
    """Whether a probation cannot be finished with what is left."""
    return not unseen or answered + unseen < rules.probation


class Shortage(StrEnum):
    """What the requester is warned of; the first that holds."""

    PROBATION_WAITS = "A worker on probation has seen too much of the stock to finish it: add to it, or trust by hand."
    CLOSED = "The stock is too small for anybody's probation: add to it, or trust named workers by hand."
    USED_UP = "A worker has seen the whole stock: real questions only, and the score stays as it is."
    NO_SECOND_PROBATION = "A worker has too little of the stock left for another probation."


def shortage(standing: Standing, rules: TrustRules, *, stock: int, unseen: int, answered: int = 0) -> Shortage | None:
    """What to warn the requester of, because of this worker; `answered` as in `work_for`."""
    if rules.model is Model.VERIFICATION:
        return None if unseen else Shortage.USED_UP
    match standing.state:
        case State.PROBATION if _waits(rules, unseen, answered):
            return Shortage.PROBATION_WAITS
        case State.INVITED | State.TESTING if stock < rules.probation:
            return Shortage.CLOSED
        case State.TRUSTED if not unseen:
            return Shortage.USED_UP
        case State.TRUSTED if unseen < rules.probation_most:
            return Shortage.NO_SECOND_PROBATION
        case _:
            return None
