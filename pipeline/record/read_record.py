"""Read the record of images: as the rules fold it, by experts' reasons, and by a replay that finds wrong rows."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from annotation.models import Box, Chain, Image, Mention, MergedBox, Project
from annotation.rules.states import ImageState
from pipeline.models import Entry, Progress, Question, SettingsVersion
from pipeline.policies.compose import compose
from pipeline.project.settings_versions import AS_TEXT, all_settings, current_settings, read_version
from pipeline.protocol.image.machine import EntryKind, RecordEntry
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.rules import EntryContext
from pipeline.protocol.state.progress import Cause, ImageProgress
from pipeline.protocol.state.progress_json import to_json
from pipeline.protocol.state.rows import BOXES, CHAINS, MENTIONS, MERGED, QUESTIONS, TableRows, image_rows
from pipeline.protocol.tasks.task import QuestionState
from pipeline.settings.settings import Settings, VersionScope, followed_version


class _Line(NamedTuple):
    image: int
    sequence: int
    kind: str
    version: int
    data: dict[str, Any]
    context: dict[str, Any] | None
    question: int | None
    worker: int | None
    answer: Any


def read_records(images: Collection[int]) -> dict[int, list[tuple[RecordEntry, int]]]:
    """Return the entries of the images in order, by image id, each with the number of its version of the settings."""
    records: dict[int, list[tuple[RecordEntry, int]]] = defaultdict(list)
    rows = Entry.objects.filter(image_id__in=images).order_by("image_id", "sequence")
    columns = ("image_id", "sequence", "kind", "settings_version", "data", "context")
    judgment = ("judgment__question__number", "judgment__worker_id", "judgment__answer")
    for line in map(_Line._make, rows.values_list(*columns, *judgment)):
        kind, data = EntryKind(line.kind), line.data
        if kind is EntryKind.JUDGMENT:
            data |= {"question": line.question, "worker": line.worker, "answer": line.answer}
        records[line.image].append(
            (RecordEntry(line.sequence, kind, data, EntryContext.from_json(line.context)), line.version)
        )
    return records


BY_EXPERT = Cause.EXPERT.value


def expert_reasons(image_ids: Collection[int]) -> dict[tuple[int, int], str]:
    """Return the newest reason of each chain that an expert sent to review, by image id and name of the chain."""
    sent = Entry.objects.filter(image__in=image_ids, kind=EntryKind.EXPERT.value, data__action="review")
    rows = sent.exclude(reason="").order_by("sequence").values_list("image_id", "data__chain", "reason")
    return {(image, chain): reason for image, chain, reason in rows}


class Followed(NamedTuple):
    """The version that an image follows."""

    version: int
    settings: str
    """As JSON text."""
    learned: str | None
    """The key of what is learned with it."""


def versions_of_images(project_id: int, image_ids: Sequence[int]) -> dict[int, Followed]:
    """Return what each image of the project follows from its next entry on. A reader of its own: call it under lock."""
    versions = [VersionScope(*row) for row in _versions(project_id).values_list("version", "begun_from")]
    answered = Entry.objects.filter(image=OuterRef("image_id"), judgment__isnull=False)
    last = Entry.objects.filter(image=OuterRef("image_id"), sequence=OuterRef("sequence"))
    rows = Progress.objects.filter(image_id__in=image_ids).order_by()
    found = rows.values_list("image_id", Exists(answered), Subquery(last.values("settings_version")))
    numbers = {image: followed_version(versions, of if begun else None) for image, begun, of in found}
    wanted = _versions(project_id).filter(version__in=set(numbers.values()))
    followed = {row.version: row for row in map(Followed._make, wanted.values_list("version", AS_TEXT, "learned_id"))}
    return {image: followed[number] for image, number in numbers.items()}


def settings_of_image(project_id: int, image_id: int) -> Settings:
    """Return the settings under which the next entry of the image will be applied."""
    if all_follow_newest(project_id):
        return current_settings(project_id)[1]
    _, text, learned = versions_of_images(project_id, [image_id])[image_id]
    return read_version(text, learned)


def all_follow_newest(project_id: int) -> bool:
    """Tell whether no image of the project was left with an older version."""
    return _versions(project_id).order_by("-version").values_list("begun_from", flat=True)[0] is None


def _versions(project_id: int) -> QuerySet[SettingsVersion]:
    return SettingsVersion.objects.filter(project_id=project_id)


def left_behind(project_id: int) -> int:
    """Count the unmerged images that stay with an older version than the newest."""
    newest = _versions(project_id).order_by("-version").values_list("begun_from", flat=True)[0]
    if newest is None:
        return 0
    answered = Entry.objects.filter(image=OuterRef("image_id"), judgment__isnull=False)
    last = Entry.objects.filter(image=OuterRef("image_id"), sequence=OuterRef("sequence"))
    rows = Progress.objects.filter(Exists(answered), project_id=project_id).exclude(image__state=ImageState.MERGED)
    return rows.annotate(last=Subquery(last.values("settings_version"))).filter(last__lt=newest).count()


IMAGES_AT_ONCE = 100
TABLES = {
    "mentions": (Mention.objects.all(), "number", MENTIONS),
    "chains": (Chain.objects.all(), "name", CHAINS),
    "boxes": (Box.objects.all(), "number", BOXES),
    "questions": (Question.objects.exclude(state=QuestionState.CLOSED.value), "number", QUESTIONS),
    "merged": (MergedBox.objects.all(), "number", MERGED),
}
"""For each kind of row the stored ones, the column of its number or name, and the others."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One row or value that is stored otherwise than the record makes it."""

    image: str
    what: str
    stored: Any
    replayed: Any

    def __str__(self) -> str:
        return f"{self.image}: {self.what} is stored as {self.stored!r}, but the record makes it {self.replayed!r}"


def replay(project: Project, *, step: Callable[[], object] = lambda: None) -> Iterator[Difference]:
    """Yield every difference between the stored state and what the record makes. `step` is called after each image."""
    settings = all_settings(project.id)
    ids = list(project.images.order_by("position").values_list("id", flat=True))
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        part = ids[start : start + IMAGES_AT_ONCE]
        names = dict(Image.objects.filter(id__in=part).values_list("id", "name"))
        snapshots = dict(Progress.objects.filter(image_id__in=part).values_list("image_id", "state"))
        stored, records = stored_rows(part), read_records(part)
        for image in part:
            try:
                progress = replayed(records[image], settings)
            except Exception as error:
                yield Difference(names[image], "the record", "complete", f"not to be folded: {error!r}")
            else:
                yield from _compare(names[image], stored[image], snapshots[image], progress)
            step()


def replayed(record: Iterable[tuple[RecordEntry, int]], settings: dict[int, Settings]) -> ImageProgress:
    """Return the state that a record makes: entries in order, each with the number of its version of the settings."""
    entries = iter(record)
    first, version = next(entries)
    # An import acts under no settings; those of its version may be missing in a record that was made by hand.
    lines = [(first, compose(settings.get(version, Settings())))]
    return apply_record([*lines, *((entry, compose(settings[version])) for entry, version in entries)])


def stored_rows(images: list[int]) -> dict[int, TableRows]:
    """Return what the tables hold, in the shape of `image_rows`."""
    states = Image.objects.filter(id__in=images).values_list("id", "state")
    rows = {image: TableRows(state, {}, {}, {}, {}, {}) for image, state in states}
    for name, (queryset, key, table) in TABLES.items():
        found = queryset.filter(image_id__in=images).order_by()
        for image, number, *cells in found.values_list("image_id", key, *table.columns):
            getattr(rows[image], name)[number] = table.made(cells)
    return rows


def _compare(image: str, stored: TableRows, snapshot: Any, progress: ImageProgress) -> Iterator[Difference]:
    made = image_rows(progress)
    if stored.state != made.state:
        yield Difference(image, "the image's state", stored.state, made.state)
    for table in TABLES:
        there, wanted = getattr(stored, table), getattr(made, table)
        for key in sorted({*there, *wanted}):
            if there.get(key) != wanted.get(key):
                yield Difference(image, f"{table} {key}", there.get(key), wanted.get(key))
    if snapshot != to_json(progress):
        wrong = [name for name, value in to_json(progress).items() if snapshot.get(name) != value]
        yield Difference(image, f"the kept progress ({', '.join(wrong)})", snapshot, to_json(progress))
