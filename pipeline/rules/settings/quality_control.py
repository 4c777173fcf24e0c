"""Quality control [paper 3.3, table 3]: the settings that decide whom to trust, task by task."""

from datetime import timedelta

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from workers.rules.batch_verdict import BatchRules
from workers.rules.score import Rule
from workers.rules.trust import TrustModel, TrustRules


def trust_rules(settings: ProtocolSettings, task: Task) -> TrustRules:
    """The rules of trust of one task."""
    return TrustRules(
        minimum=settings.minimum[task.value],
        rule=Rule(settings.below_minimum),
        model=TrustModel(settings.trust[task.value]),
        probation=settings.probation,
        probation_most=settings.probation_most,
        trusted_rate=settings.trusted_rate,
        verification_rate=settings.verification_rate,
        tests=settings.tests,
        test_wait=timedelta(hours=settings.test_wait_hours),
    )


def batch_rules(settings: ProtocolSettings, task: Task) -> BatchRules:
    """The rules of the verification model for one task."""
    return BatchRules(minimum=settings.minimum[task.value], rule=Rule(settings.below_minimum))


def needed_in_test(settings: ProtocolSettings, task: Task, asked: int) -> int:
    """Right answers that pass a qualification test of so many questions: the minimum's share, rounded down.

    Who is just good enough should pass: a worker who is right 80 % of the time has 8 or more of 10 in 68 % of cases,
    and some tries; one who guesses between two answers in 5 %.
    """
    return int(settings.minimum[task.value] * asked + 1e-9)
