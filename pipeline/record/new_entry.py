"""New entries of the record, before they are appended."""

from dataclasses import dataclass, field
from typing import Any

from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.task import Task


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
