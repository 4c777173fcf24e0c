"""Append to the record of images and fold what was appended: everything that acts on state comes through here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from annotation.models import Image
from pipeline.models import Entry, Progress, SettingsVersion
from pipeline.record.insert_many import insert_many
from pipeline.record.update_many import update_many
from pipeline.record.write_rows import Changed, write_rows
from pipeline.rules.image.image_machine import EntryKind, RecordEntry, apply
from pipeline.rules.image.merging import can_merge
from pipeline.rules.image.progress import ImageProgress
from pipeline.rules.image.progress_json import from_json, to_json
from pipeline.rules.image.rows import rows_of
from pipeline.settings_versions import AS_TEXT, read_settings


@dataclass(slots=True)
class NewEntry:
    """What is to be appended. `data` is what acts; of a judgment, what its own row holds is not stored again."""

    kind: EntryKind
    data: dict[str, Any] = field(default_factory=dict)
    judgment_id: int | None = None
    actor: str = ""
    reason: str = ""


class Locked(NamedTuple):
    """A progress row that the caller's transaction holds, with what a fold needs besides."""

    image_id: int
    project_id: int
    state: Any
    picture: str
    """Its name in storage; empty: nobody can be shown the image."""
    version: int
    """Of the project's settings, and these themselves as text."""
    settings: str


def lock_progress(image_ids: Sequence[int], *, due: str | None = None, skip_locked: bool = False) -> list[Locked]:
    """The progress rows, locked until the transaction ends, always in the same order so that nobody deadlocks.

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
        # No join: the rows that it reads would be locked as well.
        Subquery(Image.objects.filter(id=OuterRef("image_id")).values("picture")),
        Subquery(newest.values("version")[:1]),
        Subquery(newest.values_list(AS_TEXT)[:1]),
    )
    return [Locked(*row) for row in rows.select_for_update(skip_locked=skip_locked).values_list(*columns)]


@transaction.atomic(savepoint=False)  # what fails here fails the caller's transaction, too
def append_entries(
    locked: Sequence[Locked], new: Mapping[int, Sequence[NewEntry]], *, now: datetime | None = None
) -> bool:
    """Fold `new` (by image id, in order) into the `locked` progress rows and write what follows, or nothing at all.

    Returns whether any of the images is now due for merging.
    An entry that does not fit raises the error of its rule (RecordError, ExpertError, CannotVoidError).
    """
    if not any(new.values()):
        return False
    now = now or timezone.now()
    entries: list[tuple[Any, ...]] = []
    changes: list[Changed] = []
    kept: list[tuple[Any, ...]] = []
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
        changes.append(
            Changed(
                row.image_id,
                row.project_id,
                bool(row.picture),
                before,
                rows_of(progress),
                progress.moves,
                judged,
            )
        )
        kept.append((row.image_id, progress.sequence, to_json(progress), what_is_due(progress)))
    insert_many(Entry, ENTRY, entries)
    write_rows(changes, now)
    update_many(Progress, ["image"], ["sequence", "state", "due"], kept)
    return any(due == Progress.Due.MERGE.value for *_, due in kept)


def what_is_due(progress: ImageProgress) -> str:
    if not progress.started:
        return Progress.Due.NOTHING.value if progress.waiting else Progress.Due.LINKS.value
    merged = progress.state.value == "merged"
    return Progress.Due.MERGE.value if not merged and can_merge(progress) else Progress.Due.NOTHING.value


IN_JUDGMENT = ("question", "worker", "answer")
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


def _entry(row: Locked, one: NewEntry, sequence: int, now: datetime) -> tuple[Any, ...]:
    data = {name: value for name, value in one.data.items() if not (one.judgment_id and name in IN_JUDGMENT)}
    place = (row.project_id, row.image_id, sequence, one.kind.value, row.version, one.judgment_id)
    return (*place, data, one.actor[:150], one.reason[:500], now)
