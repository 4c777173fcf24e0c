"""One image as a prediction sees it: its phrases, and what is known of its chains and boxes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.rules.transitivity import LinkMention
from pipeline.protocol.image.machine import EntryKind, RecordEntry
from pipeline.protocol.state.mention_progress import MentionProgress
from simulation.view import TrueImage


@dataclass(frozen=True, slots=True)
class Subject:
    """One image. Width and height are in pixels."""

    key: str
    width: int
    height: int
    mentions: tuple[MentionProgress, ...]
    known: TrueImage | None = None
    """Its chains and boxes, where they are known: from gold, or because the image is finished."""
    from_gold: bool = True
    """The known truth is gold. Else workers found it, and links found no chain that they cannot make."""
    source_labels: Mapping[str, Any] | None = None
    """In a checked project, what the source says of it, as it is in an entry."""

    def for_links(self) -> list[LinkMention]:
        return [mention.for_links() for mention in self.mentions]

    def first_entry(self) -> RecordEntry:
        """Return the entry with which a record of this image begins."""
        rows: list[list[Any]] = [
            [
                *(mention.number, mention.caption, mention.start, mention.end, list(mention.types), mention.text),
                *(mention.before, mention.vector, mention.form, mention.sentence),
            ]
            for mention in self.mentions
        ]
        return RecordEntry(0, EntryKind.IMPORT, {"mentions": rows})
