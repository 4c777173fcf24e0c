"""Give the questions that assignments hold, answered but not used, to other workers."""

from collections.abc import Collection

from pipeline.models import Question
from pipeline.rules.tasks.task import QuestionState


def ask_others(assignment_ids: Collection[int], worker_id: int) -> int:
    """As after a skip, the same worker isn't asked them again. Returns how many. Within the caller's transaction."""
    held = Question.objects.filter(assignment__in=assignment_ids, state=QuestionState.OPEN.value)
    questions = list(held.select_for_update().order_by("id"))
    for question in questions:
        question.skipped = [*question.skipped, worker_id]
        question.skipped_count, question.assignment = len(question.skipped), None
        question.save(update_fields=["skipped", "skipped_count", "assignment"])
    return len(questions)
