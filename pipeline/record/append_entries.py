"""Append entries to the record of images, and fold them. Everything that acts on state comes through this file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from annotation.models import Image
from annotation.rules.states import ImageState
from pipeline.models import Entry, Progress, SettingsVersion
from pipeline.record.bulk_rows import insert_many, update_many
from pipeline.record.write_rows import Changed, write_rows
from pipeline.rules.image.image_machine import EntryKind, RecordEntry, apply, begin
from pipeline.rules.image.merging import can_merge
from pipeline.rules.image.progress import ImageProgress
from pipeline.rules.image.progress_json import from_json, to_json
from pipeline.rules.image.rows import Rows, rows_of
from pipeline.settings_versions import AS_TEXT, read_settings


@dataclass(slots=True)
class NewEntry:
    """An entry to append. What the row of its judgment holds is not stored in the entry as well."""

    kind: EntryKind
    data: dict[str, Any] = field(default_factory=dict)
    judgment_id: int | None = None
    actor: str = ""
    reason: str = ""


class Locked(NamedTuple):
    """A progress row that the caller's transaction holds, and what else a fold needs."""

    image_id: int
    project_id: int
    state: Any
    picture: str
    """Its name in storage; empty if there are no pixels to show."""
    version: int
    """The newest version of the project's settings."""
    settings: str
    """These settings as JSON text."""


class EntryRow(NamedTuple):
    """One row of the record, by the names of its fields."""

    project: int
    image: int
    sequence: int
    kind: str
    settings_version: int
    judgment: int | None
    data: dict[str, Any]
    actor: str
    reason: str
    created_at: datetime


class ProgressRow(NamedTuple):
    image: int
    sequence: int
    state: dict[str, Any]
    due: str


JUDGED = frozenset({"question", "worker", "answer"})
"""The data of a judgment's entry that the judgment's own row holds."""


def begin_record(*, image_id: int, project_id: int, has_picture: bool, data: dict[str, Any], version: int) -> None:
    """Write the first entry of an image that was just imported, its progress, and the rows that follow.

    `data`: see `image_machine.begin`. `version`: of the settings. The image has its captions and mentions already.
    """
    now = timezone.now()
    progress = begin(RecordEntry(0, EntryKind.IMPORT, data))
    entry = EntryRow(project_id, image_id, 0, EntryKind.IMPORT.value, version, None, data, "", "", now)
    insert_many(Entry, EntryRow._fields, [entry])
    kept = ProgressRow(image_id, 0, to_json(progress), what_is_due(progress))
    insert_many(Progress, (*ProgressRow._fields, "project"), [(*kept, project_id)])
    if progress.started:
        after = rows_of(progress)
        written = {number: row._replace(chain=None) for number, row in after.mentions.items()}
        before = Rows(ImageState.LINKING.value, written, {}, {}, {}, {})
        write_rows([Changed(image_id, project_id, has_picture, before, after, progress.moves, set())], now)


def lock_progress(image_ids: Sequence[int], *, due: str | None = None, skip_locked: bool = False) -> list[Locked]:
    """Lock the progress rows until the transaction ends, always in the same order, so that there are no deadlocks.

    On SQLite the transaction itself keeps other writers out.
    """
    rows = Progress.objects.filter(image_id__in=image_ids).order_by("image_id")
    if due is not None:
        rows = rows.filter(due=due)
    newest = SettingsVersion.objects.filter(project_id=OuterRef("project_id")).order_by("-version")
    columns = (
        "image_id",
        "project_id",
        "state",
        # A join would lock the rows of the images as well.
        Subquery(Image.objects.filter(id=OuterRef("image_id")).values("picture")),
        Subquery(newest.values("version")[:1]),
        Subquery(newest.values_list(AS_TEXT)[:1]),
    )
    return [Locked(*row) for row in rows.select_for_update(skip_locked=skip_locked).values_list(*columns)]


@transaction.atomic(savepoint=False)  # a failure here fails the caller's transaction, too
def append_entries(
    locked: Sequence[Locked], new: Mapping[int, Sequence[NewEntry]], *, now: datetime | None = None
) -> bool:
    """Fold new entries, in order by image id, into the locked progress rows, and write the rows that follow.

    Returns whether one of the images is now due for merging. Raises RecordError, ExpertError or CannotVoidError if an
    entry does not fit its image; then nothing is written.
    """
    if not any(new.values()):
        return False
    now = now or timezone.now()
    entries: list[EntryRow] = []
    changes: list[Changed] = []
    kept: list[ProgressRow] = []
    for row in locked:
        if not new.get(row.image_id):
            continue
        settings = read_settings(row.settings)
        progress = from_json(row.state)
        before = rows_of(progress)
        judged = set()
        for one in new[row.image_id]:
            sequence = progress.sequence + 1
            apply(progress, RecordEntry(sequence, one.kind, one.data), settings)
            if one.kind is EntryKind.JUDGMENT:
                judged.add(one.data["question"])
            entries.append(_entry(row, one, sequence, now))
        after = rows_of(progress)
        changes.append(Changed(row.image_id, row.project_id, bool(row.picture), before, after, progress.moves, judged))
        kept.append(ProgressRow(row.image_id, progress.sequence, to_json(progress), what_is_due(progress)))
    insert_many(Entry, EntryRow._fields, entries)
    write_rows(changes, now)
    update_many(Progress, ["image"], ["sequence", "state", "due"], kept)
    return any(row.due == Progress.Due.MERGE.value for row in kept)


def what_is_due(progress: ImageProgress) -> str:
    """Return the value of `Progress.due`."""
    if not progress.started:
        return Progress.Due.NOTHING.value if progress.waiting else Progress.Due.LINKS.value
    merged = progress.state is ImageState.MERGED
    return Progress.Due.MERGE.value if not merged and can_merge(progress) else Progress.Due.NOTHING.value


def _entry(row: Locked, one: NewEntry, sequence: int, now: datetime) -> EntryRow:
    return EntryRow(
        project=row.project_id,
        image=row.image_id,
        sequence=sequence,
        kind=one.kind.value,
        settings_version=row.version,
        judgment=one.judgment_id,
        data={name: value for name, value in one.data.items() if not (one.judgment_id and name in JUDGED)},
        actor=one.actor[:150],
        reason=one.reason[:500],
        created_at=now,
    )
