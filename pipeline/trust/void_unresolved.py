"""Void a worker's judgments on a task from which nothing has followed yet, and ask their questions again."""

from annotation.rules.states import ImageState
from pipeline.models import Entry
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.intervene import void_judgments
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.tasks.task import SURVEY_TASKS, Task


def void_unresolved(*, worker_id: int, project_id: int, task: Task, reason: str, actor: str = "") -> int:
    """Void the judgments, and return how many there were. Judgments from which something has followed stay.

    Each judgment is voided in a transaction of its own: after an interruption, calling again voids the rest.
    """
    fold_judgments(list(Task), project_id=project_id)
    own = Entry.objects.filter(project_id=project_id, judgment__worker=worker_id, judgment__question__task=task.value)
    if task not in SURVEY_TASKS:  # from a vote of a survey nothing follows, and nothing else in a merged image is open
        own = own.exclude(image__state=ImageState.MERGED.value)
    rows = own.order_by("-id").values_list("image_id", "judgment_id")
    voided = 0
    for image, judgment in list(rows):
        try:
            void_judgments(image_id=image, judgment_ids=[judgment], actor=actor, reason=reason)
        except CannotVoidError:
            continue
        voided += 1
    return voided
