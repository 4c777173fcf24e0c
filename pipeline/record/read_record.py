"""Read the record of images: its entries in the form that the rules fold, and the reasons that experts gave."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any, NamedTuple

from pipeline.models import Entry
from pipeline.rules.entries.image_machine import EntryKind, RecordEntry
from pipeline.rules.progress.progress import Cause


class _Line(NamedTuple):
    image: int
    sequence: int
    kind: str
    version: int
    data: dict[str, Any]
    question: int | None
    worker: int | None
    answer: Any


def read_records(images: Collection[int]) -> dict[int, list[tuple[RecordEntry, int]]]:
    """Return the entries of the images in order, by image id, each with the number of its version of the settings."""
    records: dict[int, list[tuple[RecordEntry, int]]] = defaultdict(list)
    rows = Entry.objects.filter(image_id__in=images).order_by("image_id", "sequence")
    columns = ("image_id", "sequence", "kind", "settings_version", "data")
    judgment = ("judgment__question__number", "judgment__worker_id", "judgment__answer")
    for line in map(_Line._make, rows.values_list(*columns, *judgment)):
        kind, data = EntryKind(line.kind), line.data
        if kind is EntryKind.JUDGMENT:
            data |= {"question": line.question, "worker": line.worker, "answer": line.answer}
        records[line.image].append((RecordEntry(line.sequence, kind, data), line.version))
    return records


BY_EXPERT = Cause.EXPERT.value


def expert_reasons(image_ids: Collection[int]) -> dict[tuple[int, int], str]:
    """Return the newest reason of each chain that an expert sent to review, by image id and name of the chain."""
    sent = Entry.objects.filter(image__in=image_ids, kind=EntryKind.EXPERT.value, data__action="review")
    rows = sent.exclude(reason="").order_by("sequence").values_list("image_id", "data__chain", "reason")
    return {(image, chain): reason for image, chain, reason in rows}
