"""Note what workers were shown, and take it back when an assignment ends without answers.

An assignment that is taken back is drawn again (`draw_items`).
"""

from collections.abc import Iterable

from django.db.models import F

from pipeline.asking.draw_items import REMEMBERED, DrawnItems
from pipeline.asking.plan_work import WorkPlan
from pipeline.models import Assignment, Question
from pipeline.stock.known_questions import key_of
from workers.models import TrustStatus


def note_shown(plan: WorkPlan, worker_id: int, assignment: Assignment, drawn: DrawnItems) -> None:
    """Note what the worker is now shown. Always in one statement, so that the time it takes tells nothing."""
    history, known, items = plan.history, list(assignment.known.values()), drawn.items
    # A worker who is asked a real question is never asked the same as a verification question.
    real = (_alike(plan, item) for item in items if isinstance(item, Question))
    seen = dict.fromkeys([*history.seen, *known, *(number for number in real if number is not None)])
    status = TrustStatus.objects.filter(worker=worker_id, project=assignment.project_id, task=assignment.task)
    status.update(
        seen=list(seen),
        images=[*history.images, *(item.image_id for item in items)][-2 * REMEMBERED :],
        asked=F("asked") + len(items),
        verified=F("verified") + len(known),
        left_assignment=drawn.left_next,
    )


def take_back_shown(assignments: Iterable[Assignment]) -> None:
    """Forget that workers were shown assignments which end without answers, so that the same is drawn again.

    Of two that a worker holds, the later one comes first. Nothing is taken back twice.
    """
    for assignment in assignments:
        if not Assignment.objects.filter(id=assignment.pk).exclude(taken_back=True).update(taken_back=True):
            continue
        of = {"worker": assignment.worker_id, "project": assignment.project_id, "task": assignment.task}
        status = TrustStatus.objects.select_for_update().filter(**of).first()
        size, known = len(assignment.questions) + len(assignment.known), set(assignment.known.values())
        # A worker who was trusted by hand is measured from the first verification question on: nothing was noted.
        if status is None or not known <= set(status.seen) or status.asked < size or status.verified < len(known):
            continue
        TrustStatus.objects.filter(id=status.pk).update(
            seen=[number for number in status.seen if number not in known],
            images=status.images[:-size],
            asked=status.asked - size,
            verified=status.verified - len(known),
            left_assignment=assignment.pk,
        )
        Assignment.objects.filter(id=assignment.pk).update(left_next=status.left_assignment)


def note_late(assignment: Assignment) -> None:
    """Note that a worker was shown an assignment after all: it was taken back, and then its answers came."""
    of = {"worker": assignment.worker_id, "project": assignment.project_id, "task": assignment.task}
    status = TrustStatus.objects.select_for_update().filter(**of).first()
    if status is None:
        return
    status.seen = list(dict.fromkeys([*status.seen, *assignment.known.values()]))
    if status.left_assignment == assignment.pk:  # it was not drawn again since
        status.asked, status.verified = status.asked + assignment.size, status.verified + len(assignment.known)
        status.left_assignment = assignment.left_next
    status.save(update_fields=["seen", "asked", "verified", "left_assignment"])


def _alike(plan: WorkPlan, question: Question) -> int | None:
    """Return the id of the verification question that shows the same as this real one, or None."""
    return plan.alike.get(key_of(question.image_id, question.shown))
