"""Tasks [paper 3.1, 3.2]: the six kinds of question that workers answer, and the states of a question."""

from enum import StrEnum


class Task(StrEnum):
    """One of the six tasks."""

    COREFERENCE_LINK = "coreference_link"
    CHAIN_VERIFICATION = "chain_verification"
    BOX_REQUIREMENT = "box_requirement"
    BOX_DRAWING = "box_drawing"
    BOX_QUALITY = "box_quality"
    BOX_COVERAGE = "box_coverage"

    @property
    def label(self) -> str:
        """The name of the task in words."""
        return self.value.replace("_", " ")


class QuestionState(StrEnum):
    """The state of one question."""

    OPEN = "open"
    ANSWERED = "answered"
    """A judgment is stored, and its image has not moved on yet."""
    CLOSED = "closed"
