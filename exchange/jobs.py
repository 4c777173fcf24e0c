"""Jobs: exports that are made while a page waits, and forgotten in time. Safe to run twice, late, or at once."""

from django.core.cache import cache

from annotation.models import Project
from exchange.publish_export import MAKING_SECONDS, Archive, forget_exports, publish_export
from pipeline.jobs import job


@job(name="exchange.publish_export")
def publish_export_job(project_id: int, export_format: str, state: str) -> None:
    """Pack the project in this format, unless that was done."""
    publish_export(Archive(Project.objects.get(id=project_id), export_format, state))


@job(name="exchange.forget_exports")
def forget_exports_job() -> None:
    """Archives that nobody needs any more."""
    forget_exports()


def ask_for(archive: Archive) -> None:
    """Have the archive made soon; asking again meanwhile does nothing. Where jobs run in place, it is made at once."""
    if cache.add(archive.mark, True, MAKING_SECONDS):
        publish_export_job.delay(archive.project.id, archive.export_format, archive.state)
