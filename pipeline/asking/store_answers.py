"""Store the answers of an assignment, those to verification questions together with the others."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import Q

from pipeline.asking.layout import Item
from pipeline.asking.receipt import Given, Skipped
from pipeline.errors import StateMovedError
from pipeline.models import Assignment, Judgment, KnownQuestion, Question, Skip
from pipeline.rules.known.known_answer import is_right
from pipeline.rules.tasks.task import QuestionState, Task


def store_answers(assignment: Assignment, answers: Sequence[tuple[Item, Given]], now: datetime) -> int:
    """Returns how many verification questions were answered right.

    While an assignment waits for its batch its questions stay on loan to it: they are closed to others.
    StateMovedError: a question was closed, or taken when the lease ran out, since it was read.
    """
    judgments = [_judgment(assignment, item, given, now) for item, given in answers]
    if judgments:
        Judgment.objects.bulk_create(judgments)
    real = [item.id for item, _ in answers if isinstance(item, Question)]
    if real:
        still = Question.objects.filter(id__in=real, state=QuestionState.OPEN.value)
        still = still.filter(Q(assignment=assignment) | Q(assignment=None))
        if assignment.verdict == Assignment.Verdict.WAITING:
            moved = still.update(assignment=assignment)
        else:
            moved = still.update(state=QuestionState.ANSWERED.value, assignment=None)
        if moved != len(real):
            raise StateMovedError
    return sum(judgment.right or False for judgment in judgments)


def _judgment(assignment: Assignment, item: Item, given: Given, now: datetime) -> Judgment:
    known = isinstance(item, KnownQuestion)
    return Judgment(
        question_id=None if known else item.id,
        known_id=item.id if known else None,
        right=is_right(Task(assignment.task), item.truth, given.answer) if isinstance(item, KnownQuestion) else None,
        worker_id=assignment.worker_id,
        assignment_id=assignment.id,
        answer=given.answer,
        seconds=given.seconds,
        comment=given.comment,
        created_at=now,
    )


def skip_questions(assignment: Assignment, skipped: Iterable[tuple[Item, Skipped]], now: datetime) -> None:
    """The worker isn't asked them again. A verification question isn't in any case."""
    for item, reply in skipped:
        if isinstance(item, KnownQuestion) or assignment.worker_id in item.skipped:
            continue
        who = {"worker_id": assignment.worker_id, "assignment": assignment}
        Skip(question_id=item.id, reason=reply.reason, comment=reply.comment, created_at=now, **who).save()
        everyone = [*item.skipped, assignment.worker_id]
        Question.objects.filter(id=item.id).update(skipped=everyone, skipped_count=len(everyone))
