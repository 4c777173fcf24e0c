"""An exported record, read back: exports show the context of an entry among its data."""

from collections.abc import Mapping
from typing import Any

from pipeline.protocol.image.machine import EntryKind, RecordEntry
from pipeline.protocol.rules import EntryContext

FACTS = frozenset(EntryContext._fields)


def entry_of(sequence: int, kind: str, exported: Mapping[str, Any]) -> RecordEntry:
    """Return the entry that is exported with these data."""
    data = {name: value for name, value in exported.items() if name not in FACTS}
    facts = {name: value for name, value in exported.items() if name in FACTS}
    return RecordEntry(sequence, EntryKind(kind), data, EntryContext.from_json(facts))
