"""One virtual worker's way through the rules of trust: the rules themselves decide, nothing is modelled twice."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from simulation.link_crowd import stable_uniform
from simulation.trust_crowd import MINIMUM, Person, batch_size
from workers.rules.batch_verdict import BatchRules, Submitted, judge_batches
from workers.rules.score import Score, Scores
from workers.rules.trust import Decision, Evidence, TrustRules, decide
from workers.rules.trust_states import Event, Standing, State
from workers.rules.verification_rate import places
from workers.rules.work import Kind, Shortage, shortage, work_for

START = datetime(2026, 1, 1, tzinfo=UTC)
PASSED_TEST = Standing(State.PROBATION, passed_test=True, probation_since=START)


@dataclass(slots=True)
class Career:
    """What became of a worker who wanted to answer a number of real questions."""

    person: Person
    standing: Standing = PASSED_TEST
    real: int = 0
    """Real judgments that count."""
    voided: int = 0
    """Those of the assignment in which trust was lost."""
    waits: bool = False
    events: list[Event] = field(default_factory=list)
    warned: dict[Shortage, int] = field(default_factory=dict)
    """How many questions the worker had answered when the requester was first warned of each shortage."""
    outcomes: list[bool] = field(default_factory=list)
    """Verification questions and, for box drawing, judged boxes: right or not."""
    seen: list[int] = field(default_factory=list)

    @property
    def was_trusted(self) -> bool:
        return Event.PASS_PROBATION in self.events

    @property
    def is_barred(self) -> bool:
        return self.standing.state is State.BARRED


def run_career(person: Person, rules: TrustRules, *, work: int, stock: int = 230) -> Career:
    """Under the trusted-worker model, until so many real questions are answered, the worker is barred, or must wait."""
    career, questions, size = Career(person), person.stock(stock), batch_size(person.task)
    seed, now = f"{person.seed} {person.kind} {person.number}", START
    probation_from = asked = verified = answered = 0
    while career.real < work and not career.is_barred:
        now += timedelta(minutes=2)
        left = {"unseen": stock - len(career.seen), "answered": len(career.seen) - probation_from}
        _warn(career, shortage(career.standing, rules, stock=stock, **left), answered)
        given = work_for(career.standing, rules, now, **left)
        if given.kind is Kind.NONE:
            career.waits = True
            break
        drawn = len(places(seed, asked=asked, verified=verified, size=size, rate=given.rate))
        known = min(drawn, left["unseen"])
        real = size - known if given.kind is Kind.REAL else 0
        _answer(career, questions, known, real)
        asked, verified, answered = asked + known + real, verified + known, answered + known + real
        news = known or person.draws_box()
        decision = _decided(career, rules, len(career.seen) - probation_from, now) if news else None
        if decision and decision.voids:
            career.voided += real
        else:
            career.real += real
        if decision and decision.standing.state in (State.PROBATION, State.TRUSTED):
            probation_from, asked, verified = len(career.seen), 0, 0
            seed = f"{seed} {now}"
    return career


def _warn(career: Career, warning: Shortage | None, answered: int) -> None:
    if warning:
        career.warned.setdefault(warning, answered)


def _answer(career: Career, questions: list[int], known: int, real: int) -> None:
    """Answer verification questions not seen before; every box drawn is judged, as often approved as it is right."""
    person = career.person
    for question in questions[len(career.seen) : len(career.seen) + known]:
        career.outcomes.append(person.is_right(question))
        career.seen.append(question)
    if person.draws_box():
        for number in range(career.real, career.real + real):
            draw = stable_uniform(person.seed, "box", person.kind.value, person.number, len(career.outcomes), number)
            career.outcomes.append(draw < person.accuracy)


def _decided(career: Career, rules: TrustRules, answered: int, now: datetime) -> Decision | None:
    evidence = Evidence(Scores.of(career.outcomes, recent=rules.recent), answered)
    decision = decide(career.standing, evidence, rules, now)
    if decision:
        career.standing = decision.standing
        career.events.append(decision.event)
    return decision


@dataclass(slots=True)
class Batches:
    """What became of a worker's assignments under the verification model."""

    person: Person
    assignments: int = 0
    refused: int = 0
    real: int = 0
    """Real judgments that count."""


def run_batches(person: Person, rules: BatchRules, *, work: int, rate: float = 0.2, stock: int = 230) -> Batches:
    """Under the verification model, until so many real questions are answered, whether they count or not."""
    result, questions, size = Batches(person), person.stock(stock), batch_size(person.task)
    seed, now, seen, asked, real = f"{person.seed} {person.kind} {person.number}", START, 0, 0, 0
    waiting: dict[int, tuple[Submitted, int]] = {}
    overall = Score()
    while real < work:
        now += timedelta(minutes=2)
        rate_left = rate if seen < stock else 0.0
        known = min(len(places(seed, asked=asked, verified=seen, size=size, rate=rate_left)), stock - seen)
        score = Score(sum(person.is_right(question) for question in questions[seen : seen + known]), known)
        seen, asked, overall, real = seen + known, asked + size, overall + score, real + size - known
        waiting[result.assignments] = Submitted(result.assignments, now, score), size - known
        result.assignments += 1
        _judge(result, waiting, overall, rules, now)
    _judge(result, waiting, overall, rules, now + rules.longest)
    return result


def _judge(
    result: Batches, waiting: dict[int, tuple[Submitted, int]], overall: Score, rules: BatchRules, now: datetime
) -> None:
    for verdict in judge_batches([one for one, _ in waiting.values()], overall, rules, now):
        for number in verdict.assignments:
            _, real = waiting.pop(number)
            result.refused += not verdict.accepted
            result.real += real if verdict.accepted else 0


def rules_for(person: Person, **changes: object) -> TrustRules:
    """The paper's thresholds of the worker's task, with changes."""
    make: Callable[..., TrustRules] = TrustRules
    return make(**{"minimum": MINIMUM[person.task], **changes})
