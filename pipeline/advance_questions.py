"""Advance answered questions [paper 3.1.2, 3.2]: let the answers to the five tasks after linking act."""

from pipeline.fold_judgments import fold_judgments
from pipeline.rules.task import Task

AFTER_LINKING = [task for task in Task if task is not Task.COREFERENCE_LINK]


def advance_questions(*, project_id: int | None = None) -> int:
    """Returns the number of judgments that were folded."""
    return fold_judgments(AFTER_LINKING, project_id=project_id)
