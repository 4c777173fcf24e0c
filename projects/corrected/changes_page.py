"""The page Changes: what a check has changed, before and after side by side; and changes.jsonl."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render

from accounts import events
from accounts.may import Action
from annotation.models import Project
from pipeline.checking.kinds_of_error import ErrorKind
from pipeline.checking.word_of_expert import ChangeDecision
from projects.access import members_who, reviewers_only
from projects.corrected.change_rows import lines_of
from projects.corrected.changes import (
    CheckedImage,
    NothingCheckedError,
    SupportedChange,
    changes_of,
    corrected_source,
    image_ids,
)
from projects.corrected.shown_change import shown_changes
from runtime.downloads import download
from runtime.slow_reads import cached_read

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
