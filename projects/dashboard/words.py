"""Words of workers: reports of errors, skips and comments, since a requester last read them."""

from datetime import datetime
from typing import Any, NamedTuple

from django.utils.dateparse import parse_datetime

from annotation.models import Project
from pipeline.models import Entry, Judgment, Skip
from pipeline.protocol.image.machine import EntryKind
from projects.dashboard.live import read_until
from projects.models import Looked
from runtime import clock
from workers.models import Worker

MAX_MESSAGES = 200
"""The number of each kind that the page shows, the oldest first."""


class WorkerMessage(NamedTuple):
    """One thing that a worker said."""

    at: datetime
    what: str
    worker: str
    image: int
    image_name: str
    text: str


def unread_messages(project: Project) -> list[WorkerMessage]:
    """Return what workers said since it was last read, the oldest first."""
    since = read_until(project.pk)
    later = {"created_at__gt": since} if since else {}
    return sorted([*_reports(project, later), *_skips(project, later), *_comments(project, later)])


def mark_read(project: Project, until: str, user: Any) -> None:
    """Note that everything up to this moment was read. A moment that is not a time, or in the future, counts as now."""
    try:
        wanted = parse_datetime(until)
    except ValueError:
        wanted = None
    now = clock.now()
    moment = now if wanted is None or wanted.tzinfo is None or wanted > now else wanted
    values = {"until": moment, "user": user if user.pk else None, "at": now}
    Looked.objects.update_or_create(project=project, defaults=values)


def _reports(project: Project, later: dict[str, Any]) -> list[WorkerMessage]:
    rows = Entry.objects.filter(project=project, kind=EntryKind.REPORT.value, **later).order_by("created_at")
    found = list(rows.values_list("created_at", "data", "actor", "image_id", "image__name", "reason")[:MAX_MESSAGES])
    names = dict(Worker.objects.filter(pk__in=[row[1].get("worker") for row in found]).values_list("pk", "name"))
    return [
        WorkerMessage(
            at, f"reported a wrong {data.get('what')}", names.get(data.get("worker"), actor), image, name, reason
        )
        for at, data, actor, image, name, reason in found
    ]


def _skips(project: Project, later: dict[str, Any]) -> list[WorkerMessage]:
    rows = Skip.objects.filter(question__project=project, **later).exclude(comment="").order_by("created_at")
    places = ("created_at", "reason", "worker__name", "question__image_id", "question__image__name", "comment")
    return [
        WorkerMessage(at, f"skipped a question ({why})", *rest)
        for at, why, *rest in rows.values_list(*places)[:MAX_MESSAGES]
    ]


def _comments(project: Project, later: dict[str, Any]) -> list[WorkerMessage]:
    rows = Judgment.objects.filter(assignment__project=project, **later).exclude(comment="").order_by("id")
    rows = rows.select_related("question__image", "known__image", "worker")[:MAX_MESSAGES]
    found = []
    for row in rows:
        asked = row.question or row.known
        if asked:
            found.append(
                WorkerMessage(
                    row.created_at, "commented", row.worker.name, asked.image_id, asked.image.name, row.comment
                )
            )
    return found
