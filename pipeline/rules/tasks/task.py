"""The six tasks [paper 3.1, 3.2]: what workers can be asked."""

from enum import StrEnum


class Task(StrEnum):
    COREFERENCE_LINK = "coreference_link"
    CHAIN_VERIFICATION = "chain_verification"
    BOX_REQUIREMENT = "box_requirement"
    BOX_DRAWING = "box_drawing"
    BOX_QUALITY = "box_quality"
    BOX_COVERAGE = "box_coverage"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ")


class QuestionState(StrEnum):
    OPEN = "open"
    ANSWERED = "answered"
    """A judgment is in that has not acted yet."""
    CLOSED = "closed"
