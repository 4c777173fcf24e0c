"""The labels of a checked data set, the most doubtful first, each with its chances, boxes and reasons."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import Image, Project
from annotation.rules.box import Box
from pipeline.checking.chances import link_view
from pipeline.checking.doubt import LabelPart
from pipeline.checking.reasons import DoubtReason, boxes_shown, reasons_of
from pipeline.models import LabelDoubt, Progress
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress_json import from_json
from projects.gallery.shown_boxes import ShownBox, colour_class
from projects.label_errors.reasons_in_words import describe_reason
from runtime.words import counted, percent

NAMES = {
    (LabelPart.MENTIONS, True): "Phrases right",
    (LabelPart.MENTIONS, False): "Phrases right",
    (LabelPart.BOXES, True): "Boxes right",
    (LabelPart.FLAG, True): "Needs boxes",
    (LabelPart.FLAG, False): "Needs none",
}
"""The names of the chances of parts, of labels with and without boxes."""


@dataclass(frozen=True, slots=True)
class DoubtfulLabel:
    """One label, with all that is shown of it."""

    row: LabelDoubt
    image: Image
    mentions: list[int]
    """Numbers, in reading order."""
    texts: list[str]
    """Of the mentions."""
    boxes: list[Box]
    non_visual: str
    """The reason for having no box, by its source or the answers; empty: nothing is said."""
    reasons: list[tuple[DoubtReason, str]]
    """Each with its words."""

    @property
    def lines(self) -> list[tuple[str, str, list[str]]]:
        """The parts that can be wrong, the most doubtful first: a name, the chance to be right, reasons in words."""
        chances = {part: float(getattr(self.row, part.value)) for part in LabelPart}
        said = {part: [words for reason, words in self.reasons if reason.part is part] for part in LabelPart}
        parts = [part for part in LabelPart if part is not LabelPart.BOXES or self.boxes]
        return [
            (NAMES[part, bool(self.boxes)], percent(chances[part], chance=True), said[part])
            for part in sorted(parts, key=chances.__getitem__)
        ]

    @property
    def phrases(self) -> list[str]:
        """The different phrases of its mentions."""
        return list(dict.fromkeys(self.texts))

    @property
    def doubt(self) -> str:
        return percent(self.row.doubt, chance=True)

    @property
    def shown(self) -> list[ShownBox]:
        return [ShownBox(*box[:2], box.x1 - box.x0, box.y1 - box.y0, [], colour_class(1)) for box in self.boxes]

    @property
    def alternative(self) -> str:
        """Return the picture in words for who does not see it."""
        return f"{self.image.name}, {counted(len(self.boxes), 'box', 'boxes')} of this label"


def most_doubtful(project: Project, *, part: str = "", standing: str = "") -> QuerySet[LabelDoubt]:
    """Select the labels, the most doubtful first: those whose part is most in doubt and that stand so; empty: all."""
    chosen = {name: value for name, value in (("part", part), ("standing", standing)) if value}
    return LabelDoubt.objects.filter(project=project, **chosen).order_by("-doubt", "id")


def describe_labels(project: Project, rows: Iterable[LabelDoubt]) -> list[DoubtfulLabel]:
    """Return these labels, in their order, with what is shown of them, in a fixed number of statements."""
    wanted = list(rows)
    ids = {row.image_id for row in wanted}
    images = Image.objects.in_bulk(ids)
    states = {image: from_json(state) for image, state in _states(ids)}
    settings = current_settings(project.pk)[1]
    dictionaries = settings.edited_dictionaries()
    links = {image: link_view(progress, settings) for image, progress in states.items()}
    found = []
    for row in wanted:
        progress = states[row.image_id]
        chains = [chain for chain in progress.chains.values() if row.chain in (chain.name, chain.merged_into)]
        if not chains:
            continue  # somebody has answered meanwhile
        reasons = reasons_of(progress, settings, row.chain, dictionaries, links[row.image_id])
        mentions = progress.reading_order([number for chain in chains for number in chain.mentions])
        flags = [chain.non_visual for chain in chains] + [
            progress.mentions[number].reference_flag for number in mentions
        ]
        boxes = sorted({box for chain in chains for box in boxes_shown(progress, chain, settings)})
        found.append(
            DoubtfulLabel(
                row=row,
                image=images[row.image_id],
                mentions=mentions,
                texts=[progress.mentions[number].text for number in mentions],
                boxes=boxes,
                non_visual="" if boxes else next(filter(None, flags), ""),
                reasons=[(reason, describe_reason(reason, progress)) for reason in reasons],
            )
        )
    return found


def _states(ids: Iterable[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    return iter(Progress.objects.filter(image_id__in=list(ids)).values_list("image_id", "state"))
