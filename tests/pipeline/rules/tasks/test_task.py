"""The six tasks of the paper, and the surveys."""

from annotation.rules.states import Survey
from pipeline.rules.tasks.task import PROTOCOL_TASKS, SURVEY_TASKS, Task


def test_there_are_the_papers_six_and_two_surveys_and_no_others():
    assert (*PROTOCOL_TASKS, *SURVEY_TASKS) == tuple(Task)
    assert len(PROTOCOL_TASKS) == 6


def test_a_project_can_be_a_survey_of_each_survey_task():
    assert [survey.value for survey in Survey] == [task.value for task in SURVEY_TASKS]


def test_tasks_are_read_as_words():
    assert Task.COREFERENCE_LINK.label == "coreference link"
