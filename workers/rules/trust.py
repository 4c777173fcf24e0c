"""Trust [paper 3.3]: when a worker gains, loses and regains trust on one task.

`decide` returns what follows from scores and time, `act` what follows from a person, a test or a signal. Both return
the new trust with its reason and figures. The caller stores all three in one transaction, if the stored trust is still
the old one.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from runtime.words import percent
from workers.rules.score import RECENT, Score, ScoreRule, Scores, below
from workers.rules.trust_states import BY_FIGURES, RESUME, IllegalMoveError, Trust, TrustEvent, TrustState, following


class TrustModel(StrEnum):
    """The way of controlling the quality of a task."""

    TRUSTED = "trusted workers"
    VERIFICATION = "verification"
    """No worker is trusted: judgments are accepted batch by batch (`judge_batches`)."""


@dataclass(frozen=True, slots=True)
class TrustRules:
    """The thresholds of one task, with the values of the paper and the protocol as defaults."""

    minimum: float = 0.8
    rule: ScoreRule = ScoreRule.INTERVAL
    model: TrustModel = TrustModel.TRUSTED
    probation: int = 30
    """Answered verification questions before the first decision on a worker on probation."""
    probation_most: int = 30
    """The most such questions, for a worker who is neither at the minimum nor below it by the rule."""
    recent: int = RECENT
    trusted_rate: float = 0.02
    """The share of verification questions that a trusted worker gets."""
    verification_rate: float = 0.2
    """The share of verification questions that every worker gets in the verification model."""
    tests: int = 3
    """The times that a worker may take the qualification test ..."""
    test_wait: timedelta = timedelta(hours=24)
    """... and the wait after failing it."""

    def __post_init__(self) -> None:
        if not 0 < self.minimum < 1 or not 1 <= self.probation <= self.probation_most or self.tests < 1:
            raise ValueError(f"Rules of trust out of range: {self}.")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answers of a worker on a task since the score began."""

    scores: Scores = field(default_factory=Scores)
    probation: Score = field(default_factory=Score)
    """The verification questions answered since probation began."""
    known_used_up: bool = False
    """The worker has seen the whole stock, and no verification question of theirs is still to be answered."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An event, the trust after it, the reason in words, and the evidence and rules that decided."""

    event: TrustEvent
    trust: Trust
    reason: str
    evidence: Evidence | None = None
    rules: TrustRules | None = None

    @property
    def voids(self) -> bool:
        """Whether the worker's unresolved judgments on the task are voided, and their questions asked again."""
        return self.event in (TrustEvent.LOSE_TRUST, TrustEvent.FAIL_AGAIN)

    def figures(self) -> dict[str, Any]:
        """Return the evidence and thresholds as JSON values for the history; empty if no scores decided."""
        if self.evidence is None or self.rules is None:
            return {}
        overall, recent = self.evidence.scores.overall, self.evidence.scores.recent
        return {
            "overall": {"right": overall.right, "total": overall.total, "interval": overall.estimate[1:]},
            "recent": {"right": recent.right, "total": recent.total, "interval": recent.estimate[1:]},
            "answered_on_probation": self.evidence.probation.total,
            "minimum": self.rules.minimum,
            "rule": self.rules.rule.value,
        }


def decide(trust: Trust, evidence: Evidence, rules: TrustRules, now: datetime) -> Decision | None:
    """Decide what follows from scores and time, after every assignment. None: nothing changes."""
    if trust.state is TrustState.SUSPENDED and trust.suspended_until and trust.suspended_until <= now:
        return _move(trust, _resuming(trust), "The time is over.", now)
    if rules.model is TrustModel.VERIFICATION:
        return None
    event = None
    if trust.state is TrustState.PROBATION:
        event = _end_of_probation(trust, evidence, rules)
    elif trust.state is TrustState.TRUSTED and why_below(evidence.scores, rules):
        event = TrustEvent.FAIL_AGAIN if trust.had_second_probation else TrustEvent.LOSE_TRUST
    if event is None:
        return None
    return replace(_move(trust, event, _reason(evidence, rules), now), evidence=evidence, rules=rules)


def _end_of_probation(trust: Trust, evidence: Evidence, rules: TrustRules) -> TrustEvent | None:
    """Decide by chance as long as more questions could tell, and by the score itself where none are left."""
    if evidence.probation.total < rules.probation:
        return None
    unlikely = bool(why_below(evidence.scores, rules))
    at_minimum = not below(evidence.probation, rules.minimum, ScoreRule.BARE)
    if at_minimum and not unlikely:
        return TrustEvent.PASS_PROBATION
    if not unlikely and evidence.probation.total < rules.probation_most and not evidence.known_used_up:
        return None
    return TrustEvent.FAIL_AGAIN if trust.had_second_probation else TrustEvent.FAIL_PROBATION


def why_below(scores: Scores, rules: TrustRules) -> str:
    """Name the scores that are below the minimum, "overall", "recent" or both; empty if neither is."""
    both = {"overall": scores.overall, "recent": scores.recent}
    # The bare comparison says nothing about a few answers: 0 of 1 is below every minimum.
    speaks = rules.rule is ScoreRule.INTERVAL or scores.overall.total >= min(rules.probation, rules.recent)
    return " and ".join(name for name, scored in both.items() if speaks and below(scored, rules.minimum, rules.rule))


def _reason(evidence: Evidence, rules: TrustRules) -> str:
    overall, recent = evidence.scores.overall, evidence.scores.recent
    name = why_below(evidence.scores, rules)
    by = " by more than chance explains" if rules.rule is ScoreRule.INTERVAL else ""
    held = f"The {name} score is below the minimum of {percent(rules.minimum)}{by}" if name else "Both hold the minimum"
    on_probation = evidence.probation
    if not name and below(on_probation, rules.minimum, ScoreRule.BARE):
        held = f"The score since probation began, {on_probation}, is below the minimum of {percent(rules.minimum)}"
    return f"Verification questions: {overall}; the last {recent.total}: {recent}. {held}."


def act(
    trust: Trust,
    event: TrustEvent,
    rules: TrustRules,
    now: datetime,
    *,
    because: str = "",
    until: datetime | None = None,
) -> Decision:
    """Decide what follows from a person, a test or a signal. `until`: when a suspension ends.

    The worker's past decides whether a failed test was the last, and where a reinstated or resumed worker goes on.
    Raises IllegalMoveError if the event is not allowed in this state, or follows from scores only.
    """
    if event in BY_FIGURES:
        raise IllegalMoveError(f"That a worker {event} follows from scores; no person can decide it.")
    if event is TrustEvent.SUSPEND and (until is None or until <= now):
        raise IllegalMoveError("A suspension needs a future time at which it ends.")
    if event in RESUME.values():
        event = _resuming(trust)
    elif event is TrustEvent.REINSTATE and not trust.passed_test:
        event = TrustEvent.REINSTATE_TO_TEST
    elif event is TrustEvent.FAIL_TEST and trust.tests_failed + 1 >= rules.tests:
        event = TrustEvent.FAIL_LAST_TEST
    _refuse_too_early(trust, event, now)
    decision = _move(trust, event, because or f"The worker {event}.", now)
    if event is TrustEvent.SUSPEND:
        return replace(decision, trust=replace(decision.trust, suspended_until=until))
    if event is TrustEvent.FAIL_TEST:
        return replace(decision, trust=replace(decision.trust, test_from=now + rules.test_wait))
    return decision


def _refuse_too_early(trust: Trust, event: TrustEvent, now: datetime) -> None:
    if event is TrustEvent.APPEAL and trust.appealed:
        raise IllegalMoveError("The worker has appealed already.")
    if event is TrustEvent.REFUSE_APPEAL and not trust.appealed:
        raise IllegalMoveError("There is no appeal to refuse.")
    taken = event in (TrustEvent.PASS_TEST, TrustEvent.FAIL_TEST, TrustEvent.FAIL_LAST_TEST)
    if taken and trust.test_from and now < trust.test_from:
        raise IllegalMoveError(f"The test may be taken again from {trust.test_from:%Y-%m-%d %H:%M}.")


def _resuming(trust: Trust) -> TrustEvent:
    if trust.resumes is None:
        raise IllegalMoveError(f"A worker who is {trust.state} has nothing to go on with.")
    return RESUME[trust.resumes]


def _move(trust: Trust, event: TrustEvent, reason: str, now: datetime) -> Decision:
    return Decision(event, replace(trust, state=following(trust, event), **_changes(trust, event, now)), reason)


def _changes(trust: Trust, event: TrustEvent, now: datetime) -> dict[str, Any]:
    """Return what the event changes besides the state."""
    match event:
        case TrustEvent.PASS_TEST | TrustEvent.WAIVE_TEST:
            return {"passed_test": True, "probation_since": now, "test_from": None}
        case TrustEvent.FAIL_TEST | TrustEvent.FAIL_LAST_TEST:
            return {"tests_failed": trust.tests_failed + 1, "test_from": None, "appealed": False}
        case TrustEvent.PASS_PROBATION:
            return {"trusted_since": now}
        case TrustEvent.FAIL_PROBATION | TrustEvent.LOSE_TRUST:
            return {"had_second_probation": True, "probation_since": now}
        case TrustEvent.SUSPEND:
            return {"resumes": trust.resumes if trust.state is TrustState.SUSPENDED else trust.state}
        case TrustEvent.RESUME_TEST | TrustEvent.RESUME_PROBATION | TrustEvent.RESUME_TRUST:
            return _NOT_SUSPENDED
        case TrustEvent.BAR:
            return {"appealed": False, **_NOT_SUSPENDED}
        case TrustEvent.FAIL_AGAIN:
            return {"appealed": False}
        case TrustEvent.APPEAL:
            return {"appealed": True}
        case TrustEvent.TRUST:
            anew = {"score_since": now, "trusted_since": now, "had_second_probation": False}
            return {"passed_test": True, **anew, **_NOT_SUSPENDED}
        case TrustEvent.REINSTATE:
            return {"had_second_probation": False, "probation_since": now, "score_since": now}
        case TrustEvent.REINSTATE_TO_TEST:
            return {"tests_failed": 0}
        case _:
            return {}


_NOT_SUSPENDED: dict[str, Any] = {"resumes": None, "suspended_until": None}
