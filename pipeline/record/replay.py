"""Replay: rebuild every image from its record alone, and report what is stored otherwise."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annotation.models import Box, Chain, Image, Mention, MergedBox, Project
from pipeline.models import Progress, Question
from pipeline.policies.compose import compose
from pipeline.project.settings_versions import all_settings
from pipeline.protocol.image.machine import RecordEntry
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import to_json
from pipeline.protocol.state.rows import BOXES, CHAINS, MENTIONS, MERGED, QUESTIONS, TableRows, image_rows
from pipeline.protocol.tasks.task import QuestionState
from pipeline.record.read_record import read_records
from pipeline.settings.settings import Settings

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
