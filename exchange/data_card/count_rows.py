"""Counts of an export, made in the database: images, captions, phrases, chains, boxes, and how they came about."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Min, QuerySet

from annotation.models import Box, Caption, Chain, Image, KnownBox, Mention, MergedBox
from annotation.rules.states import BoxState, ImageState, NonVisual
from pipeline.models import Entry
from pipeline.protocol.image.machine import EntryKind
from workers.models import Worker


@dataclass(slots=True)
class RowCounts:
    """The counts of all images that were added."""

    images: int = 0
    unfinished: int = 0
    """Images that are not merged: their chains and boxes may still change."""
    captions: int = 0
    phrases: int = 0
    by_type: Counter[str] = field(default_factory=Counter)
    """Phrases by type; one with several types counts in each."""
    chains: int = 0
    scenes: int = 0
    without_box: int = 0
    doubted: int = 0
    boxes: int = 0
    by_programs: int = 0
    """Accepted boxes that a program drew or proposed, before equal ones are merged ..."""
    accepted: int = 0
    """... and all accepted boxes."""
    imported: int = 0
    """Images whose chains came with the import."""
    category_boxes: int = 0
    """Boxes of the import that have a category and no chain."""
    experts: int = 0
    """Decisions of experts in the record."""
    entries: int = 0
    versions: Counter[int] = field(default_factory=Counter)
    """Entries of the record by the version of the settings that they were made under."""
    answered_from: datetime | None = None
    answered_to: datetime | None = None
    changed_at: datetime | None = None
    """The time of the record's last entry."""

    def add(self, ids: Sequence[int]) -> None:
        """Add the rows of these images; give some hundreds at a time, as databases bound the length of lists."""
        of = {"image_id__in": ids}
        for state, count in _by(Image.objects.filter(id__in=ids), "state"):
            self.images += count
            self.unfinished += count * (state != ImageState.MERGED.value)
        self.captions += Caption.objects.filter(**of).count()
        for types, count in _by(Mention.objects.filter(**of), "types"):
            self.phrases += count
            self.by_type.update({kind: count for kind in types})
        self._add_chains(ids)
        self._add_boxes(ids)
        self._add_record(ids)

    def _add_chains(self, ids: Sequence[int]) -> None:
        final = Chain.objects.filter(image_id__in=ids, merged_into=None)
        for kind, count in _by(final, "non_visual"):
            self.chains += count
            self.scenes += count * (kind == NonVisual.SCENE.value)
            self.without_box += count * (kind == NonVisual.NO_BOX.value)
        self.chains += Mention.objects.filter(image_id__in=ids, chain=None).count()  # each is a chain of its own
        self.doubted += final.exclude(doubted="").count()

    def _add_boxes(self, ids: Sequence[int]) -> None:
        merged = MergedBox.objects.filter(image_id__in=ids)
        accepted = Box.objects.filter(image_id__in=ids, state=BoxState.ACCEPTED.value)
        not_merged = accepted.exclude(image_id__in=merged.order_by().values("image_id"))
        for rows in (merged, not_merged):
            self.boxes += rows.order_by().values("image_id", "x0", "y0", "x1", "y1").distinct().count()
        self.accepted += accepted.count()
        self.by_programs += accepted.filter(drawn_by__kind=Worker.Kind.PROGRAM).count()
        self.category_boxes += KnownBox.objects.filter(image_id__in=ids, exported=True).count()

    def _add_record(self, ids: Sequence[int]) -> None:
        entries = Entry.objects.filter(image_id__in=ids)
        for kind, version, count in _by(entries, "kind", "settings_version"):
            self.entries += count
            self.versions[version] += count
            self.experts += count * (kind == EntryKind.EXPERT.value)
        self.imported += entries.filter(sequence=0, data__has_key="chains").count()
        answered = entries.filter(judgment__isnull=False).aggregate(
            low=Min("judgment__created_at"), high=Max("judgment__created_at")
        )
        self.answered_from = _outer(min, self.answered_from, answered["low"])
        self.answered_to = _outer(max, self.answered_to, answered["high"])
        self.changed_at = _outer(max, self.changed_at, entries.aggregate(last=Max("created_at"))["last"])


def _by(rows: QuerySet[Any], *columns: str) -> QuerySet[Any, Any]:
    """Return the number of rows for each combination of values in these columns."""
    return rows.order_by().values_list(*columns).annotate(Count("id"))


def _outer(choose: Callable[[list[datetime]], datetime], *moments: datetime | None) -> datetime | None:
    """Return the first or the last of these moments, as `choose` says; None if none is known."""
    found = [moment for moment in moments if moment is not None]
    return choose(found) if found else None
