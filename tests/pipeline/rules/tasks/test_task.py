"""The six tasks."""

from pipeline.rules.tasks.task import Task


def test_there_are_six_and_they_are_read_as_words():
    assert len(Task) == 6
    assert Task.COREFERENCE_LINK.label == "coreference link"
