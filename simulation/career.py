"""One virtual worker's way through the rules of trust. The rules themselves decide; nothing is modelled twice."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pipeline.settings.quality_control import needed_in_test, trust_rules
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import BATCH
from simulation.link_crowd import stable_uniform
from simulation.trust_crowd import Person
from workers.rules.score import Score, Scores
from workers.rules.trust import Decision, Evidence, TrustRules, act, decide
from workers.rules.trust_states import Trust, TrustEvent, TrustState
from workers.rules.verification_rate import places
from workers.rules.work import WorkKind, work_for

START = datetime(2026, 1, 1, tzinfo=UTC)
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
    events: list[TrustEvent] = field(default_factory=list)

    @property
    def was_trusted(self) -> bool:
        return TrustEvent.PASS_PROBATION in self.events

    @property
    def is_barred(self) -> bool:
        return self.trust.state is TrustState.BARRED

    def move(self, decision: Decision) -> None:
        self.trust = decision.trust
        self.events.append(decision.event)


def run_career(person: Person, settings: Settings, *, work: int, stock: int) -> Career:
    """Let the worker answer under the trusted-worker model until `work` real questions are answered.

    The career ends earlier if the worker is barred or must wait. `stock`: verification questions of the task.
    """
    rules = trust_rules(settings, person.task)
    career, questions, size = take_tests(person, settings), person.stock(stock), BATCH[person.task]
    seed = person.secret
    probation_from = outcomes_from = asked = verified = 0
    while career.real < work and not career.is_barred:
        career.now += timedelta(minutes=2)
        left = {"unseen": stock - len(career.seen), "answered": len(career.seen) - probation_from}
        given = work_for(career.trust, rules, career.now, **left)
        if given.kind is WorkKind.NONE:
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


def take_tests(person: Person, settings: Settings) -> Career:
    """Let the worker take the qualification test, with new questions each time, until it is passed or the last try."""
    rules, size = trust_rules(settings, person.task), settings.test_questions
    career = Career(person)
    fresh = iter(person.tests(size * max(settings.tests, TRIES)))
    career.move(act(career.trust, TrustEvent.BEGIN_TEST if size else TrustEvent.WAIVE_TEST, rules, career.now))
    while work_for(career.trust, rules, career.now, unseen=0).kind is WorkKind.TEST:
        asked = [next(fresh) for _ in range(size)]
        career.tested += asked
        right = sum(person.is_right(question) for question in asked)
        passed = right >= needed_in_test(settings, person.task, size)
        career.move(act(career.trust, TrustEvent.PASS_TEST if passed else TrustEvent.FAIL_TEST, rules, career.now))
        career.now = career.trust.test_from or career.now
    return career


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
