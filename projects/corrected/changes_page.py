"""The page Changes: what a check has changed, before and after side by side; and changes.jsonl."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render

from accounts import events
from accounts.may import Action
from annotation.models import Image, Project
from pipeline.checking.kinds_of_error import ErrorKind
from pipeline.checking.label import ChainLabel
from pipeline.checking.word_of_expert import ChangeDecision
from projects.access import members_who, reviewers_only
from projects.corrected.change_rows import decision_in_words, errors_of, found_by_names, lines_of, names_of
from projects.corrected.changes import (
    CheckedImage,
    NothingCheckedError,
    SupportedChange,
    changes_of,
    corrected_source,
    image_ids,
)
from projects.corrected.confirm import chain_at, workbench_address
from projects.gallery.shown_boxes import ShownBox, colour_class
from runtime.database import cached_read
from runtime.downloads import download
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


CHANGES_PER_PAGE = 12
"""Changes of a page; those of one image stay together."""
MOST_READ = 400
"""Images that are read for a page."""
MOST_COUNTED = 1000
"""Images that are read for the counts; those of larger projects are about their first images."""
readers_of_changes = members_who(Action.READ_RECORD, "download the changes, which say how each worker answered")


@dataclass(frozen=True, slots=True)
class ChangeFilters:
    """The choice of a visitor; what is empty chooses nothing."""

    kind: str = ""
    state: str = ""
    after: int = -1
    """The place of the last image of the page before."""

    @classmethod
    def of(cls, query: QueryDict) -> "ChangeFilters":
        """Read the choice from an address. A value that is not offered counts as none."""
        kind, state, after = (query.get(name, "") for name in ("kind", "state", "after"))
        return cls(
            kind if kind in set(ErrorKind) else "",
            state if state in set(ChangeDecision) else "",
            int(after) if after.isdecimal() and len(after) < 10 else -1,
        )

    @property
    def query(self) -> dict[str, str]:
        """Return the filters as the parameters of an address."""
        return {name: value for name, value in (("kind", self.kind), ("state", self.state)) if value}

    def chosen(self, change: SupportedChange) -> bool:
        return self.kind in ("", *change.decided.change.kinds) and self.state in ("", change.decided.decision)


class ChangeCounts(NamedTuple):
    """Counts of changes and labels."""

    kinds: dict[str, int]
    states: dict[str, int]
    changes: int
    """Those that stand."""
    same: int
    """The labels that are as they were, those that were taken back among them."""
    in_question: int
    images: int
    """The images that were counted."""
    every: int
    """All images of the data set."""


@reviewers_only("GET", surveys=False)
def changes(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the changes, those of the first images first."""
    try:
        corrected_source(project)
    except NothingCheckedError:
        return render(request, "projects/label_errors/nothing.html", {"project": project}, status=404)
    filters, counts = (
        ChangeFilters.of(request.GET),
        cached_read(f"changes:{project.pk}", lambda: count_changes(project)),
    )
    ids = image_ids(project, after=filters.after, most=MOST_READ + 1)
    images = list(_enough(changes_of(project, ids[:MOST_READ]), filters))
    told = [(image, change) for image in images for change in image.changes if filters.chosen(change)]
    last = images[-1].position if images and len(images) < len(ids) else None
    shown = shown_changes(project, told)
    context = {
        "project": project,
        "counts": counts,
        "changes": shown,
        "chosen": filters,
        "kinds": [(kind.value, counts.kinds.get(kind.value, 0)) for kind in ErrorKind],
        "states": [(decision.value, counts.states.get(decision.value, 0)) for decision in ChangeDecision],
        "filters": urlencode(filters.query),
        "next": None if last is None else urlencode({**filters.query, "after": last}),
        "start": next((change.address for change in shown if change.is_open), None),
    }
    return render(request, "projects/label_errors/changes.html", context)


@readers_of_changes("GET", surveys=False)
def changes_file(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Send the changes, one JSON object a line: the bytes that the command writes."""
    try:
        corrected_source(project)
    except NothingCheckedError:
        return render(request, "projects/label_errors/nothing.html", {"project": project}, status=404)
    events.record(events.Kind.EXPORT, f"changes of {project.name}")
    return download(lines_of(project), f"{project.name}-changes.jsonl", "application/jsonl")


def count_changes(project: Project) -> ChangeCounts:
    """Count the changes of the first images by kind and state, and the labels that are as they were."""
    every = image_ids(project)
    kinds: Counter[str] = Counter()
    states: Counter[str] = Counter()
    same = in_question = 0
    ids = every[:MOST_COUNTED]
    for image in changes_of(project, ids):
        same, in_question = same + image.same, in_question + image.in_question
        for told in image.changes:
            kinds.update(kind.value for kind in told.decided.change.kinds)
            states[told.decided.decision.value] += 1
    stand = sum(states.values()) - states[ChangeDecision.TAKEN_BACK.value]
    return ChangeCounts(dict(kinds), dict(states), stand, same, in_question, len(ids), len(every))


def _enough(images: Iterator[CheckedImage], filters: ChangeFilters) -> Iterator[CheckedImage]:
    """Yield images until a page is full."""
    found = 0
    for image in images:
        yield image
        found += sum(map(filters.chosen, image.changes))
        if found >= CHANGES_PER_PAGE:
            return
