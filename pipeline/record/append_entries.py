"""Append entries to the record of images, and fold them. Everything that acts on state comes through this file."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery

from annotation.models import Image
from annotation.rules.states import ImageState
from pipeline.models import Entry, Progress, SettingsVersion
from pipeline.policies.compose import compose
from pipeline.project.settings_versions import AS_TEXT, all_settings, read_version
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin
from pipeline.protocol.image.merging import can_merge
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json, to_json
from pipeline.protocol.state.rows import TableRows, image_rows
from pipeline.record.bulk_rows import insert_many, update_many
from pipeline.record.new_entry import NewEntry
from pipeline.record.observe import Observed, observe
from pipeline.record.read_record import Followed, read_records, versions_of_images
from pipeline.record.write_doubts import FoldedImage, write_doubts
from pipeline.record.write_rows import Changed, write_rows
from runtime import clock
from runtime.marked_points import reach
from runtime.prepared_query import PreparedQuery, slots


class Locked(NamedTuple):
    """A progress row that the caller's transaction holds, and what else a fold needs."""

    image_id: int
    project_id: int
    state: Any
    picture: str
    """Its name in storage; empty if there are no pixels to show."""
    version: int
    """The version of the project's settings that the image follows: the newest, except where begun images stay."""
    settings: str
    """These settings as JSON text."""
    learned: str | None
    """The key of what is learned with it."""
    begun_from: int | None
    """Of the newest version: see `followed_version` in `settings/versions.py`."""


class EntryRow(NamedTuple):
    """One row of the record, by the names of its fields."""

    project: int
    image: int
    sequence: int
    kind: str
    settings_version: int
    judgment: int | None
    data: dict[str, Any]
    context: dict[str, Any] | None
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


def _to_lock(images: int, due: str | None, *, skip_locked: bool) -> "QuerySet[Progress, tuple[Any, ...]]":
    """Return the columns of `Locked` of this number of rows, to be locked."""
    rows = Progress.objects.filter(image__id__in=slots("image", images)).order_by("image_id")
    if due is not None:
        rows = rows.filter(due=due)
    newest = SettingsVersion.objects.filter(project_id=OuterRef("project_id")).order_by("-version")
    columns = (
        "image_id",
        "project_id",
        "state",
        # A join would lock the rows of the images as well; with the model's order PostgreSQL may sort all of them.
        Subquery(Image.objects.filter(id=OuterRef("image_id")).order_by().values("picture")),
        Subquery(newest.values("version")[:1]),
        Subquery(newest.values_list(AS_TEXT)[:1]),
        Subquery(newest.values("learned_id")[:1]),
        Subquery(newest.values("begun_from")[:1]),
    )
    return rows.select_for_update(skip_locked=skip_locked).values_list(*columns)


LOCKED_AT_ONCE = 50
"""Rows of one statement: a statement is kept for each number of them."""
LOCKED: "PreparedQuery[tuple[Any, ...]]" = PreparedQuery(
    lambda images, due, skip_locked: _to_lock(images, due, skip_locked=skip_locked)
)


def begin_record(*, image_id: int, project_id: int, has_picture: bool, data: dict[str, Any], version: int) -> None:
    """Write the first entry of an image that was just imported, its progress, and the rows that follow.

    `data`: see `machine.begin`. `version`: of the settings. The image has its captions and mentions already.
    """
    now = clock.now()
    progress = begin(RecordEntry(0, EntryKind.IMPORT, data))
    entry = EntryRow(project_id, image_id, 0, EntryKind.IMPORT.value, version, None, data, None, "", "", now)
    insert_many(Entry, EntryRow._fields, [entry])
    row = ProgressRow(image_id, 0, to_json(progress), what_is_due(progress))
    insert_many(Progress, (*ProgressRow._fields, "project"), [(*row, project_id)])
    if progress.started:
        after = image_rows(progress)
        written = {number: mention._replace(chain=None) for number, mention in after.mentions.items()}
        before = TableRows(ImageState.LINKING.value, written, {}, {}, {}, {})
        write_rows([Changed(image_id, project_id, has_picture, before, after, progress.moves, set())], now)


def lock_progress(image_ids: Sequence[int], *, due: str | None = None, skip_locked: bool = False) -> list[Locked]:
    """Lock the progress rows until the transaction ends, always in the same order, so that there are no deadlocks.

    On SQLite the transaction itself keeps other writers out.
    """
    if not image_ids:
        return []  # every sweep asks so several times, and the statement takes long to put together
    ids = sorted(image_ids)
    parts = [ids[start : start + LOCKED_AT_ONCE] for start in range(0, len(ids), LOCKED_AT_ONCE)]
    locked = [Locked(*row) for part in parts for row in LOCKED.run(len(part), due, skip_locked, image=part)]
    return _as_followed(locked) if any(row.begun_from is not None for row in locked) else locked


def _as_followed(locked: list[Locked]) -> list[Locked]:
    """Give each image the version that it follows. A statement after the lock sees every entry made before it."""
    followed: dict[int, Followed] = {}
    for project in {row.project_id for row in locked if row.begun_from is not None}:
        followed |= versions_of_images(project, [row.image_id for row in locked if row.project_id == project])
    return [row._replace(**followed[row.image_id]._asdict()) if row.image_id in followed else row for row in locked]


@transaction.atomic(savepoint=False)  # a failure here fails the caller's transaction, too
def append_entries(
    locked: Sequence[Locked], new: Mapping[int, Sequence[NewEntry]], *, now: datetime | None = None
) -> bool:
    """Fold new entries, in order by image id, into the locked progress rows, and write the rows that follow.

    Returns whether one of the images is now due for merging. Raises RecordError, ExpertError, CannotVoidError or
    CannotUndoError if an entry does not fit its image; then nothing is written.
    """
    if not any(new.values()):
        return False
    now = now or clock.now()
    entries: list[EntryRow] = []
    changes: list[Changed] = []
    labelled: list[FoldedImage] = []
    progress_rows: list[ProgressRow] = []
    folding = [row for row in locked if new.get(row.image_id)]
    images = [_observed(row, new[row.image_id]) for row in folding]
    for row, image, contexts in zip(folding, images, observe(images, now), strict=True):
        progress, rules = image.progress, image.rules
        before, next_question = image_rows(progress), progress.next_question
        judged: set[int] = set()
        folded: list[tuple[RecordEntry, int]] = []
        for added, context in zip(image.new, contexts, strict=True):
            sequence = progress.sequence + 1
            entry = RecordEntry(sequence, added.kind, added.data, context)
            folded.append((entry, row.version))
            if added.kind is EntryKind.UNDO:
                progress = _folded_anew(row, folded)
            else:
                apply(progress, entry, rules)
            if added.kind is EntryKind.JUDGMENT:
                judged.add(added.data["question"])
            entries.append(_entry(row, added, entry, now))
        after = image_rows(progress)
        place = row.image_id, row.project_id, bool(row.picture)
        changes.append(Changed(*place, before, after, progress.moves, judged, next_question))
        progress_rows.append(ProgressRow(row.image_id, progress.sequence, to_json(progress), what_is_due(progress)))
        labelled.append(FoldedImage(row.project_id, row.image_id, progress, read_version(row.settings, row.learned)))
    insert_many(Entry, EntryRow._fields, entries)
    reach("fold: entries written")
    write_rows(changes, now)
    write_doubts(labelled)
    update_many(Progress, ["image"], ["sequence", "state", "due"], progress_rows)
    reach("fold: rows written")
    return any(row.due == Progress.Due.MERGE.value for row in progress_rows)


def _observed(row: Locked, new: Sequence[NewEntry]) -> Observed:
    rules = compose(read_version(row.settings, row.learned))
    return Observed(row.image_id, row.project_id, from_json(row.state), new, rules)


def what_is_due(progress: ImageProgress) -> str:
    """Return the value of `Progress.due`."""
    if not progress.started:
        return Progress.Due.NOTHING.value if progress.waiting else Progress.Due.LINKS.value
    merged = progress.state is ImageState.MERGED
    return Progress.Due.MERGE.value if not merged and can_merge(progress) else Progress.Due.NOTHING.value


def _folded_anew(row: Locked, new: Sequence[tuple[RecordEntry, int]]) -> ImageProgress:
    """Return the progress after an undo, the last of the new entries. Raises CannotUndoError if it does not fit."""
    settings = all_settings(row.project_id)
    record = [*read_records([row.image_id])[row.image_id], *new]
    after = apply_record((entry, compose(settings[version])) for entry, version in record)
    # The moves of the stored entries are stored; those of the new entries are the last.
    first = new[0][0].sequence
    after.moves = [move for move in after.moves if move.entry >= first]
    return after


def _entry(row: Locked, new: NewEntry, entry: RecordEntry, now: datetime) -> EntryRow:
    return EntryRow(
        project=row.project_id,
        image=row.image_id,
        sequence=entry.sequence,
        kind=new.kind.value,
        settings_version=row.version,
        judgment=new.judgment_id,
        data={name: value for name, value in new.data.items() if not (new.judgment_id and name in JUDGED)},
        context=entry.context.to_json(),
        actor=new.actor[:150],
        reason=new.reason[:500],
        created_at=now,
    )
