"""Trust [paper 3.3]: when a worker gains, loses and regains it on one task, and what each may be asked.

`decide` says what follows from scores and time, `act` what follows from a person, a test or a signal. Both return the
new standing with its reason and figures; whoever calls them stores all three, in one transaction, if the standing is
still the old one.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from workers.rules.score import RECENT, Rule, Scores, below
from workers.rules.trust_states import BY_FIGURES, RESUME, Event, IllegalMoveError, Standing, State, following


class Model(StrEnum):
    TRUSTED = "trusted workers"
    VERIFICATION = "verification"
    """Nobody is trusted: batches of judgments are (`batch_verdict`)."""


@dataclass(frozen=True, slots=True)
class TrustRules:
    """One task's thresholds; the paper's and the protocol's values."""

    minimum: float = 0.8
    rule: Rule = Rule.INTERVAL
    model: Model = Model.TRUSTED
    probation: int = 30
    """Verification questions until probation is decided."""
    probation_most: int = 30
    """Above `probation`: who is neither at the minimum nor below it by the rule goes on up to this many."""
    recent: int = RECENT
    trusted_rate: float = 0.02
    """The share of verification questions that a trusted worker gets."""
    verification_rate: float = 0.2
    """The share that everybody gets in the verification model."""
    tests: int = 3
    """How often the qualification test may be taken ..."""
    test_wait: timedelta = timedelta(hours=24)
    """... and how long after failing it."""

    def __post_init__(self) -> None:
        if not 0 < self.minimum < 1 or not 1 <= self.probation <= self.probation_most or self.tests < 1:
            raise ValueError(f"Rules of trust out of range: {self}.")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a worker on a task, since their score began."""

    scores: Scores = field(default_factory=Scores)
    answered: int = 0
    """Verification questions answered since probation began."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens, why, and what it rests on."""

    event: Event
    standing: Standing
    reason: str
    evidence: Evidence | None = None
    rules: TrustRules | None = None

    @property
    def voids(self) -> bool:
        """Whether the worker's unresolved judgments on the task are voided and asked again."""
        return self.event in (Event.LOSE_TRUST, Event.FAIL_AGAIN)

    def figures(self) -> dict[str, Any]:
        """For the record: numbers and words, nothing else."""
        if self.evidence is None or self.rules is None:
            return {}
        overall, recent = self.evidence.scores.overall, self.evidence.scores.recent
        return {
            "overall": {"right": overall.right, "total": overall.total, "interval": overall.interval},
            "recent": {"right": recent.right, "total": recent.total, "interval": recent.interval},
            "answered_on_probation": self.evidence.answered,
            "minimum": self.rules.minimum,
            "rule": self.rules.rule.value,
        }


def decide(standing: Standing, evidence: Evidence, rules: TrustRules, now: datetime) -> Decision | None:
    """What follows by itself, after every assignment and with time. None: nothing does."""
    if standing.state is State.SUSPENDED and standing.suspended_until and standing.suspended_until <= now:
        return _move(standing, _resuming(standing), "The time is over.", now)
    if rules.model is Model.VERIFICATION:
        return None
    event = None
    if standing.state is State.PROBATION:
        event = _end_of_probation(standing, evidence, rules)
    elif standing.state is State.TRUSTED and why_below(evidence.scores, rules):
        event = Event.FAIL_AGAIN if standing.had_second_probation else Event.LOSE_TRUST
    if event is None:
        return None
    return replace(_move(standing, event, _reason(evidence, rules), now), evidence=evidence, rules=rules)


def _end_of_probation(standing: Standing, evidence: Evidence, rules: TrustRules) -> Event | None:
    if evidence.answered < rules.probation:
        return None
    if why_below(evidence.scores, rules):
        return Event.FAIL_AGAIN if standing.had_second_probation else Event.FAIL_PROBATION
    undecided = below(evidence.scores.overall, rules.minimum, Rule.BARE)
    return None if undecided and evidence.answered < rules.probation_most else Event.PASS_PROBATION


def why_below(scores: Scores, rules: TrustRules) -> str:
    """The scores that do not hold the minimum, in words; empty: both hold."""
    both = {"overall": scores.overall, "recent": scores.recent}
    # The bare comparison says nothing of a few answers: 0 of 1 is below every minimum.
    speaks = rules.rule is Rule.INTERVAL or scores.overall.total >= min(rules.probation, rules.recent)
    return " and ".join(name for name, one in both.items() if speaks and below(one, rules.minimum, rules.rule))


def _reason(evidence: Evidence, rules: TrustRules) -> str:
    overall, recent = evidence.scores.overall, evidence.scores.recent
    name = why_below(evidence.scores, rules)
    by = " by more than chance explains" if rules.rule is Rule.INTERVAL else ""
    held = f"The {name} score is below the minimum of {rules.minimum:.0%}{by}" if name else "Both hold the minimum"
    return f"Verification questions: {overall}; the last {recent.total}: {recent}. {held}."


def act(
    standing: Standing,
    event: Event,
    rules: TrustRules,
    now: datetime,
    *,
    because: str = "",
    until: datetime | None = None,
) -> Decision:
    """What a person, a test or a signal does; `until` is for suspending.

    Failing the last test, reinstating and resuming lead where the worker's past says. Raises IllegalMoveError for
    what cannot happen to a worker who stands there, and for what only figures may do.
    """
    if event in BY_FIGURES:
        raise IllegalMoveError(f"That a worker {event} follows from scores; nobody decides it.")
    if event is Event.SUSPEND and (until is None or until <= now):
        raise IllegalMoveError("Suspending needs a time in the future at which it ends.")
    if event in RESUME.values():
        event = _resuming(standing)
    elif event is Event.REINSTATE and not standing.passed_test:
        event = Event.REINSTATE_TO_TEST
    elif event is Event.FAIL_TEST and standing.tests_failed + 1 >= rules.tests:
        event = Event.FAIL_LAST_TEST
    _refuse_too_early(standing, event, now)
    decision = _move(standing, event, because or f"The worker {event}.", now)
    if event is Event.SUSPEND:
        return replace(decision, standing=replace(decision.standing, suspended_until=until))
    if event is Event.FAIL_TEST:
        return replace(decision, standing=replace(decision.standing, test_from=now + rules.test_wait))
    return decision


def _refuse_too_early(standing: Standing, event: Event, now: datetime) -> None:
    if event is Event.APPEAL and standing.appealed:
        raise IllegalMoveError("The worker has appealed already.")
    if event is Event.REFUSE_APPEAL and not standing.appealed:
        raise IllegalMoveError("There is no appeal to refuse.")
    taken = event in (Event.PASS_TEST, Event.FAIL_TEST, Event.FAIL_LAST_TEST)
    if taken and standing.test_from and now < standing.test_from:
        raise IllegalMoveError(f"The test may be taken again from {standing.test_from:%Y-%m-%d %H:%M}.")


def _resuming(standing: Standing) -> Event:
    if standing.resumes is None:
        raise IllegalMoveError(f"A worker who is {standing.state} has nothing to go on with.")
    return RESUME[standing.resumes]


def _move(standing: Standing, event: Event, reason: str, now: datetime) -> Decision:
    return Decision(
        event, replace(standing, state=following(standing, event), **_changes(standing, event, now)), reason
    )


def _changes(standing: Standing, event: Event, now: datetime) -> dict[str, Any]:
    """What the event changes besides the state."""
    match event:
        case Event.PASS_TEST | Event.WAIVE_TEST:
            return {"passed_test": True, "probation_since": now, "test_from": None}
        case Event.FAIL_TEST | Event.FAIL_LAST_TEST:
            return {"tests_failed": standing.tests_failed + 1, "test_from": None, "appealed": False}
        case Event.PASS_PROBATION:
            return {"trusted_since": now}
        case Event.FAIL_PROBATION | Event.LOSE_TRUST:
            return {"had_second_probation": True, "probation_since": now}
        case Event.SUSPEND:
            return {"resumes": standing.resumes if standing.state is State.SUSPENDED else standing.state}
        case Event.RESUME_TEST | Event.RESUME_PROBATION | Event.RESUME_TRUST:
            return _NOT_SUSPENDED
        case Event.BAR:
            return {"appealed": False, **_NOT_SUSPENDED}
        case Event.FAIL_AGAIN:
            return {"appealed": False}
        case Event.APPEAL:
            return {"appealed": True}
        case Event.TRUST:
            anew = {"score_since": now, "trusted_since": now, "had_second_probation": False}
            return {"passed_test": True, **anew, **_NOT_SUSPENDED}
        case Event.REINSTATE:
            return {"had_second_probation": False, "probation_since": now, "score_since": now}
        case Event.REINSTATE_TO_TEST:
            return {"tests_failed": 0}
        case _:
            return {}


_NOT_SUSPENDED: dict[str, Any] = {"resumes": None, "suspended_until": None}
