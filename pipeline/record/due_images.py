"""Images that are due: those that wait get their first links [paper 3.1.1], settled ones are merged [paper 3.3.2].

Both are safe to run twice, and in two runners at once.
"""

from datetime import datetime

from annotation.rules.states import ProjectState
from pipeline.models import Progress, Question
from pipeline.policies.compose import compose
from pipeline.project.open_questions import free_questions
from pipeline.project.queries import chosen_projects
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.append_entries import NewEntry, append_entries, lock_progress
from pipeline.record.apply_judgments import IMAGES_AT_ONCE, light_enough
from runtime.database import PreparedQuery, Slot, atomic_again
from runtime.marked_points import reach

AHEAD = 1_000
"""Link questions that are enough, free ones or answers that wait to be folded: further images begin when some are done.

So begun images are finished first, a large project learns from its first hundreds for the others, and what is open does
not grow with the project. Where the most telling links are asked first, they are sought in all images.
"""
WAITING: PreparedQuery[int] = PreparedQuery(
    lambda: (
        Progress.objects.filter(project_id=Slot("project"), due=Progress.Due.LINKS)
        .exclude(project__state=ProjectState.DRAFT.value)
        .order_by("image_id")
        .values_list("image_id", flat=True)[:IMAGES_AT_ONCE]
    )
)
"""The first images that wait for their first questions."""
ENOUGH: PreparedQuery[tuple[int]] = PreparedQuery(
    lambda most: (
        free_questions(Slot("project"), Task.COREFERENCE_LINK)
        .filter(for_people=True)
        .values_list("id")[most - 1 : most]
    )
)
"""The question that makes the free ones, without those that nobody can be shown, as many as are enough."""
BEHIND: PreparedQuery[tuple[int]] = PreparedQuery(
    lambda most: (
        Question.objects.filter(
            project_id=Slot("project"), state=QuestionState.ANSWERED.value, task=Task.COREFERENCE_LINK.value
        )
        .order_by("id")
        .values_list("id")[most - 1 : most]
    )
)
"""The answered question that makes those which wait to be folded as many as are enough."""


def start_images(*, project_id: int | None = None, now: datetime | None = None) -> int:
    """Start the images that wait for their first questions, and return their number.

    Images of a draft are not started: until the project is, their phrases and types can still be found anew. Nor are
    images while AHEAD link questions are free, unless the project asks the most telling ones first, or while so many
    answers wait.
    """
    return sum(sum(iter(lambda: _start_some(project, now), 0)) for project in chosen_projects(project_id))  # noqa: B023


@atomic_again
def _start_some(project: int, now: datetime | None) -> int:
    if not (waiting := WAITING.run(project=project)):
        return 0
    _, settings = current_settings(project)
    if not compose(settings).links.everywhere and (
        ENOUGH.run(AHEAD, project=project) or BEHIND.run(AHEAD, project=project)
    ):
        return 0
    locked = lock_progress(light_enough(waiting), due=Progress.Due.LINKS, skip_locked=True)
    append_entries(locked, {row.image_id: [NewEntry(EntryKind.START)] for row in locked}, now=now)
    return len(locked)


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
