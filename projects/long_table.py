"""Long tables: a page of sorted rows, or every row that the filter leaves as CSV. Columns are declared once for both.

Filter, sort and page stand in the address: the browser's Back keeps the place, and a link shows the same rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Generic, TypeVar

from django import forms
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import render

from accounts.events import Kind, record
from annotation.models import Project
from labelling.templatetags.labelling import moment
from runtime.downloads import csv_lines, download
from runtime.words import counted

Row = TypeVar("Row")
BATCH = 500
"""Rows of a file whose figures are read at once."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a page. `hints`: quieter lines below the text. `pick`: the number of the row, if it can be chosen."""

    text: str
    hints: Sequence[str] = ()
    url: str = ""
    pick: int | None = None
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class ListColumn(Generic[Row]):
    """One column. `name`: in addresses and files. `value`: a text, number or time for the file."""

    name: str
    value: Callable[[Row], Any]
    header: str = ""
    """On the page; empty: the column is in the file alone."""
    show: Callable[[Row], Cell | str | datetime] | None = None
    """The cell of a page, if it is not the value."""
    sort: str = ""
    """The field that sorts the rows; empty: nobody sorts by this column."""
    note: str = ""
    is_number: bool = False

    def cell(self, row: Row) -> Cell:
        shown = self.show(row) if self.show else self.value(row)
        if isinstance(shown, datetime):
            shown = moment(shown)
        return shown if isinstance(shown, Cell) else Cell("" if shown is None else shown)

    def file_value(self, row: Row) -> Any:
        """Return the value for a file: times in ISO 8601, lists with semicolons."""
        value = self.value(row)
        if isinstance(value, datetime):
            return value.isoformat(timespec="seconds")
        return "; ".join(map(str, value)) if isinstance(value, list | tuple) else value


class TableFilter(forms.Form):
    """The fields by which a table is filtered. A value that a field does not offer counts as none."""

    use_required_attribute = False

    def __init__(self, query: QueryDict, **choices: Iterable[tuple[str, str]]) -> None:
        """`choices`: what a field offers that depends on the project."""
        super().__init__(query, auto_id=False)
        for name, offered in choices.items():
            self.fields[name].choices = [("", "all"), *offered]  # type: ignore[attr-defined]
        self.is_valid()

    def value(self, name: str) -> str:
        """Return the value of the field; empty: none."""
        return str(self.cleaned_data.get(name) or "")

    @property
    def is_used(self) -> bool:
        return any(map(self.value, self.fields))


def search_field(label: str, example: str = "") -> forms.CharField:
    """Return a field for words. `example`: what stands in the field while it is empty."""
    widget = forms.TextInput({"type": "search", "placeholder": example})
    return forms.CharField(label=label, required=False, max_length=100, widget=widget)


def choice_field(label: str, offered: Iterable[tuple[str, str]] = ()) -> forms.ChoiceField:
    """Return a field with these values and their words, and with "all"."""
    return forms.ChoiceField(label=label, required=False, choices=[("", "all"), *offered])


@dataclass(frozen=True)
class LongTable(Generic[Row]):
    """One table of a project. `sort`: the first sort, as in the address: `-opened` has the newest first."""

    name: str
    """The noun for several rows."""
    singular: str
    """The noun for one row."""
    columns: Sequence[ListColumn[Row]]
    filters: TableFilter
    sort: str
    empty: str
    """Tells what to do where there is no row at all."""
    fill: Callable[[Sequence[Any]], Sequence[Row]] = list
    """Add figures to some rows, in a fixed number of statements."""
    acts: Sequence[tuple[str, str]] = ()
    """Acts on chosen rows, as `RowActs.choices` has them."""
    per_page: int = 50
    file: str = ""
    """The name of the file, if it is not that of the rows."""

    def order(self) -> tuple[ListColumn[Row], bool]:
        """Return the column by which the rows are sorted, and whether its largest value comes first."""
        columns = {column.name: column for column in self.columns if column.sort}
        asked = str(self.filters.data.get("sort", ""))
        asked = asked if asked.removeprefix("-") in columns else self.sort
        return columns[asked.removeprefix("-")], asked.startswith("-")

    @property
    def shown(self) -> list[ListColumn[Row]]:
        return [column for column in self.columns if column.header]

    @property
    def sorts(self) -> list[dict[str, Any]]:
        """Return the choices of a list without headers: the sort in the address, its words, and whether it is asked."""
        by, is_down = self.order()
        return [
            {
                "value": f"{sign}{column.name}",
                "words": f"{column.header}{way}",
                "asked": (by, is_down) == (column, down),
            }
            for column in self.columns
            if column.sort
            for sign, way, down in (("", " ↑", False), ("-", " ↓", True))
        ]

    @property
    def headers(self) -> list[dict[str, Any]]:
        """Return for each column of the page how it sorts, and the next sort if its header is pressed."""
        by, is_down = self.order()
        return [
            {
                "column": column,
                "sorted": ("descending" if is_down else "ascending") if column is by else "",
                "next": f"-{column.name}" if column is by and not is_down else column.name,
            }
            for column in self.shown
        ]


def show_table(
    request: HttpRequest,
    project: Project,
    table: LongTable[Any],
    rows: Sequence[Any] | QuerySet[Any],
    template: str,
    context: Mapping[str, Any],
    *,
    count: int | None = None,
    status: int = 200,
) -> HttpResponseBase:
    """Show a page of the rows, or send all of them where the address asks for `format=csv`.

    Rows of the database are sorted here; others come sorted as `table.order()` has it. `count`: the number of rows,
    where it is known.
    """
    if isinstance(rows, QuerySet):
        by, is_down = table.order()
        sign = "-" if is_down else ""
        rows = rows.order_by(f"{sign}{by.sort}", "pk")
    if request.GET.get("format") == "csv":
        name = table.file or table.name
        record(Kind.EXPORT, f"{name} of {project.name}")
        return download(_lines(table, rows), f"{project.name}-{name}.csv")
    paginator = Paginator(rows, table.per_page)
    if count is not None:
        paginator.count = count
    page = paginator.get_page(request.GET.get("page"))
    page.object_list = filled = table.fill(list(page.object_list))
    cells = [[(column, column.cell(row)) for column in table.shown] for row in filled]
    counts = counted(paginator.count, table.singular, table.name)
    shown = {"project": project, "table": table, "page": page, "cells": cells, "count": counts}
    return render(request, template, {**shown, **context}, status=status)


def _lines(table: LongTable[Any], rows: Sequence[Any] | QuerySet[Any]) -> Iterator[str]:
    found = iter(rows.iterator(BATCH) if isinstance(rows, QuerySet) else rows)
    batches = iter(lambda: list(islice(found, BATCH)), [])
    names = [column.name for column in table.columns]
    return csv_lines(
        names, ([c.file_value(row) for c in table.columns] for batch in batches for row in table.fill(batch))
    )
