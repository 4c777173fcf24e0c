"""What a worker has done: assignments, earnings, and how their boxes were judged."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import IntegerField, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from annotation.models import Box
from annotation.rules.states import BoxState
from pipeline.models import Assignment, Entry, Transition
from pipeline.rules.task import Task

LAST_BOXES = 200
"""So many of a worker's last drawings count for the share that was approved."""
BECAME = {
    Assignment.State.SUBMITTED: "handed in",
    Assignment.State.RETURNED: "given back",
    Assignment.State.EXPIRED: "ran out of time",
}


@dataclass(frozen=True, slots=True)
class Done:
    """One assignment that has ended."""

    task: str
    at: datetime | None
    became: str
    answered: int
    stored: int
    earned_cents: int


def ended_assignments(project_id: int, worker_id: int) -> QuerySet[Assignment]:
    """Newest first; page through them and show each by `done`."""
    ended = [state.value for state in BECAME]
    return Assignment.objects.filter(worker=worker_id, project_id=project_id, state__in=ended).order_by("-id")


def done(assignment: Assignment) -> Done:
    receipt = assignment.receipt or {}
    stored = receipt.get("stored", 0)
    return Done(
        task=Task(assignment.task).label,
        at=assignment.ended_at,
        became=BECAME[Assignment.State(assignment.state)],
        answered=stored + len(receipt.get("too_late", ())),
        stored=stored,
        earned_cents=receipt.get("earned_cents", 0),
    )


def earned_cents(project_id: int, worker_id: int) -> int:
    """Hundredths of the project's currency, over all of the worker's assignments."""
    cents = Cast(KeyTextTransform("earned_cents", "receipt"), IntegerField())
    paid = Assignment.objects.filter(worker=worker_id, project_id=project_id, state=Assignment.State.SUBMITTED)
    return paid.aggregate(cents=Sum(cents))["cents"] or 0


def approved_boxes(project_id: int, worker_id: int) -> tuple[int, int]:
    """Of the worker's last boxes that were judged: how many were approved, and how many there are."""
    drawings = Entry.objects.filter(
        project_id=project_id, judgment__worker=worker_id, judgment__question__task=Task.BOX_DRAWING.value
    ).order_by("-id")[:LAST_BOXES]
    entries = set(drawings.values_list("image_id", "sequence"))
    images = {image for image, _ in entries}
    drawn = Transition.objects.filter(image_id__in=images, machine="box", old="", new=BoxState.PENDING.value)
    mine = {
        (image, int(number))
        for image, sequence, number in drawn.values_list("image_id", "sequence", "subject")
        if (image, sequence) in entries
    }
    rows = Box.objects.filter(image_id__in=images).values_list("image_id", "number", "state")
    states = [state for image, number, state in rows if (image, number) in mine]
    approved = states.count(BoxState.ACCEPTED.value)
    return approved, approved + states.count(BoxState.DISCARDED.value)
