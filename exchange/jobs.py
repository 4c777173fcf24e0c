"""Jobs: archives of exports, made while a page waits and deleted later. Safe to run twice, late, or at once."""

from contextlib import suppress
from functools import partial
from typing import Any

from celery import Task
from django.conf import settings

from annotation.models import Project
from exchange.leftovers import remove_leftovers
from exchange.models import Selection
from exchange.publish_export import PublishedExport, forget_exports, help_with, publish_export
from exchange.read_ahead import WorkAhead, help_with_import
from pipeline.jobs import job
from runtime.models import JobRun
from runtime.redis_faults import start
from runtime.runs import claimed, debounced, request

HELPERS = 8
"""The most job runners of a queue that help with an export or an import."""


@job(name="exchange.publish_export")
def publish_export_job(*work: Any) -> None:
    """Make the archive of the project, or of a selection of its images, in this format, unless it exists."""
    archive = _archive(*work)
    with claimed(archive.key) as mine:
        if mine:
            publish_export(archive, partial(_ask_for_help, *work))


@job(name="exchange.help_export")
def help_export_job(*work: Any) -> None:
    """Make a part of an archive, if one waits, and then another one, behind the jobs that came meanwhile."""
    _help(help_export_job, *work)


@job(name="exchange.help_export_aside")
def help_export_aside_job(*work: Any) -> None:
    """Do the same in the queue of long work, whose job runners often have nothing to do."""
    _help(help_export_aside_job, *work)


def _help(self: Task, *work: Any) -> None:
    with suppress(Project.DoesNotExist, Selection.DoesNotExist):  # deleted meanwhile
        if help_with(_archive(*work)):
            start(self, *work)


@job(name="exchange.help_import")
def help_import_job(*work: Any) -> None:
    """Make pieces of an import while any wait, in the queue of long work; after some time other jobs get their turn."""
    if help_with_import(WorkAhead(*work)):
        start(help_import_job, *work)


def ask_for_import_help(work: WorkAhead, pieces: int) -> None:
    """Tell job runners that there are as many pieces of an import to make. Where jobs run in place there are none."""
    if not settings.CELERY_TASK_ALWAYS_EAGER:
        for _ in range(min(HELPERS, pieces // 2)):
            start(help_import_job, *work)


def _ask_for_help(*work: Any) -> None:
    """Tell the other job runners that there are parts to make. Where jobs run in place there are none."""
    if not settings.CELERY_TASK_ALWAYS_EAGER:
        for helper in (help_export_job, help_export_aside_job) * HELPERS:
            start(helper, *work)


def _archive(project_id: int, export_format: str, state: str, selection_id: int | None) -> PublishedExport:
    selection = Selection.objects.get(id=selection_id) if selection_id else None
    return PublishedExport(Project.objects.get(id=project_id), export_format, state, selection)


@job(name="exchange.forget_exports")
def forget_exports_job() -> None:
    """Delete old archives, and what killed processes left."""
    with debounced("exchange.forget_exports", every=settings.LOOK_SECONDS) as due:
        if due:
            forget_exports()
            remove_leftovers()


def ask_for(archive: PublishedExport) -> JobRun:
    """Request the archive, unless it is being made. In-place jobs make it at once. Returns the state of this work."""
    selection = archive.selection.pk if archive.selection else None
    work = (archive.project.id, archive.export_format, archive.state, selection)
    return request(publish_export_job, *work, key=archive.key, share=f"exports of {archive.project.pk}")
