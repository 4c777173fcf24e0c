"""Values of table 3."""

from pipeline.rules.settings.table_3 import BATCH, MINIMUM, USUAL_SECONDS
from pipeline.rules.tasks.task import Task

PAPER = {
    Task.COREFERENCE_LINK: (10, 0.80, 75),
    Task.CHAIN_VERIFICATION: (5, 0.83, 95),
    Task.BOX_REQUIREMENT: (10, 0.83, 81),
    Task.BOX_DRAWING: (5, 0.70, 134),
    Task.BOX_QUALITY: (10, 0.78, 110),
    Task.BOX_COVERAGE: (10, 0.80, 91),
}


def test_every_task_of_the_paper_has_the_values_of_its_table():
    assert {task: (BATCH[task], MINIMUM[task], USUAL_SECONDS[task]) for task in PAPER} == PAPER


def test_surveys_have_values_of_their_own():
    assert BATCH.keys() == MINIMUM.keys() == USUAL_SECONDS.keys() == {*Task}
