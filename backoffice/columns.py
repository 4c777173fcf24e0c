"""Columns, links, filters and form fields that admin pages share."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.db.models import Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget

from annotation.models import Caption, Chain, Image, Project
from annotation.rules.states import BoxState
from pipeline.project.queries import NotAskedError, refuse_others
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.task import Task
from platforms.registry import PLATFORMS
from platforms.settling.worker_money import amount
from workers.rules.signals.signal import SignalKind

TASKS = [(task.value, task.label) for task in Task]


def refuse_tasks(form: forms.BaseForm, field: str, values: dict[str, Any]) -> None:
    """Add an error to the field if it names a task that the chosen project does not ask."""
    project, named = values.get("project"), values.get(field) or []
    if project is None:
        return
    try:
        refuse_others(project, [named] if isinstance(named, str) else named)
    except NotAskedError as error:
        form.add_error(field, str(error))


def project_field(**options: Any) -> forms.ModelChoiceField:
    """Return a choice among the projects, by name."""
    return forms.ModelChoiceField(Project.objects.order_by("name"), widget=UnfoldAdminSelectWidget, **options)


def choice_field(choices: list[tuple[str, str]], **options: Any) -> forms.ChoiceField:
    """Return a choice in the theme's look."""
    return forms.ChoiceField(choices=choices, widget=UnfoldAdminSelectWidget, **options)


class NumberedSelect(AutocompleteSelect):
    """A choice that is searched for by name. What was sent and is not a number is not looked up among the ids."""

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        return super().optgroups(
            name, [choice for choice in value if not choice or number_in(str(choice)) is not None], attr
        )


def number_in(text: str) -> int | None:
    """Return the id that a parameter of an address or a form names; None if it names none that a table can have."""
    return int(text) if text.isdecimal() and len(text) < 19 else None


def anchor(url: str, text: str) -> SafeString:
    """Return a link in the theme's link colour; the theme shows a bare `<a>` as plain text."""
    return format_html('<a class="text-primary-600 dark:text-primary-500" href="{}">{}</a>', url, text)


def page_of(model: type[Model], pk: Any, text: str) -> SafeString:
    """Return a link to the admin page of one row."""
    return anchor(reverse(f"admin:{_path_name(model)}_change", args=[pk]), text)


def list_of(model: type[Model], text: str, filters: dict[str, Any]) -> SafeString:
    """Return a link to the model's admin list, narrowed by `filters`."""
    return anchor(f"{reverse(f'admin:{_path_name(model)}_changelist')}?{urlencode(filters)}", text)


def _path_name(model: type[Model]) -> str:
    return model._meta.label_lower.replace(".", "_")


def gallery_url(name: str, *args: Any) -> str:
    """Return an address of the gallery, or "" where the service runs without the gallery."""
    try:
        return reverse(f"gallery:{name}", args=args)
    except NoReverseMatch:
        return ""


Column = Callable[[Any], Any]

COLOURS = {
    **{"planned": "info", "sent": "warning", "done": "success", "refused": "danger"},
    **{"open": "success", "ending": "warning", "ended": "default"},
    **{"finished": "info", "left": "default"},
    **{"submitted": "warning", "approved": "success", "rejected": "danger", "returned": "default"},
}


def row_link(field: str) -> Column:
    """Return a column that links to the row a foreign key names. The list must select the relation."""

    @admin.display(description=field.replace("_", " "), ordering=field)
    def column(row: Any) -> SafeString | str:
        other = getattr(row, field)
        return page_of(type(other), other.pk, str(other)) if other else "-"

    return column


def chain_pk(name: str = "chain") -> Subquery:
    """Return a subquery for the id of the chain that the row's field names, within the row's image."""
    return Subquery(Chain.objects.filter(image=OuterRef("image"), name=OuterRef(name)).values("pk")[:1])


def pretty(field: str) -> Column:
    """Return a column that shows a JSON field over several lines."""

    @admin.display(description=field)
    def column(row: Any) -> SafeString:
        text = json.dumps(getattr(row, field), indent=1, ensure_ascii=False)
        return format_html('<pre class="overflow-auto" style="max-height: 30rem">{}</pre>', text)

    return column


def wrapped(field: str) -> Column:
    """Return a column whose long words, such as file names, are broken on narrow screens."""

    @admin.display(description=field.replace("_", " "))
    def column(row: Any) -> SafeString:
        return format_html('<span style="overflow-wrap: anywhere">{}</span>', getattr(row, field) or "-")

    return column


def label(field: str, description: str = "") -> Column:
    """Return a column with the field's value on a coloured label."""

    @display(description=description or field, ordering=field, label=COLOURS)
    def column(row: Any) -> str:
        return getattr(row, field) or "-"

    return column


def money(field: str, description: str) -> Column:
    """Return a column that shows cents as an amount."""

    @admin.display(description=description, ordering=field)
    def column(row: Any) -> str:
        return amount(getattr(row, field))

    return column


def acted_on(words: str, address: Callable[[Any], str]) -> Column:
    """Return a field that leads to the requesters' page on which one acts on such rows. `words`: the page's name."""

    @admin.display(description="what one can do")
    def column(row: Any) -> SafeString:
        return format_html("On the page {}.", anchor(address(row), words))

    return column


def platform_page(words: str, page: str, offer: Callable[[Any], Any]) -> Column:
    """Return such a field for rows of recruiting. `offer` leads from a row to what names its project and platform."""

    def address(row: Any) -> str:
        place = offer(row)
        return reverse(page, args=[place.project.name, place.platform])

    return acted_on(words, address)


def worker_page(row: Any) -> str:
    """Return the address of the requesters' page of the row's worker in the row's project."""
    return reverse("projects:worker", args=[row.project.name, row.worker_id])


class ValueFilter(admin.SimpleListFilter):
    """Rows whose field `parameter_name` has the chosen one of `values`."""

    values: tuple[tuple[str, str], ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> tuple[tuple[str, str], ...]:
        return self.values

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        # An unknown value in an address typed by hand finds nothing, as it should.
        return queryset.filter(**{str(self.parameter_name): self.value()}) if self.value() else queryset


class EntryKindFilter(ValueFilter):
    title = parameter_name = "kind"
    values = tuple((kind.value, kind.value) for kind in EntryKind)


class MachineFilter(ValueFilter):
    title = parameter_name = "machine"
    values = tuple((machine, machine) for machine in ("image", "chain", "question", "box"))


class SignalKindFilter(ValueFilter):
    title = parameter_name = "kind"
    values = tuple((kind.value, kind.value) for kind in SignalKind)


class TaskFilter(ValueFilter):
    title = parameter_name = "task"
    values = tuple((task.value, task.label) for task in Task)


def platform_filter(path: str = "platform") -> type[ValueFilter]:
    """Return a filter by platform; `path` leads from the row to the platform's name."""
    values = tuple((name, name) for name in sorted(PLATFORMS))
    return type("PlatformFilter", (ValueFilter,), {"title": "platform", "parameter_name": path, "values": values})


SHOWN_COLOR, NEW_BOX_COLOR, MISSING_BOX_COLOR = "#2563eb", "#d97706", "#15803d"
STATE_COLOURS = {
    BoxState.ACCEPTED.value: "#15803d",
    BoxState.PENDING.value: "#d97706",
    BoxState.DISCARDED.value: "#b91c1c",
}
STYLE = "display: block; margin-bottom: 0.5rem; background: #e5e7eb; width: min(30rem, 75vw); max-height: 30rem"
RECTANGLE = (
    '<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="{}" stroke-width="2" '
    'vector-effect="non-scaling-stroke"><title>{}</title></rect>'
)


class Rectangle(NamedTuple):
    """A box to draw: its edges in pixels, its colour, and what the pointer shows over it."""

    x0: int
    y0: int
    x1: int
    y1: int
    colour: str
    title: str


def drawing(image: Image, rectangles: Iterable[Rectangle]) -> SafeString:
    """Return the image, small, with the rectangles over it."""
    pixels = gallery_url("picture", image.pk, "thumbnail") if image.picture else ""
    picture = format_html('<image href="{}" width="{}" height="{}"/>', pixels, image.width, image.height)
    shapes = ((r.x0, r.y0, r.x1 - r.x0, r.y1 - r.y0, r.colour, r.title) for r in rectangles)
    return format_html(
        '<svg viewBox="0 0 {} {}" role="img" aria-label="boxes" style="{}">{}{}</svg>',
        image.width,
        image.height,
        STYLE,
        picture if pixels else "",
        format_html_join("", RECTANGLE, shapes),
    )


def image_drawing(image: Image) -> SafeString:
    """Return the image with its boxes in the colours of their states, a legend, and a link to the gallery."""
    boxes = image.boxes.all()
    rectangles = (
        Rectangle(b.x0, b.y0, b.x1, b.y1, STATE_COLOURS[b.state], f"box {b.number}, chain {b.chain}, {b.state}")
        for b in boxes
    )
    names = ((colour, state) for state, colour in STATE_COLOURS.items())
    legend = format_html_join(", ", '<span style="color: {}">{}</span>', names)
    page = gallery_url("image", image.project.name, image.pk)
    if page:
        legend = format_html("{} &middot; {}", legend, anchor(page, "in the gallery"))
    return format_html("{}{}", drawing(image, rectangles), legend)


def question_drawing(image: Image, shown: dict[str, Any], truth: Any = None) -> SafeString:
    """Return the image with the boxes that a question shows, the box to judge, and, if `truth` is a list of boxes,
    the missing boxes.
    """
    groups = [
        (SHOWN_COLOR, "shown", shown["boxes"]),
        (NEW_BOX_COLOR, "to judge", [shown["new_box"]] if shown["new_box"] else []),
    ]
    groups.append((MISSING_BOX_COLOR, "missing", truth if isinstance(truth, list) else []))
    rectangles = (
        Rectangle(x0, y0, x1, y1, colour, title) for colour, title, boxes in groups for x0, y0, x1, y1 in boxes
    )
    counts = ((colour, f"{len(boxes)} {title}") for colour, title, boxes in groups if boxes)
    legend = format_html_join(" ", '<span style="color: {}">&#9632;</span> {}', counts)
    return format_html("{}<div>{}</div>", drawing(image, rectangles), legend)


def phrases_of(image_id: int, shown: dict[str, Any]) -> SafeString:
    """Return the captions with the marked phrases in bold, one a line; of a survey, its caption or its atom."""
    if "survey" in shown:
        asked = shown["survey"]
        return format_html("{}", asked["caption"] if "caption" in asked else f"{asked['atom']} ({asked['category']})")
    marked: dict[int, list[tuple[int, int]]] = {}
    for _, caption, start, end in shown["mentions"]:
        marked.setdefault(caption, []).append((start, end))
    captions = Caption.objects.filter(image=image_id, number__in=marked).order_by("number")
    lines = ((_marked(caption.words, sorted(marked[caption.number])),) for caption in captions)
    return format_html_join(SafeString("<br>"), "{}", lines)


def _marked(words: list[str], spans: list[tuple[int, int]]) -> SafeString:
    parts, place = [], 0
    for start, end in spans:
        parts += [(" ".join(words[place:start]), " ".join(words[start:end]))]
        place = end
    before = format_html_join(" ", "{} <strong>{}</strong>", parts)
    return format_html("{} {}", before, " ".join(words[place:]))
