"""Jobs: archives of exports, made while a page waits and deleted later. Safe to run twice, late, or at once."""

from django.conf import settings

from annotation.models import Project
from exchange.leftovers import remove_leftovers
from exchange.models import Selection
from exchange.publish_export import Archive, forget_exports, publish_export
from pipeline.jobs import job
from upkeep.models import JobRun
from upkeep.runs import held, request
from upkeep.ticks import one_of_a_pile


@job(name="exchange.publish_export")
def publish_export_job(project_id: int, export_format: str, state: str, selection_id: int | None = None) -> None:
    """Make the archive of the project, or of a selection of its images, in this format, unless it exists."""
    selection = Selection.objects.get(id=selection_id) if selection_id else None
    archive = Archive(Project.objects.get(id=project_id), export_format, state, selection)
    with held(archive.key) as mine:
        if mine:
            publish_export(archive)


@job(name="exchange.forget_exports")
def forget_exports_job() -> None:
    """Delete old archives, and what killed processes left."""
    with one_of_a_pile("exchange.forget_exports", every=settings.LOOK_SECONDS) as due:
        if due:
            forget_exports()
            remove_leftovers()


def ask_for(archive: Archive) -> JobRun:
    """Request the archive, unless it is being made. In-place jobs make it at once. Returns the state of this work."""
    chosen = [archive.selection.pk] if archive.selection else []  # older job runners know three arguments
    work = (archive.project.id, archive.export_format, archive.state, *chosen)
    return request(publish_export_job, *work, key=archive.key, share=f"exports of {archive.project.pk}")
