"""Tasks [paper 3.1, 3.2]: the kinds of question that workers answer, and the states of a question.

Six kinds are the paper's. Two more are surveys: single questions about a caption or a word, asked by the same service.
"""

from enum import StrEnum

from annotation.rules.states import Survey


class Task(StrEnum):
    """One of the paper's six tasks, or one of the two surveys."""

    COREFERENCE_LINK = "coreference_link"
    CHAIN_VERIFICATION = "chain_verification"
    BOX_REQUIREMENT = "box_requirement"
    BOX_DRAWING = "box_drawing"
    BOX_QUALITY = "box_quality"
    BOX_COVERAGE = "box_coverage"
    CAPTION_CHECK = "caption_check"
    ATOM_VISUAL = "atom_visual"

    @property
    def label(self) -> str:
        """The name of the task in words."""
        return self.value.replace("_", " ")


PROTOCOL_TASKS = (
    Task.COREFERENCE_LINK,
    Task.CHAIN_VERIFICATION,
    Task.BOX_REQUIREMENT,
    Task.BOX_DRAWING,
    Task.BOX_QUALITY,
    Task.BOX_COVERAGE,
)
"""The paper's six tasks, which an ordinary project asks."""
BOX_TASKS = frozenset({Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE})
JUDGING = frozenset({Task.COREFERENCE_LINK, *BOX_TASKS}) - {Task.BOX_DRAWING}
"""The tasks in which programs can judge."""
SURVEY_TASKS = tuple(Task(survey.value) for survey in Survey)
"""The surveys, each asked in a project of its own."""


class QuestionState(StrEnum):
    """The state of one question."""

    OPEN = "open"
    """A worker may get the question."""
    ANSWERED = "answered"
    """A judgment is stored, and its image has not acted on the judgment yet."""
    CLOSED = "closed"
    """The question is decided, or no longer needed."""
