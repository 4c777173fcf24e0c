"""The page that shows scored phrases on their pictures."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from django.core.cache import cache
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404

from annotation.models import Image, Project
from annotation.rules.comparable import comparable
from annotation.rules.mention_type import MentionType
from evaluation.localization.queries import CLASSES
from projects.access import managers_only
from projects.evaluation.sides import read_file
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, search_field, show_table
from projects.models import Run

PER_PAGE = 24
KEPT_SECONDS = 600
EVALUATION = "begin_evaluation"
"""The operation that makes reports."""
LIST = "phrases.csv"
"""The table of a report that lists every scored phrase with its boxes."""


def reports_of(project: Project) -> QuerySet[Run]:
    """Select the evaluations of the project that are done."""
    return project.runs.filter(operation=EVALUATION, state=Run.State.DONE)


@managers_only("GET", surveys=False)
def overlays(request: HttpRequest, project: Project, evaluation_id: int) -> HttpResponseBase:
    """Show the phrases of a report on their pictures, at first the worst."""
    found = get_object_or_404(reports_of(project), pk=evaluation_id)
    listed = cache.get_or_set(f"evaluation-{found.pk}", lambda: read_file(found, LIST), KEPT_SECONDS)
    if listed is None:
        raise Http404("This report lists no phrases with boxes.")
    filters = OverlayFilter(request.GET)
    table = LongTable(
        "phrases",
        "phrase",
        COLUMNS,
        filters,
        "overlap",
        "The report scored no phrase.",
        fill=lambda rows: overlay_cards(project, rows),
        per_page=PER_PAGE,
    )
    by, is_down = table.order()
    rows = chosen(
        read_overlays(listed),
        verdict=filters.value("verdict"),
        kind=filters.value("type"),
        words=filters.value("words"),
    )
    rows.sort(key=attrgetter(by.sort), reverse=is_down)
    context = {"evaluation": found, "title": found.result.get("title", "")}
    return show_table(request, project, table, rows, "projects/evaluation/overlays.html", context)


@dataclass(frozen=True, slots=True)
class OverlayBox:
    """A box in pixels of the picture, as SVG draws it."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Overlay:
    """One scored phrase. `frame`: the model's first box, if it gave any. `verdict`: the class of the answer."""

    image: str
    caption: int
    words: str
    types: str
    verdict: str
    overlap: float
    gold: OverlayBox
    frame: OverlayBox | None


@dataclass(frozen=True, slots=True)
class OverlayCard:
    """An overlay with its picture, if the project still has the image."""

    overlay: Overlay
    image: Image | None


COLUMNS: tuple[ListColumn[OverlayCard], ...] = (
    ListColumn("image", lambda card: card.overlay.image, "image", sort="image"),
    ListColumn("caption", lambda card: card.overlay.caption),
    ListColumn("words", lambda card: card.overlay.words, "words", sort="words"),
    ListColumn("types", lambda card: card.overlay.types),
    ListColumn("verdict", lambda card: card.overlay.verdict, "answer", sort="verdict"),
    ListColumn("overlap", lambda card: round(card.overlay.overlap, 4), "overlap", sort="overlap"),
)


class OverlayFilter(TableFilter):
    """The fields of the list of phrases."""

    verdict = choice_field("Answer", [(name, name) for name in CLASSES])
    type = choice_field("Type", [(type_.value, type_.value) for type_ in MentionType])
    words = search_field("Words")


def read_overlays(table: bytes) -> list[Overlay]:
    """Return the phrases of a report's list, the lowest overlap first."""
    rows = csv.DictReader(io.StringIO(table.decode("utf-8")))
    return sorted(map(_overlay, rows), key=lambda one: (one.overlap, one.image, one.caption, one.words))


def chosen(overlays: Sequence[Overlay], *, verdict: str, kind: str, words: str) -> list[Overlay]:
    """Return the phrases of this class and type that hold these words; an empty filter takes all."""
    return [
        overlay
        for overlay in overlays
        if (not verdict or overlay.verdict == verdict)
        and (not kind or kind in overlay.types.split("/"))
        and comparable(words.split()).casefold() in comparable(overlay.words.split()).casefold()
    ]


def overlay_cards(project: Project, overlays: Sequence[Overlay]) -> list[OverlayCard]:
    """Return the phrases with their images, in one statement."""
    found = {
        object_.name: object_
        for object_ in Image.objects.filter(project=project, name__in={overlay.image for overlay in overlays})
    }
    return [OverlayCard(overlay, found.get(overlay.image)) for overlay in overlays]


def _overlay(row: dict[str, str]) -> Overlay:
    return Overlay(
        image=row["image"],
        caption=int(row["caption"]),
        words=row["words"].removeprefix("'"),
        types=row["types"],
        verdict=row["class"],
        overlap=float(row["overlap"] or 0),
        gold=_frame(row, "gold "),
        frame=_frame(row, "") if row["x0"] else None,
    )


def _frame(row: dict[str, str], prefix: str) -> OverlayBox:
    x0, y0, x1, y1 = (float(row[f"{prefix}{edge}"]) for edge in ("x0", "y0", "x1", "y1"))
    return OverlayBox(x0, y0, x1 - x0, y1 - y0)
