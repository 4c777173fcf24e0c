"""The paper's values of the settings of work."""

from pipeline.rules.settings.guide_of_work import OF_WORK
from pipeline.rules.settings.table_3 import BATCH, MINIMUM
from pipeline.rules.tasks.task import PROTOCOL_TASKS


def test_only_the_comparison_with_the_minimum_differs_from_the_paper_by_default():
    assert [one.name for one in OF_WORK if not one.is_as_paper(one.default)] == ["below_minimum"]


def test_the_table_of_the_paper_is_the_same_here_and_in_the_defaults():
    papers = {one.name: one.paper for one in OF_WORK}
    assert papers["batch"] == {task.value: BATCH[task] for task in PROTOCOL_TASKS}
    assert papers["minimum"] == {task.value: MINIMUM[task] for task in PROTOCOL_TASKS}
