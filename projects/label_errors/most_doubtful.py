"""The labels of a checked data set, the most doubtful first, each with its chances, boxes and reasons."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, F, QuerySet, Sum

from annotation.models import Image, Project
from annotation.rules.box import Box
from pipeline.checking.chances import link_view
from pipeline.checking.doubt import ExpectedWrong, LabelPart, LabelStatus, expected_of
from pipeline.checking.reasons import DoubtReason, Why, boxes_shown, reasons_of
from pipeline.models import LabelDoubt, Progress
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from projects.gallery.image_page import ShownBox, colour_class
from runtime.database import cached_read
from runtime.words import counted, number, percent
from workers.models import Worker


class CheckState(NamedTuple):
    """Labels of a checked data set as they are now."""

    source: str
    """The name of the data set as a program."""
    numbers: Mapping[tuple[str, str], int]
    """Labels by how they stand, and by the part that is most in doubt."""
    expected: ExpectedWrong

    def count(self, status: str = "", part: str = "") -> int:
        """Return the labels that stand so and whose part is most in doubt; empty: in any way."""
        return sum(
            count for (stands, what), count in self.numbers.items() if status in ("", stands) and part in ("", what)
        )

    @property
    def in_question(self) -> int:
        return self.count(LabelStatus.IN_QUESTION)

    @property
    def changed(self) -> int:
        return self.count(LabelStatus.CHANGED)

    @property
    def wrong(self) -> str:
        return _labels(self.expected.wrong)

    @property
    def interval(self) -> str:
        return f"{_labels(self.expected.low)} to {_labels(self.expected.high)}"

    @property
    def labels(self) -> int:
        return self.expected.labels


def _labels(expected: float) -> str:
    return number(expected, 1 if expected < 10 else 0)


def check_state(project: Project, source: int) -> CheckState:
    """Return the state of a project's check. `source`: the number of its data set as a program."""
    return cached_read(f"check:{project.pk}", lambda: read_state(project, source))


def read_state(project: Project, source: int) -> CheckState:
    """Return what `check_state` does, not kept from a moment ago."""
    rows = LabelDoubt.objects.filter(project=project).order_by().values("standing", "part")
    sums = list(rows.annotate(labels=Count("id"), total=Sum("doubt"), square=Sum(F("doubt") * F("doubt"))))
    total = sum(row["total"] for row in sums)
    variance = total - sum(row["square"] for row in sums)
    numbers = {(row["standing"], row["part"]): row["labels"] for row in sums}
    name = Worker.objects.values_list("name", flat=True).get(pk=source)
    return CheckState(name, numbers, expected_of(sum(numbers.values()), total, variance))


def describe_reason(reason: DoubtReason, progress: ImageProgress) -> str:
    """Return a reason as a sentence about the label. `progress`: of its image."""

    def phrase(number: int | None) -> str:
        return f"“{progress.mentions[number].text}”" if number in progress.mentions else "another phrase"

    own, other, share = phrase(reason.mention), phrase(reason.other), percent(reason.chance or 0, chance=True)
    count, programs = reason.number or 0, reason.programs or 0
    boxes = "no box" if count == 0 else counted(count, "box", "boxes")
    match reason.why:
        case Why.SOURCE:
            return "The data set has other phrases together."
        case Why.PROGRAM_LINKS:
            others = "Another program has" if programs == 1 else f"{programs} other programs have"
            return f"{others} other phrases together."
        case Why.ALIKE:
            return f"{other} of another chain may be the same as {own}: {share} likely."
        case Why.APART:
            return f"{own} and {other} may be two things: {share} likely one."
        case Why.PEOPLE_LINKS:
            return f"{_who(count, programs)} otherwise about its phrases."
        case Why.PROGRAM_NUMBER:
            return f"Another program found {counted(programs, 'box', 'boxes') if programs else 'no box'}, not {count}."
        case Why.PROGRAM_BOX:
            return f"{'A box is' if count == 1 else f'{count} boxes are'} not where another program found one."
        case Why.SAME_BOX:
            return f"{other} has the same box ({share} overlap)."
        case Why.INSIDE:
            return f"A box lies inside one of {other}, which has a type in common."
        case Why.NUMBER:
            return f"A chain like this rarely has {boxes}: {share} do."
        case Why.BAD:
            return f"{_who(count, programs)} that a box is bad."
        case Why.MISSING:
            return f"{_who(count, programs)} that a box is missing."
        case Why.NO_BOX:
            return f"{_who(count, programs)} that no box is needed."
        case Why.NEEDS_BOX:
            return f"{_who(count, programs)} that a box is needed."
        case Why.TYPE:
            return f"The dictionaries have {own} as {' or '.join(reason.types)}."


def _who(people: int, programs: int) -> str:
    """Return who answered, as the beginning of a sentence."""
    told = []
    if people:
        told.append("one person" if people == 1 else f"{people} people")
    if programs:
        told.append("a program" if programs == 1 else counted(programs, "program"))
    said = " and ".join(told)
    return f"{said[:1].upper()}{said[1:]} said"


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


def most_doubtful(project: Project, *, part: str = "", status: str = "") -> QuerySet[LabelDoubt]:
    """Select the labels, the most doubtful first: those whose part is most in doubt and that stand so; empty: all."""
    chosen = {name: value for name, value in (("part", part), ("standing", status)) if value}
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
