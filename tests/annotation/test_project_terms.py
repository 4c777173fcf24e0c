"""The words of a project for its workers."""

from annotation.project_terms import NO_NEW_QUESTIONS
from annotation.rules.states import ProjectState


def test_only_a_running_project_has_no_words_for_why_it_gives_nothing() -> None:
    assert set(ProjectState) - set(NO_NEW_QUESTIONS) == {ProjectState.RUNNING}
