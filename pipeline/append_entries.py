"""Append to the record of images and fold what was appended: everything that acts on state comes through here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from pipeline.insert_many import insert_many
from pipeline.models import Entry, Progress
from pipeline.rules.image_machine import EntryKind, RecordEntry, apply
from pipeline.rules.merging import can_merge
from pipeline.rules.progress import ImageProgress
from pipeline.rules.progress_json import from_json, to_json
from pipeline.rules.rows import rows_of
from pipeline.settings_versions import current_settings
from pipeline.write_rows import Changed, write_rows


@dataclass(slots=True)
class NewEntry:
    """What is to be appended. `data` is what acts; a judgment's is also in its own row."""

    kind: EntryKind
    data: dict[str, Any] = field(default_factory=dict)
    judgment_id: int | None = None
    actor: str = ""
    reason: str = ""


def lock_progress(image_ids: Sequence[int], *, due: str | None = None, skip_locked: bool = False) -> list[Progress]:
    """The progress rows, locked until the transaction ends, always in the same order so that nobody deadlocks.

    On SQLite the transaction itself keeps other writers out.
    """
    rows = Progress.objects.filter(image_id__in=image_ids).order_by("image_id")
    if due is not None:
        rows = rows.filter(due=due)
    return list(rows.select_related("image").select_for_update(of=("self",), skip_locked=skip_locked))


@transaction.atomic(savepoint=False)  # what fails here fails the caller's transaction, too
def append_entries(
    locked: Sequence[Progress], new: Mapping[int, Sequence[NewEntry]], *, now: datetime | None = None
) -> None:
    """Fold `new` (by image id, in order) into the `locked` progress rows and write what follows, or nothing at all.

    An entry that does not fit raises the error of its rule (RecordError, ExpertError, CannotVoidError).
    """
    if not locked:
        return
    now = now or timezone.now()
    settings_of = {project: current_settings(project) for project in {row.project_id for row in locked}}
    entries: list[tuple[Any, ...]] = []
    changes: list[Changed] = []
    for row in locked:
        if not new.get(row.image_id):
            continue
        version, settings = settings_of[row.project_id]
        progress = from_json(row.state)
        before = rows_of(progress)
        judged = set()
        for one in new[row.image_id]:
            sequence = progress.sequence + 1
            apply(progress, RecordEntry(sequence, one.kind, one.data), settings)
            if one.kind is EntryKind.JUDGMENT:
                judged.add(one.data["question"])
            entries.append(_entry(row, one, sequence, version, now))
        changes.append(
            Changed(
                row.image_id,
                row.project_id,
                bool(row.image.picture),
                before,
                rows_of(progress),
                progress.moves,
                judged,
            )
        )
        row.sequence, row.state, row.due = progress.sequence, to_json(progress), what_is_due(progress)
    insert_many(Entry, ENTRY, entries)
    write_rows(changes, now)
    Progress.objects.bulk_create(
        [row for row in locked if new.get(row.image_id)],
        update_conflicts=True,
        unique_fields=["image"],
        update_fields=["sequence", "state", "due"],
    )


def what_is_due(progress: ImageProgress) -> str:
    if not progress.started:
        return Progress.Due.NOTHING.value if progress.waiting else Progress.Due.LINKS.value
    merged = progress.state.value == "merged"
    return Progress.Due.MERGE.value if not merged and can_merge(progress) else Progress.Due.NOTHING.value


ENTRY = (
    "project",
    "image",
    "sequence",
    "kind",
    "settings_version",
    "judgment",
    "data",
    "actor",
    "reason",
    "created_at",
)


def _entry(row: Progress, one: NewEntry, sequence: int, version: int, now: datetime) -> tuple[Any, ...]:
    data = {} if one.judgment_id else one.data
    place = (row.project_id, row.image_id, sequence, one.kind.value, version, one.judgment_id)
    return (*place, data, one.actor[:150], one.reason[:500], now)
