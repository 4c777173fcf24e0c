"""Quality control [paper 3.3, table 3]: the settings of each task that decide which workers are trusted."""

from datetime import timedelta

from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings
from workers.rules.score import BatchRules, ScoreRule
from workers.rules.trust import TrustModel, TrustRules


def trust_rules(settings: TrustSettings, task: Task) -> TrustRules:
    """Return the rules of trust of one task."""
    return TrustRules(
        minimum=settings.minimum[task.value],
        rule=ScoreRule(settings.below_minimum),
        model=TrustModel(settings.trust[task.value]),
        probation=settings.probation,
        probation_most=settings.probation_most,
        trusted_rate=settings.trusted_rate,
        verification_rate=settings.verification_rate,
        tests=settings.tests,
        test_wait=timedelta(hours=settings.test_wait_hours),
    )


def batch_rules(settings: TrustSettings, task: Task) -> BatchRules:
    """Return the rules of batches of one task, for the verification model."""
    return BatchRules(minimum=settings.minimum[task.value], rule=ScoreRule(settings.below_minimum))


def needed_in_test(settings: TrustSettings, task: Task, questions: int) -> int:
    """Return the right answers that pass a qualification test of `asked` questions: the minimum share, rounded down.

    A worker who is just good enough should pass. One who is right 80 % of the time has 8 or more of 10 right in 68 % of
    tests, and may try again; one who guesses between two answers passes in 5 %.
    """
    return int(settings.minimum[task.value] * questions + 1e-9)
