"""Acts on chosen rows of a list: the page says what follows and asks for a reason, then each row is acted on alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils.html import format_html

from annotation.models import Project
from projects.access import page_caller
from projects.operation import Operation, Refused

MAX_ROWS = 50
"""Rows that are acted on at once."""
READ_BY_WORKER = "The worker reads it, here or on the platform."


class ReasonForm(forms.Form):
    """The reason for an act."""

    reason = forms.CharField(max_length=1000, widget=forms.Textarea({"rows": 3, "autofocus": True}))

    def __init__(self, data: QueryDict | None, help_text: str) -> None:
        super().__init__(data)
        self.fields["reason"].help_text = help_text


@dataclass(frozen=True)
class RowAct:
    """An act on one row."""

    name: str
    about: str
    """The consequences, shown before the requester confirms."""
    operation: Operation[Any, Any, Any]
    row: str
    """The field of the operation's input that takes the number of the row."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Further values of the input."""
    reason: str = READ_BY_WORKER
    """A sentence on the readers of the reason; empty: no reason is asked for."""
    form: type[ReasonForm] = ReasonForm
    is_danger: bool = False


@dataclass(frozen=True)
class RowActs:
    """The acts on the rows of one list, and the cells of a row that are shown before the requester confirms."""

    name: str
    """The noun for several rows."""
    acts: Mapping[str, RowAct]
    headers: tuple[str, ...]
    cells: Callable[[Sequence[Any]], list[list[Any]]]

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The acts as the list offers them."""
        return [(key, act.name) for key, act in self.acts.items()]


def act_on_rows(
    request: HttpRequest, project: Project, rows: QuerySet[Any], of: RowActs, back: str
) -> HttpResponseBase:
    """Ask first; when confirmed, act on each chosen row of `rows`. A row that refuses does not stop the others."""
    act = of.acts.get(request.POST.get("act", ""))
    numbers = [int(number) for number in request.POST.getlist("row") if number.isdecimal() and len(number) < 19]
    if act is None or not numbers:
        messages.error(request, f"Choose {of.name}, and what to do about them.")
        return redirect(back)
    if len(numbers) > MAX_ROWS:
        messages.error(request, f"Choose at most {MAX_ROWS} {of.name} at once.")
        return redirect(back)
    chosen = list(rows.filter(pk__in=numbers))
    is_sent = "sent" in request.POST
    form = act.form(request.POST if is_sent else None, act.reason) if act.reason else None
    if not is_sent or (form and not form.is_valid()):
        table = {"headers": of.headers, "rows": of.cells(chosen)}
        return _ask(request, project, act, form, table, back)
    for row in chosen:
        _act_on_one(request, project, act, row, form.cleaned_data if form else {})
    return redirect(back)


def _act_on_one(request: HttpRequest, project: Project, act: RowAct, row: Any, given: Mapping[str, Any]) -> None:
    try:
        inputs = act.operation.input(**{act.row: row.pk}, **act.values, **given)
        done = act.operation.say(act.operation(project, inputs, page_caller(request)))
    except Refused as error:
        messages.error(request, f"{row}: {error}")
        return
    page_caller(request).log(row, f"{act.name}: {given.get('reason') or getattr(row, 'last_error', '')}")
    messages.success(request, format_html("{}: {}", row, done))


def _ask(
    request: HttpRequest, project: Project, act: RowAct, form: forms.Form | None, table: dict[str, Any], back: str
) -> HttpResponse:
    sent = [("act", request.POST["act"]), ("sent", "yes"), *(("row", number) for number in request.POST.getlist("row"))]
    context = {
        "project": project,
        "title": act.name,
        "about": [act.about],
        "tables": [table],
        "form": form,
        "hidden": sent,
        "button": act.name,
        "is_danger": act.is_danger,
        "back": back,
    }
    return render(request, "projects/ask.html", context, status=400 if form and form.errors else 200)
