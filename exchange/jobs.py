"""Jobs: archives of exports, made while a page waits and deleted later. Safe to run twice, late, or at once."""

from django.core.cache import cache

from annotation.models import Project
from exchange.publish_export import MAKING_SECONDS, Archive, forget_exports, publish_export
from pipeline.jobs import job


@job(name="exchange.publish_export")
def publish_export_job(project_id: int, export_format: str, state: str) -> None:
    """Make the archive of the project in this format, unless it exists."""
    publish_export(Archive(Project.objects.get(id=project_id), export_format, state))


@job(name="exchange.forget_exports")
def forget_exports_job() -> None:
    """Delete old archives."""
    forget_exports()


def ask_for(archive: Archive) -> None:
    """Request the archive. A second request has no effect while it is being made. In-place jobs make it at once."""
    if cache.add(archive.mark, True, MAKING_SECONDS):
        publish_export_job.delay(archive.project.id, archive.export_format, archive.state)
