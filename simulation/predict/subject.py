"""One image as a prediction sees it: its phrases, and what is known of its chains and boxes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeVar

from annotation.rules.states import NonVisual
from annotation.rules.transitivity import LinkMention
from pipeline.checking.label import ChainLabel, labels_of_source
from pipeline.checking.label_evidence import same_boxes
from pipeline.protocol.image.machine import EntryKind, RecordEntry
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import ImageProgress
from pipeline.settings.settings import Settings
from simulation.spoiled_image import undo
from simulation.view import TrueChain, TrueImage


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


V = TypeVar("V")
SOURCE = 10**9 - 2
"""The number of the source in a forecast: those of simulated workers begin at 0."""


def renumbered(settings: Settings) -> Settings:
    """Return the settings of a project in which the source has the number `SOURCE`; others as they are."""
    if not settings.reference_set:
        return settings
    before, after, known = str(settings.reference_set), str(SOURCE), settings.learned
    boxes = replace(known.boxes, programs=_renamed(known.boxes.programs, before, after))
    learned = replace(known, programs=_renamed(known.programs, before, after), boxes=boxes)
    return replace(settings, reference_set=SOURCE, pre_annotations=True, learned=learned)


def _renamed(values: Mapping[str, V], before: str, after: str) -> dict[str, V]:
    return {after if name == before else name: value for name, value in values.items()}


def labels_of_source_image(subject: Subject) -> list[ChainLabel]:
    """Return the labels of an image as its source has them; none without a source."""
    said = subject.source_labels
    if said is None:
        return []
    there = [mention.number for mention in subject.mentions]
    return labels_of_source(said["boxes"], said.get("chains", ()), said.get("flags", {}), there)


def draw_truth(subject: Subject, wrong: float, draw: Random) -> TrueImage:
    """Return what may be true of an image if this share of its source's labels is wrong, 0 to 1.

    The errors are of the kinds and in the shares that audits report, at places that chance draws.
    """
    labels = labels_of_source_image(subject)
    placed = {number for label in labels for number in label.mentions}
    left = [ChainLabel((mention.number,), ()) for mention in subject.mentions if mention.number not in placed]
    chains = tuple(
        TrueChain(str(place), label.mentions, label.flag == NonVisual.SCENE.value, label.boxes)
        for place, label in enumerate([*labels, *left])
    )
    return undo(TrueImage(subject.key, subject.width, subject.height, chains), subject.mentions, draw, wrong)


def waiting(progress: ImageProgress) -> set[int]:
    """Return the mentions about which an expert has yet to decide."""
    return {number for chain in progress.chains.values() if chain.review is not None for number in chain.mentions}


def right_in(truth: TrueImage, labels: Sequence[ChainLabel], waits: Collection[int] = ()) -> list[bool]:
    """Tell of each true chain whether a label has exactly its mentions and its boxes, each at an IOU of 0.5.

    `waits`: mentions about which an expert has yet to decide; they make no label right.
    """
    boxes_of = {label.mentions: label.boxes for label in labels if not set(waits).intersection(label.mentions)}
    found = [boxes_of.get(tuple(sorted(chain.mentions))) for chain in truth.chains]
    return [
        boxes is not None and same_boxes(boxes, chain.boxes) for boxes, chain in zip(found, truth.chains, strict=True)
    ]
