"""End a qualification test [paper 3.3]: the worker passed, or failed with tries left, or failed for good."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from pipeline.asking.receipt import Receipt, TestResult
from pipeline.known.known_answer import Mistake, mistakes_shown
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.quality_control import needed_in_test, trust_rules
from workers.change_trust import change_trust, trust_of
from workers.rules.texts import Coded, WorkerText
from workers.rules.trust_states import TrustEvent, TrustState
from workers.worker_texts import in_english


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
            receipt, mistakes=mistakes_shown([*mistakes, *[Mistake.left_out] * (assignment.size - receipt.answered)])
        )
    trust = trust_of(assignment.worker_id, assignment.project_id, assignment.task)
    if trust.state is not TrustState.TESTING:
        return replace(receipt, test=result, sequel=WorkerText.DECIDED.coded())
    rules = trust_rules(settings, task)
    change_trust(
        worker_id=assignment.worker_id,
        project_id=assignment.project_id,
        task=assignment.task,
        event=TrustEvent.PASS_TEST if result.passed else TrustEvent.FAIL_TEST,
        because=in_english(test_result(result)),
        rules=rules,
        now=now,
    )
    left = rules.tests - trust.tests_failed - 1
    return replace(receipt, test=result, sequel=_sequel(result, left, settings.test_wait_hours))


def test_result(result: TestResult) -> Coded:
    """Return the result as a text for the worker."""
    return WorkerText.TESTED.coded(right=result.right, size=result.asked, needed=result.needed)


def _sequel(result: TestResult, left: int, hours: float) -> Coded:
    if result.passed:
        return WorkerText.PASSED.coded()
    if left <= 0:
        return WorkerText.LAST_TRY.coded()
    wait = f"{hours:g}"
    return (
        WorkerText.ONE_TRY_LEFT.coded(hours=wait) if left == 1 else WorkerText.TRIES_LEFT.coded(left=left, hours=wait)
    )
