"""An exported record, read back: exports show the context of an entry among its data."""

from collections.abc import Mapping
from typing import Any

from exchange.jsonl.shown_context import LENT, SHOWN
from pipeline.protocol.context import Context
from pipeline.protocol.image.machine import EntryKind, RecordEntry

NAMES = {shown: name for name, shown in SHOWN.items()} | {LENT: "on_loan"}


def entry_of(sequence: int, kind: str, exported: Mapping[str, Any]) -> RecordEntry:
    """Return the entry that is exported with these data."""
    data = {name: value for name, value in exported.items() if name not in NAMES}
    facts = {NAMES[name]: value for name, value in exported.items() if name in NAMES}
    return RecordEntry(sequence, EntryKind(kind), data, Context.from_json(facts))
