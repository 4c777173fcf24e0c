"""Append entries to the record of images, and fold them. Everything that acts on state comes through this file."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery

from annotation.models import Image
from annotation.rules.states import ImageState
from pipeline.models import Entry, Progress, Question, SettingsVersion
from pipeline.policies.compose import compose
from pipeline.project.queries import models_at_work
from pipeline.project.settings_versions import AS_TEXT, all_settings, read_version
from pipeline.protocol.image.linking import has_new_rules
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin
from pipeline.protocol.image.merging import can_merge
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.rules import EntryContext, Rules, context_of
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json, to_json
from pipeline.protocol.state.rows import TableRows, image_rows
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.bulk_rows import insert_many, update_many
from pipeline.record.read_record import Followed, read_records, versions_of_images
from pipeline.record.write_doubts import FoldedImage, write_doubts
from pipeline.record.write_rows import Changed, write_rows
from runtime import clock
from runtime.database import PreparedQuery, slots
from runtime.marked_points import reach
from workers.skills import CheckedSkills, checked_answers


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry to append. What the row of its judgment holds is not stored in the entry as well."""

    kind: EntryKind
    data: dict[str, Any] = field(default_factory=dict)
    judgment_id: int | None = None
    task: Task | None = None
    """Of a judgment: the task of its question."""
    by_model: bool = False
    """Of a judgment: whether a program gave it."""
    actor: str = ""
    reason: str = ""


ByTask = dict[Task, dict[int, CheckedSkills]]
"""By task and worker."""


class Observed(NamedTuple):
    """An image whose progress row the caller holds, with its new entries and the rules that they act under."""

    image_id: int
    project_id: int
    progress: ImageProgress
    new: Sequence[NewEntry]
    rules: Rules


def observe(images: Sequence[Observed], now: datetime) -> list[list[EntryContext]]:
    """Return for each image, all of one project, the contexts of its new entries. Without needs nothing is looked up.

    Of images that meet new rules of links, and of those that a program proposes boxes for, questions are locked.
    """
    checked, inactive = _checked(images), dict[tuple[int, ...], list[int]]()
    found = []
    for image in images:
        models = image.rules.needs.inactive
        if models and models not in inactive:
            at_work = models_at_work(image.project_id, models, now)
            inactive[models] = sorted(set(models).difference(at_work))
        found.append(_contexts(image, checked, inactive.get(models, ())))
    return found


def _contexts(image: Observed, checked: ByTask, inactive: Sequence[int]) -> list[EntryContext]:
    needs, contexts = image.rules.needs, []
    for place, entry in enumerate(image.new):
        of_task = checked.get(entry.task, {}) if entry.task is not None else {}
        on_loan: Sequence[int] = ()
        if entry.kind is EntryKind.PROPOSE:
            on_loan = questions_on_loan(image.image_id, Task.BOX_DRAWING, Task.COREFERENCE_LINK)
        elif place == 0 and has_new_rules(image.progress, image.rules):
            on_loan = questions_on_loan(image.image_id, Task.COREFERENCE_LINK)
        contexts.append(
            context_of(
                needs,
                task=entry.task,
                by_model=entry.by_model,
                checked=of_task.get(entry.data["worker"]) if of_task else None,
                seed=image.image_id if entry.kind is EntryKind.START else 0,
                inactive=inactive,
                on_loan=on_loan,
            )
        )
    return contexts


def _checked(images: Sequence[Observed]) -> ByTask:
    """Look up what is known of the workers whose answers are weighed."""
    workers: dict[Task, set[int]] = defaultdict(set)
    for image in images:
        if image.rules.needs.skill:
            for entry in image.new:
                if entry.task is not None and entry.task in image.rules.needs.skill:
                    workers[entry.task].add(entry.data["worker"])
    return {task: checked_answers(images[0].project_id, task.value, ids) for task, ids in workers.items()}


def questions_on_loan(image_id: int, *tasks: Task) -> list[int]:
    """Return the numbers of the image's open questions of these tasks that are answered or on loan.

    Locks all of its open ones, so that none is lent until the fold has closed those that no worker has.
    """
    asked = Question.objects.filter(image=image_id, task__in=[task.value for task in tasks])
    open_ones = asked.exclude(state=QuestionState.CLOSED.value).select_for_update().order_by("id")
    rows = open_ones.values_list("number", "state", "assignment")
    return [number for number, state, lease in rows if lease is not None or state == QuestionState.ANSWERED.value]


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
        return []  # every tick asks so several times, and the statement takes long to put together
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


@transaction.atomic
def add_picture(*, image_id: int, picture: str, path: str) -> bool:
    """Note the picture's name in storage, and its path in the source. Returns whether the image had none before.

    The record stays as it is: no rule reads pixels. Questions that are open are shown to people from now on.
    """
    lock_progress([image_id])  # a fold that opens questions meanwhile would still open them for nobody
    if not Image.objects.filter(id=image_id, picture="").update(picture=picture):
        return False
    Image.objects.filter(id=image_id, path="").update(path=path)
    Question.objects.filter(image_id=image_id, for_people=False).update(for_people=True)
    return True
