"""What a requester, an expert or a worker's report does to an image, and voiding: entries like any judgment."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from pipeline.append_entries import NewEntry, append_entries, lock_progress
from pipeline.errors import StateMovedError
from pipeline.fold_judgments import waiting_judgments
from pipeline.models import Entry
from pipeline.rules.image_machine import EntryKind

TRIES = 5
"""An answer can come in between reading and writing; each try folds it first."""


def act_as_expert(*, image_id: int, action: dict[str, Any], actor: str, reason: str = "") -> None:
    """One action of `pipeline.rules.expert`. ExpertError: it does not fit, and nothing was changed."""
    _append(image_id, NewEntry(EntryKind.EXPERT, action, actor=actor, reason=reason))


def report_problem(
    *,
    image_id: int,
    what: str,
    number: int,
    worker_id: int | None,
    actor: str = "",
    expert: bool = False,
    reason: str = "",
) -> None:
    """A mention or a caption (`what`) is wrong. Two workers' reports, or one expert's, send its chains to review."""
    data = {"what": what, "number": number, "worker": worker_id, "expert": expert}
    _append(image_id, NewEntry(EntryKind.REPORT, data, actor=actor, reason=reason))


def void_judgments(*, image_id: int, judgment_ids: Iterable[int], actor: str = "", reason: str) -> None:
    """Take unresolved judgments back and ask again. CannotVoidError: something has followed from one of them."""
    entries = list(Entry.objects.filter(image_id=image_id, judgment_id__in=list(judgment_ids)).order_by("sequence"))
    data = {"entries": [entry.sequence for entry in entries]}
    _append(image_id, NewEntry(EntryKind.VOID, data, actor=actor, reason=reason))


def _append(image_id: int, entry: NewEntry) -> None:
    """After the judgments that are in already: they came first."""
    for tries_left in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                locked = lock_progress([image_id])
                append_entries(locked, {image_id: [*waiting_judgments([image_id])[image_id], entry]})
                return
        except StateMovedError:
            if not tries_left:
                raise
