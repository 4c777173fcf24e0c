"""One virtual worker's assignments under the verification model, judged batch by batch by the rules themselves."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.quality_control import batch_rules, trust_rules
from simulation.career import STOCK, take_tests
from simulation.trust_crowd import Person, batch_size
from workers.rules.batch_verdict import BatchRules, Submitted, judge_batches
from workers.rules.score import Score
from workers.rules.verification_rate import places
from workers.rules.work import WorkKind, work_for


@dataclass(slots=True)
class Batches:
    """The outcome of a worker's assignments."""

    person: Person
    assignments: int = 0
    refused: int = 0
    real: int = 0
    """Real judgments that count."""


class Waiting(NamedTuple):
    """An assignment that waits for its batch, and the number of its real questions."""

    submitted: Submitted
    real: int


def run_batches(person: Person, settings: ProtocolSettings, *, work: int, stock: int = STOCK) -> Batches:
    """Let the worker answer `work` real questions, whether they count or not; none after a failed test.

    `settings` must hold the verification model for the worker's task.
    """
    rules, trust = batch_rules(settings, person.task), trust_rules(settings, person.task)
    entered, result, size = take_tests(person, settings), Batches(person), batch_size(person.task)
    questions, now, seen, asked, real = person.stock(stock), entered.now, 0, 0, 0
    waiting: dict[int, Waiting] = {}
    overall = Score()
    while real < work:
        now += timedelta(minutes=2)
        given = work_for(entered.trust, trust, now, unseen=stock - seen)
        if given.kind is WorkKind.NONE:
            return result
        known = min(len(places(person.secret, asked=asked, verified=seen, size=size, rate=given.rate)), stock - seen)
        score = Score(sum(person.is_right(question) for question in questions[seen : seen + known]), known)
        seen, asked, overall, real = seen + known, asked + size, overall + score, real + size - known
        waiting[result.assignments] = Waiting(Submitted(result.assignments, now, score), size - known)
        result.assignments += 1
        _judge(result, waiting, overall, rules, now)
    _judge(result, waiting, overall, rules, now + rules.longest)
    return result


def _judge(result: Batches, waiting: dict[int, Waiting], overall: Score, rules: BatchRules, now: datetime) -> None:
    for verdict in judge_batches([one.submitted for one in waiting.values()], overall, rules, now):
        for number in verdict.assignments:
            real = waiting.pop(number).real
            result.refused += not verdict.accepted
            result.real += real if verdict.accepted else 0
