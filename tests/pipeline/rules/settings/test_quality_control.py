"""The settings of a project become the rules of trust of each task."""

from dataclasses import replace
from datetime import timedelta

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.quality_control import batch_rules, needed_in_test, trust_rules
from pipeline.rules.settings.table_3 import MINIMUM
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from workers.rules.score import Rule
from workers.rules.trust import TrustModel

PAPER = ProtocolSettings()


def test_every_task_has_the_minimum_of_table_3_and_trusted_workers() -> None:
    for task in Task:
        rules = trust_rules(PAPER, task)
        assert (rules.minimum, rules.model, rules.rule) == (MINIMUM[task], TrustModel.TRUSTED, Rule.INTERVAL)
        assert (rules.probation, rules.trusted_rate, rules.verification_rate) == (30, 0.02, 0.2)


def test_a_task_may_have_another_model_and_minimum_than_the_others() -> None:
    trust = {**PAPER.trust, Task.BOX_DRAWING.value: TrustModel.VERIFICATION.value}
    minimum = {**PAPER.minimum, Task.BOX_DRAWING.value: 0.6}
    changed = replace(PAPER, trust=trust, minimum=minimum, below_minimum="bare", test_wait_hours=1.5, tests=2)
    drawing, link = trust_rules(changed, Task.BOX_DRAWING), trust_rules(changed, Task.COREFERENCE_LINK)
    assert (drawing.model, drawing.minimum) == (TrustModel.VERIFICATION, 0.6)
    assert (link.model, link.minimum) == (TrustModel.TRUSTED, 0.8)
    assert (link.rule, link.tests, link.test_wait) == (Rule.BARE, 2, timedelta(minutes=90))
    batches = batch_rules(changed, Task.BOX_DRAWING)
    assert (batches.minimum, batches.rule, batches.questions) == (0.6, Rule.BARE, 10)


def test_a_test_is_passed_with_the_share_of_the_minimum_rounded_down() -> None:
    for task, needed in {Task.BOX_DRAWING: 7, Task.BOX_QUALITY: 7, Task.BOX_COVERAGE: 8}.items():
        assert needed_in_test(PAPER, task, 10) == needed, task
        assert needed_in_test(PAPER, task, 20) in (2 * needed, 2 * needed + 1), task


def refusal(name: str, value: object) -> str:
    """Return why the value is refused, or nothing if it is not."""
    try:
        replace(PAPER, **{name: value})  # type: ignore[arg-type]
    except ValueError as error:
        return str(error)
    return ""


def test_settings_that_make_no_sense_are_refused_by_name() -> None:
    wrong: list[tuple[str, object]] = [
        ("trust", {"box_drawing": "trusted workers"}),
        ("trust", dict.fromkeys(PROTOCOL_TASKS, "hope")),
        ("minimum", dict.fromkeys(PROTOCOL_TASKS, 1.0)),
        ("below_minimum", "sometimes"),
        ("probation", 0),
        ("probation_most", 29),
        ("trusted_rate", 1.5),
        ("test_questions", -1),
        ("tests", 0),
        ("spend_cap_cents", -1),
    ]
    for name, value in wrong:
        assert name in refusal(name, value), f"{name}: {value}"
