"""Changes as the page shows them: two pictures with their boxes, the labels before and after, and who found it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.models import Image, Project
from pipeline.checking.label import ChainLabel
from projects.corrected.change_rows import errors_of
from projects.corrected.changes import CheckedImage, SupportedChange
from projects.corrected.confirm import chain_at, workbench_address
from projects.corrected.who_found import decision_in_words, found_by_names, names_of
from projects.gallery.shown_boxes import ShownBox, colour_class
from runtime.words import percent


@dataclass(frozen=True, slots=True)
class ShownLabel:
    """A label, with the number and the colour of its boxes in the picture."""

    number: int
    colour: str
    phrases: list[str]
    flag: str
    boxes: int


@dataclass(frozen=True, slots=True)
class ChangeSide:
    """The labels before or after, and their boxes."""

    name: str
    labels: list[ShownLabel]
    boxes: list[ShownBox]

    @property
    def alternative(self) -> str:
        """Return the picture in words for who does not see it."""
        return f"{self.name}: {len(self.boxes)} box{'' if len(self.boxes) == 1 else 'es'}"


@dataclass(frozen=True, slots=True)
class ShownChange:
    """One change."""

    image: Image
    address: str
    """Of the workbench at this change."""
    kinds: list[str]
    errors: list[str]
    sides: list[ChangeSide]
    overlaps: list[str]
    types: list[str]
    found: list[str]
    """Those who found it, in words."""
    confidence: str
    decision: str
    is_open: bool


def shown_changes(project: Project, changes: Iterable[tuple[CheckedImage, SupportedChange]]) -> list[ShownChange]:
    """Return these changes as they are shown, with two statements."""
    chosen = list(changes)
    rows = Image.objects.in_bulk({image.image for image, _ in chosen})
    workers = names_of(change for _, change in chosen)
    return [_shown(project, rows[image.image], image, change, workers) for image, change in chosen]


def _shown(
    project: Project, row: Image, image: CheckedImage, supported: SupportedChange, workers: Mapping[int, str]
) -> ShownChange:
    change = supported.decided.change
    types = [
        f"{image.phrases[type_.mention]}: {', '.join(type_.before)} → {', '.join(type_.after)}"
        for type_ in change.types
    ]
    return ShownChange(
        image=row,
        address=workbench_address(project, row.pk, chain_at(image, supported)),
        kinds=[kind.value for kind in change.kinds],
        errors=[error.value for error in errors_of(change)],
        sides=[_side("Before", change.before, image), _side("After", change.after, image)],
        overlaps=[f"{box.iou:.2f} ({box.kind})" for box in change.boxes if box.iou is not None],
        types=types,
        found=list(found_by_names(supported, workers)),
        confidence=_confidence(supported),
        decision=decision_in_words(supported),
        is_open=supported.is_open,
    )


def _side(name: str, labels: Sequence[ChainLabel], image: CheckedImage) -> ChangeSide:
    shown, boxes = [], []
    for number, label in enumerate(labels, start=1):
        phrases = list(dict.fromkeys(image.phrases.get(mention, "?") for mention in label.mentions))
        colour = colour_class(number)
        shown.append(ShownLabel(number, colour, phrases, label.flag, len(label.boxes)))
        boxes += [ShownBox(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0, [number], colour) for box in label.boxes]
    return ChangeSide(name, shown, boxes)


def _confidence(change: SupportedChange) -> str:
    named = (("phrases", change.mentions), ("boxes", change.boxes))
    return ", ".join(f"{name} {percent(chance, chance=True)}" for name, chance in named if chance is not None)
