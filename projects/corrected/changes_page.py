"""The page Changes: what a check has changed, side by side; and what can be confirmed of it at the workbench."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.urls import reverse
from pydantic import Field

from accounts import events
from accounts.may import Action
from annotation.models import Image, Project
from pipeline.checking.changed_labels import ChangeDecision, confirms, label_rows
from pipeline.checking.kinds_of_error import ErrorKind
from pipeline.checking.label_evidence import ChainLabel, labels_now
from pipeline.protocol.tasks.flow import SETTLED
from projects.access import members_who, reviewers_only
from projects.corrected.changes import (
    CheckedImage,
    NothingCheckedError,
    SupportedChange,
    changes_of,
    corrected_source,
    decision_in_words,
    errors_of,
    found_by_names,
    found_in_words,
    image_ids,
    lines_of,
    names_of,
)
from projects.gallery.image_page import ShownBox, colour_class
from projects.operation import Corners, Output
from runtime.database import cached_read
from runtime.downloads import download
from runtime.words import percent

IRREVERSIBLE = frozenset({ErrorKind.TYPE, ErrorKind.PHRASE_MISSING, ErrorKind.PHRASE_EXTRA})
"""Kinds that experts alone have changed: undo takes them back."""


class CheckedLabels(Output):
    """Labels of a data set that is checked, which an expert can confirm or take back."""

    chains: list[int]
    kinds: list[str] = Field(default=[])
    """The ways in which they were wrong; empty: they are as they were."""
    labels: list[Any]
    """The labels now, in the form of the record."""
    before: list[Any] | None = None
    """The labels of the data set; null: they cannot be taken back."""
    texts: list[str] = Field(default=[])
    """The labels of the data set in words."""
    boxes: list[Corners] = Field(default=[])
    """All boxes that the data set has of them."""
    sources: list[str] = Field(default=[])
    """Those who found that they were wrong."""
    decision: str
    """Those who have decided about them; empty: nobody need."""


def checks_of(image: Image) -> list[CheckedLabels] | None:
    """Return the settled labels of an image, changed ones first in their order; None: nothing is checked in it."""
    try:
        (own,) = changes_of(image.project, [image.pk])
    except (NothingCheckedError, ValueError):
        return None
    return [*_changed(own), *_labels_now(own)]


def next_open(project: Project, image: Image, chain: int | None) -> str | None:
    """Return the address of the next change that no expert has confirmed, after this one; None: there is none.

    After a number of images without any it leads to the last of these, and the search goes on from there.
    """
    own = [name for name in _open(next(iter(changes_of(project, [image.pk])), None)) if name != chain]
    if own:
        return workbench_address(
            project, image.pk, next((number for number in own if chain is None or number > chain), own[0])
        )
    after = image_ids(project, after=image.position, most=MOST_READ)
    before = image_ids(project, most=MOST_READ - len(after)) if len(after) < MOST_READ else []
    others = [image_id for image_id in (*after, *before) if image_id != image.pk]
    for change in changes_of(project, others):
        for name in _open(change):
            return workbench_address(project, change.image, name)
    return workbench_address(project, others[-1], None) if len(after) == MOST_READ else None


def workbench_address(project: Project, image: int, chain: int | None) -> str:
    """Return the address of the workbench at a change, in the queue of changes."""
    query = urlencode({**({} if chain is None else {"chain": chain}), "changes": "yes"})
    return f"{reverse('projects:bench', args=[project.name, image])}?{query}"


def chain_at(image: CheckedImage, change: SupportedChange) -> int | None:
    """Return the first chain of a change; None: none has its phrases any more."""
    return min(_chains(image, change.decided.change.mentions), default=None)


def _open(image: CheckedImage | None) -> list[int]:
    """Return the first chain of each change that no expert has decided."""
    found = [chain_at(image, told) for told in image.changes if told.is_open] if image else []
    return sorted(name for name in found if name is not None)


def _changed(image: CheckedImage) -> Iterator[CheckedLabels]:
    for told in image.changes:
        change, decision = told.decided.change, told.decided.decision
        was = label_rows(change.before)
        now = label_rows(change.after)
        back = decision is not ChangeDecision.TAKEN_BACK and IRREVERSIBLE.isdisjoint(change.kinds)
        yield CheckedLabels(
            chains=sorted(_chains(image, change.mentions)),
            kinds=[kind.value for kind in change.kinds],
            labels=was if decision is ChangeDecision.TAKEN_BACK else now,
            before=was if back else None,
            texts=[_in_words(label, image) for label in change.before],
            boxes=[list(box) for label in change.before for box in label.boxes],
            sources=list(found_in_words(told)),
            decision=decision_in_words(told),
        )


def _labels_now(image: CheckedImage) -> Iterator[CheckedLabels]:
    """Yield the labels that are as they were."""
    changed = {number for told in image.changes for number in told.decided.change.mentions}
    open_ones = {
        number for chain in image.progress.chains.values() if chain.state not in SETTLED for number in chain.mentions
    }
    for label in labels_now(image.progress):
        if (changed | open_ones).isdisjoint(label.mentions):
            confirmed = any(confirms(act, [label]) for act in image.acts)
            yield CheckedLabels(
                chains=sorted(_chains(image, frozenset(label.mentions))),
                labels=label_rows([label]),
                decision=ChangeDecision.CONFIRMED.value if confirmed else "",
            )


def _chains(image: CheckedImage, mentions: frozenset[int]) -> list[int]:
    return [chain.name for chain in image.progress.chains.values() if mentions.intersection(chain.mentions)]


def _in_words(label: ChainLabel, image: CheckedImage) -> str:
    phrases = " · ".join(dict.fromkeys(image.phrases.get(mention, "?") for mention in label.mentions))
    boxes = f"{len(label.boxes)} box{'' if len(label.boxes) == 1 else 'es'}"
    return f"{phrases}: {label.flag or boxes}"


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
"""Images that are read for a page, or looked through for the next change."""
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
    def of(cls, query: QueryDict) -> ChangeFilters:
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
