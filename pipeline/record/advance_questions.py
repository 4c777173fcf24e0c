"""Advance answered questions [paper 3.1.2, 3.2]: let the answers to the five tasks after linking act."""

from datetime import datetime

from pipeline.record.fold_judgments import Folded, fold_judgments
from pipeline.rules.tasks.task import Task

AFTER_LINKING = [task for task in Task if task is not Task.COREFERENCE_LINK]


def advance_questions(*, project_id: int | None = None, now: datetime | None = None) -> Folded:
    """Returns how many judgments were folded, and whether an image may be due for merging."""
    return fold_judgments(AFTER_LINKING, project_id=project_id, now=now)
