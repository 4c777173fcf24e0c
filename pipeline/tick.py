"""The sweep: everything that is due, once. Rows that are due are the queue; this repairs whatever a hint missed."""

from datetime import datetime

from annotation.models import Project
from pipeline.advance_questions import advance_questions
from pipeline.end_assignment import expire_assignments
from pipeline.merge_images import merge_images
from pipeline.schedule_links import schedule_links
from pipeline.starve_questions import starve_questions


def tick(*, project_id: int | None = None, now: datetime | None = None) -> None:
    """Idempotent: running it twice, late, or at once in two processes changes nothing more."""
    expire_assignments(now=now)
    schedule_links(project_id=project_id)
    advance_questions(project_id=project_id)
    projects = [project_id] if project_id is not None else list(Project.objects.values_list("id", flat=True))
    for project in projects:
        starve_questions(project_id=project, now=now)
    merge_images(project_id=project_id)
