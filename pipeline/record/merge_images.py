"""Merge images [paper 3.3.2]: join the boxes and the chains of images whose chains are all settled."""

from datetime import datetime

from pipeline.models import Progress
from pipeline.project.queries import chosen_projects
from pipeline.protocol.image.machine import EntryKind
from pipeline.record.append_entries import append_entries, lock_progress
from pipeline.record.apply_judgments import IMAGES_AT_ONCE
from pipeline.record.new_entry import NewEntry
from runtime.atomic_again import atomic_again
from runtime.marked_points import reach
from runtime.prepared_query import PreparedQuery, Slot

SETTLED: PreparedQuery[int] = PreparedQuery(
    lambda: (
        Progress.objects.filter(project_id=Slot("project"), due=Progress.Due.MERGE)
        .order_by("image_id")
        .values_list("image_id", flat=True)[:IMAGES_AT_ONCE]
    )
)
"""The first images that are due."""


def merge_images(*, project_id: int | None = None, now: datetime | None = None) -> int:
    """Merge every image that is due, and return their number. Safe to run twice, and in two runners at once."""
    total = 0
    for project in chosen_projects(project_id):
        while merged := _merge_some(project, now):
            reach("merge: committed")
            total += merged
    return total


@atomic_again
def _merge_some(project_id: int, now: datetime | None) -> int:
    locked = lock_progress(SETTLED.run(project=project_id), due=Progress.Due.MERGE, skip_locked=True)
    append_entries(locked, {row.image_id: [NewEntry(EntryKind.MERGE)] for row in locked}, now=now)
    return len(locked)
