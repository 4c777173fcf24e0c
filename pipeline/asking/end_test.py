"""End a qualification test [paper 3.3]: the worker passed, or failed with tries left, or failed for good."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from pipeline.asking.receipt import Receipt, TestResult
from pipeline.project.settings_versions import current_settings
from pipeline.rules.known.mistake import Mistake, kinds_told
from pipeline.rules.settings.quality_control import needed_in_test, trust_rules
from pipeline.rules.tasks.task import Task
from workers.change_trust import change_trust
from workers.rules.trust_states import TrustEvent, TrustState
from workers.trust_of import trust_of


def end_test(receipt: Receipt, right: int, mistakes: Sequence[Mistake], now: datetime) -> Receipt:
    """Write the test's outcome to the worker's trust, and return the receipt with the result.

    Questions without an answer count as not right. If the worker failed, the receipt tells the kinds of mistakes. Runs
    in the caller's transaction.
    """
    assignment = receipt.assignment
    task = Task(assignment.task)
    _, settings = current_settings(assignment.project_id)
    needed = needed_in_test(settings, task, assignment.size)
    result = TestResult(right, assignment.size, needed, right >= needed)
    if not result.passed:
        receipt = replace(
            receipt, mistakes=kinds_told([*mistakes, *[Mistake.LEFT_OUT] * (assignment.size - receipt.answered)])
        )
    trust = trust_of(assignment.worker_id, assignment.project_id, assignment.task)
    if trust.state is not TrustState.TESTING:
        return replace(receipt, test=result, message="The requester has decided about you without the test.")
    rules = trust_rules(settings, task)
    change_trust(
        worker_id=assignment.worker_id,
        project_id=assignment.project_id,
        task=assignment.task,
        event=TrustEvent.PASS_TEST if result.passed else TrustEvent.FAIL_TEST,
        because=f"Qualification test: {right} of {assignment.size} right; {needed} are needed.",
        rules=rules,
        now=now,
    )
    left = rules.tests - trust.tests_failed - 1
    return replace(receipt, test=result, message=_in_words(result, left, settings.test_wait_hours))


def _in_words(result: TestResult, left: int, hours: float) -> str:
    if result.passed:
        return "You passed. The work is open to you now."
    if left <= 0:
        return "That was the last try. You can appeal to the requester on your home page."
    tries = "once more" if left == 1 else f"{left} more times"
    return f"You can take the test {tries}, in {hours:g} hours at the earliest."
