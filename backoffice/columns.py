"""Columns that the admin's lists and pages share."""

import json
from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from annotation.models import Chain
from backoffice.links import anchor, page_of
from platforms.settling.worker_money import amount

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


@admin.display(description="task", ordering="task")
def task_name(row: Any) -> str:
    """Show the row's task with spaces instead of underscores."""
    return row.task.replace("_", " ")  # type: ignore[no-any-return]


def chain_pk(name: str = "chain") -> Subquery:
    """Return a subquery for the id of the chain that the row's field names, within the row's image."""
    return Subquery(Chain.objects.filter(image=OuterRef("image"), name=OuterRef(name)).values("pk")[:1])


@admin.display(description="chain", ordering="chain")
def chain_link(row: Any) -> SafeString | str:
    """Link to the chain that a row names; the rows need `chain_pk` as an annotation."""
    if row.chain is None:
        return "-"
    # A chain that became part of another, or was split, is gone; the row still has its name.
    return page_of(Chain, row.chain_pk, f"chain {row.chain}") if row.chain_pk else f"chain {row.chain} (gone)"


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
