"""One virtual worker's way through the rules of trust. The rules themselves decide; nothing is modelled twice."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.quality_control import needed_in_test, trust_rules
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from simulation.link_crowd import stable_uniform
from simulation.trust_crowd import Person, batch_size
from workers.rules.score import Score, Scores
from workers.rules.trust import Decision, Evidence, TrustRules, act, decide
from workers.rules.trust_states import Trust, TrustEvent, TrustState
from workers.rules.verification_rate import places
from workers.rules.work import Shortage, WorkKind, shortage, work_for

START = datetime(2026, 1, 1, tzinfo=UTC)
STOCK = 230
"""Verification questions of a task that is well supplied."""
TRIES = 3
"""Tries for which the test has questions, even where fewer tries are allowed."""


@dataclass(slots=True)
class Career:
    """The history of a worker who wants to answer a number of real questions."""

    person: Person
    trust: Trust = field(default_factory=Trust)
    now: datetime = START
    tested: list[int] = field(default_factory=list)
    """Questions of the qualification tests taken."""
    seen: list[int] = field(default_factory=list)
    """Verification questions answered."""
    outcomes: list[bool] = field(default_factory=list)
    """Whether each verification question and, for box drawing, each judged box was right."""
    real: int = 0
    """Real judgments that count."""
    voided: int = 0
    """Real judgments of the assignment in which trust was lost."""
    waits: bool = False
    """Whether the worker waits for the requester to add verification questions."""
    events: list[TrustEvent] = field(default_factory=list)
    warned: dict[Shortage, int] = field(default_factory=dict)
    """The number of questions answered when the requester was first warned of each shortage."""

    @property
    def answered(self) -> int:
        """Return the number of questions of every kind."""
        return len(self.tested) + len(self.seen) + self.real + self.voided

    @property
    def passed_test(self) -> bool:
        return self.trust.passed_test

    @property
    def was_trusted(self) -> bool:
        return TrustEvent.PASS_PROBATION in self.events

    @property
    def is_barred(self) -> bool:
        return self.trust.state is TrustState.BARRED

    def move(self, decision: Decision) -> None:
        self.trust = decision.trust
        self.events.append(decision.event)


def settings_with(*, minimum: float | None = None, **changes: Any) -> ProtocolSettings:
    """Return the default settings with changes; `minimum` applies to every task."""
    if minimum is not None:
        changes["minimum"] = {task.value: minimum for task in PROTOCOL_TASKS}
    return ProtocolSettings(**changes)


def run_career(
    person: Person, settings: ProtocolSettings, *, work: int, stock: int = STOCK, tests: Sequence[int] = ()
) -> Career:
    """Let the worker answer under the trusted-worker model until `work` real questions are answered.

    The career ends earlier if the worker is barred or must wait. `tests`: as in `take_tests`.
    """
    rules = trust_rules(settings, person.task)
    career, questions, size = take_tests(person, settings, tests), person.stock(stock), batch_size(person.task)
    _warn(career, shortage(Trust(), rules, stock=stock, unseen=stock))
    seed = person.secret
    probation_from = outcomes_from = asked = verified = 0
    while career.real < work and not career.is_barred:
        career.now += timedelta(minutes=2)
        left = {"unseen": stock - len(career.seen), "answered": len(career.seen) - probation_from}
        _warn(career, shortage(career.trust, rules, stock=stock, **left))
        given = work_for(career.trust, rules, career.now, **left)
        if given.kind is WorkKind.NONE:
            career.waits = True
            break
        drawn = len(places(seed, asked=asked, verified=verified, size=size, rate=given.rate))
        known = min(drawn, left["unseen"])
        real = size - known if given.kind is WorkKind.REAL else 0
        _answer(career, questions, known, real)
        asked, verified = asked + known + real, verified + known
        news = known or person.draws_box()
        evidence = Evidence(
            Scores.of(career.outcomes, recent=rules.recent),
            Score(sum(career.outcomes[outcomes_from:]), len(career.outcomes) - outcomes_from),
            stock_used_up=len(career.seen) >= stock,
        )
        decision = _decided(career, evidence, rules) if news else None
        if decision and decision.voids:
            career.voided += real
        else:
            career.real += real
        if decision and decision.trust.state in (TrustState.PROBATION, TrustState.TRUSTED):
            probation_from, outcomes_from, asked, verified = len(career.seen), len(career.outcomes), 0, 0
            seed = f"{seed} {career.now}"
    return career


def take_tests(person: Person, settings: ProtocolSettings, tests: Sequence[int] = ()) -> Career:
    """Let the worker take the qualification test, with new questions each time, until it is passed or failed for good.

    `tests` are its questions in the order in which this worker meets them; by default enough for three tries.
    """
    rules, size = trust_rules(settings, person.task), settings.test_questions
    career = Career(person)
    fresh = iter(tests or person.tests(size * max(settings.tests, TRIES)))
    career.move(act(career.trust, TrustEvent.BEGIN_TEST if size else TrustEvent.WAIVE_TEST, rules, career.now))
    while work_for(career.trust, rules, career.now, unseen=0).kind is WorkKind.TEST:
        asked = [next(fresh) for _ in range(size)]
        career.tested += asked
        right = sum(person.is_right(question) for question in asked)
        passed = right >= needed_in_test(settings, person.task, size)
        career.move(act(career.trust, TrustEvent.PASS_TEST if passed else TrustEvent.FAIL_TEST, rules, career.now))
        career.now = career.trust.test_from or career.now
    return career


def _warn(career: Career, warning: Shortage | None) -> None:
    if warning:
        career.warned.setdefault(warning, len(career.seen) + career.real + career.voided)


def _answer(career: Career, questions: list[int], known: int, real: int) -> None:
    """Answer unseen verification questions. In box drawing, judge the real boxes too: right ones are approved."""
    person = career.person
    for question in questions[len(career.seen) : len(career.seen) + known]:
        career.outcomes.append(person.is_right(question))
        career.seen.append(question)
    if person.draws_box():
        for number in range(career.real, career.real + real):
            draw = stable_uniform(person.seed, "box", person.kind.value, person.number, len(career.outcomes), number)
            career.outcomes.append(draw < person.accuracy)


def _decided(career: Career, evidence: Evidence, rules: TrustRules) -> Decision | None:
    decision = decide(career.trust, evidence, rules, career.now)
    if decision:
        career.move(decision)
    return decision
