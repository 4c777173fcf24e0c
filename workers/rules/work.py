"""Work [paper 3.3]: the kind of assignment that a worker may get, by trust and by what is left of the stock."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b

from workers.rules.texts import Coded, WorkerText
from workers.rules.trust import TrustModel, TrustRules
from workers.rules.trust_states import Trust, TrustState


class WorkKind(StrEnum):
    """The kind of an assignment."""

    NONE = "none"
    TEST = "test"
    VERIFICATION = "verification questions only"
    REAL = "real questions"


@dataclass(frozen=True, slots=True)
class NextWork:
    """The kind of the next assignment, its share of verification questions, and the reason if there is none."""

    kind: WorkKind
    rate: float = 0.0
    reason: Coded | None = None


def work_for(trust: Trust, rules: TrustRules, now: datetime, *, unseen: int, answered: int = 0) -> NextWork:
    """Decide which kind of assignment a worker may get.

    `unseen`: the verification questions of the task's stock that the worker has not seen. `answered`: those answered
    since probation began. A worker who cannot finish probation with what is left waits for the requester. A trusted
    worker who has seen the whole stock gets real questions only.
    """
    match trust.state:
        case TrustState.INVITED:
            return NextWork(WorkKind.TEST)
        case TrustState.TESTING if trust.test_from and now < trust.test_from:
            return NextWork(WorkKind.NONE, reason=WorkerText.TEST_LATER.coded(time=trust.test_from.isoformat()))
        case TrustState.TESTING:
            return NextWork(WorkKind.TEST)
        case TrustState.SUSPENDED:
            assert trust.suspended_until is not None
            return NextWork(WorkKind.NONE, reason=WorkerText.SUSPENDED.coded(time=trust.suspended_until.isoformat()))
        case TrustState.BARRED:
            return NextWork(
                WorkKind.NONE, reason=(WorkerText.APPEALED if trust.appealed else WorkerText.BARRED).coded()
            )
        case TrustState.PROBATION if rules.model is TrustModel.TRUSTED:
            return _on_probation(rules, unseen, answered)
        case _:
            rate = rules.trusted_rate if rules.model is TrustModel.TRUSTED else rules.verification_rate
            return NextWork(WorkKind.REAL, rate if unseen else 0.0)


def is_barred(trust: Trust, now: datetime) -> bool:
    """Return whether the worker is barred, or suspended still."""
    if trust.state is TrustState.SUSPENDED and trust.suspended_until:
        return trust.suspended_until > now
    return trust.state is TrustState.BARRED


def _on_probation(rules: TrustRules, unseen: int, answered: int) -> NextWork:
    if _waits(rules, unseen, answered):
        return NextWork(WorkKind.NONE, reason=WorkerText.NOTHING_NEW.coded())
    return NextWork(WorkKind.VERIFICATION, 1.0)


def _waits(rules: TrustRules, unseen: int, answered: int) -> bool:
    """Return whether too little of the stock is left to finish probation."""
    return not unseen or answered + unseen < rules.probation


class Shortage(StrEnum):
    """A warning to the requester about a stock; the first that applies."""

    PROBATION_WAITS = "A worker on probation has seen too much of the stock to finish it: add to it, or trust by hand."
    CLOSED = "The stock is too small for anybody's probation: add to it, or trust named workers by hand."
    USED_UP = "A worker has seen the whole stock: real questions only, and the score stays as it is."
    NO_SECOND_PROBATION = "A worker has too little of the stock left for another probation."


def shortage(
    trust: Trust, rules: TrustRules, *, known_questions: int, unseen: int, answered: int = 0
) -> Shortage | None:
    """Return the warning that this worker gives cause for, or None. `unseen` and `answered` as in `work_for`."""
    if rules.model is TrustModel.VERIFICATION:
        return None if unseen else Shortage.USED_UP
    match trust.state:
        case TrustState.PROBATION if _waits(rules, unseen, answered):
            return Shortage.PROBATION_WAITS
        case TrustState.INVITED | TrustState.TESTING if known_questions < rules.probation:
            return Shortage.CLOSED
        case TrustState.TRUSTED if not unseen:
            return Shortage.USED_UP
        case TrustState.TRUSTED if unseen < rules.probation_most:
            return Shortage.NO_SECOND_PROBATION
        case _:
            return None


# Verification rate [paper 3.3]: which places of an assignment hold verification questions.
#
# Each place is drawn separately, from a hash of a secret seed and the place's number. Its odds are the rate times
# 1 + deficit / 4, at least a quarter of the rate and at most twice the rate. So the share is exact in the long run (the
# deficit stays within a few questions), and no place is ever certain or impossible. Counting does not help a worker: by
# counts alone every place has the rate itself. A worker who knew all earlier verification questions could know odds
# between a quarter of the rate and twice the rate, never more.
#
# Only two counts are needed. A place is drawn the same each time, so returning an assignment brings no better one. When
# the stock is used up the rate is 0 (`work`); when the stock grows again, the deficit is caught up at twice the rate.


CALM = 4
"""The deficit, in questions, that doubles the odds."""
MIN_ODDS, MAX_ODDS = 0.25, 2.0
"""The least and the largest odds of a place, as multiples of the rate."""


def odds(questions: int, verified: int, rate: float) -> float:
    """Return the odds that the next place holds a verification question.

    `questions`: all questions since the rate began; `verified`: the verification questions among them.
    """
    lean = 1 + (rate * questions - verified) / CALM
    return rate * min(max(lean, MIN_ODDS), MAX_ODDS)


def places(seed: str, *, questions: int, verified: int, size: int, rate: float) -> tuple[int, ...]:
    """Return the places, from 0, that hold verification questions in the next assignment of `size` questions.

    `seed`: a secret of the project, with the worker, the task, and when the rate began (when the worker became
    trusted). `questions`: the questions of the task that this worker was asked since then. `verified`: the verification
    questions among them. Raises ValueError for an impossible rate.
    """
    if not 0 <= rate <= 1:
        raise ValueError(f"The rate must be a share from 0 to 1, not {rate}.")
    if rate == 1:
        return tuple(range(size))
    drawn: list[int] = []
    for place in range(size):
        if _uniform(seed, questions + place) < odds(questions + place, verified + len(drawn), rate):
            drawn.append(place)
    return tuple(drawn)


def _uniform(seed: str, number: int) -> float:
    digest = blake2b(f"{seed} {number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
