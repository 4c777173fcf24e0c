"""The form of an operation, derived from its input, and pages that do an operation with what a form sent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils.html import format_html
from pydantic import ValidationError

from annotation.models import Project
from projects.access import View, operation_page, page_caller
from projects.operation import Operation, Refused, SentFile
from projects.operation_fields import InputField, errors_by_field, input_fields

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


def _act_on_one(request: HttpRequest, project: Project, act: RowAct, row: Any, values: Mapping[str, Any]) -> None:
    try:
        inputs = act.operation.input(**{act.row: row.pk}, **act.values, **values)
        done = act.operation.say(act.operation(project, inputs, page_caller(request)))
    except Refused as error:
        messages.error(request, f"{row}: {error}")
        return
    page_caller(request).log(row, f"{act.name}: {values.get('reason') or getattr(row, 'last_error', '')}")
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


class OperationForm(forms.Form):
    """A form whose valid values are one input of an operation: `given`."""

    operation: Operation[Any, Any, Any]
    defaults: dict[str, Any]
    given: Any
    code, status = "invalid", 400
    """The code and the status of the refusal."""

    def __init__(self, *args: Any, place: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        """`place`: values of the input that the page knows, such as the row that its address names."""
        super().__init__(*args, **kwargs)
        self.place = place or {}

    def clean(self) -> dict[str, Any]:
        left_out: tuple[Any, ...] = (None, "", [])
        values = dict(self.place) | {
            name: SentFile(name=value.name or "", data=value.read()) if isinstance(value, UploadedFile) else value
            for name, value in self.cleaned_data.items()
            if name not in self.errors and (value not in left_out or value == self.defaults[name])
        }
        try:
            self.given = self.operation.input.model_validate(values)
        except ValidationError as error:
            for name, sentences in errors_by_field(error).items():
                if name not in self.errors:
                    self.add_error(name if name in self.fields else None, sentences)
        return self.cleaned_data

    @property
    def sentence(self) -> str:
        """The faults in one line."""
        labels = {name: field.label for name, field in self.fields.items()}
        return " ".join(
            f"{labels[name]}: {error}" if name in labels else str(error)
            for name, errors in self.errors.items()
            for error in errors
        )

    def refuse(self, refused: Refused) -> None:
        """Say why the operation is not possible, at the field that is to blame."""
        self.code, self.status = refused.code, refused.status
        self.add_error(refused.field if refused.field in self.fields else None, str(refused))
        self._focus()

    def full_clean(self) -> None:
        super().full_clean()
        self._focus()

    def _focus(self) -> None:
        """Give the first wrong field the focus when the form is shown again."""
        wrong = next((name for name in self.fields if name in self.errors), None)
        if wrong:
            self.fields[wrong].widget.attrs["autofocus"] = True


class CheckedChoice(forms.ChoiceField):
    """A choice that the input's model checks."""

    def valid_value(self, value: str) -> bool:
        return True


class CheckedChoices(forms.MultipleChoiceField):
    """Choices that the input's model checks."""

    def valid_value(self, value: str) -> bool:
        return True


class _File(forms.FileField):
    """A file, of which a page takes no more than it can read while its sender waits."""

    def __init__(self, field: InputField, **options: Any) -> None:
        super().__init__(**options)
        self._max_size = field.size

    def validate(self, value: Any) -> None:
        super().validate(value)
        if self._max_size and value and value.size > self._max_size.page:
            most = self._max_size.page // 1_000_000
            raise forms.ValidationError(f"The file has more than {most} MB: send it in parts, by API, or by command.")


def form_for(
    operation: Operation[Any, Any, Any], *, without: Collection[str] = (), **given: Any
) -> type[OperationForm]:
    """Return the form. `without`: fields that the page gives itself; `given`: fields that are drawn in another way."""
    fields = {
        field.name: given.get(field.name) or _form_field(field)
        for field in input_fields(operation)
        if field.name not in without
    }
    defaults = {field.name: [] if field.many and field.required else field.default for field in input_fields(operation)}
    members = {**fields, "operation": operation, "defaults": defaults}
    return type(f"{operation.input.__name__}Form", (OperationForm,), members)


def _form_field(field: InputField) -> forms.Field:
    """Return the field as it is drawn. The input's model checks its bounds, in the same words everywhere."""
    bounds = {"min": field.low, "max": field.high, "maxlength": field.longest}
    attrs = {name: bound for name, bound in bounds.items() if bound is not None}
    options: dict[str, Any] = {
        "label": field.label,
        "help_text": "" if field.help.removesuffix(".") == field.label else field.help,
        "required": field.required and field.kind is not bool,
        "initial": field.default,
    }
    if field.choices:
        choices = [(choice, choice.replace("_", " ")) for choice in field.choices]
        return (CheckedChoices if field.many else CheckedChoice)(choices=choices, **options)
    if field.kind is SentFile:
        return _File(field, required=field.required, label=field.label, help_text=field.help)
    if field.kind is bool:
        return forms.BooleanField(**options)
    if field.kind is date:
        return forms.DateField(widget=forms.DateInput({"type": "date"}), **options)
    if field.kind in (int, float):
        number = forms.IntegerField if field.kind is int else forms.FloatField
        return number(widget=forms.NumberInput(attrs=attrs), **options)
    return forms.CharField(widget=forms.TextInput(attrs=attrs), **options)


AnyOperation = Operation[Any, Any, Any]


def done_or_refused(form: OperationForm, request: HttpRequest, project: Project | None) -> Any:
    """Do the operation with what a form holds, and return the output. None: it was not done; the form says why."""
    if not form.is_valid():
        return None
    try:
        return form.operation.run(project, form.given, page_caller(request))
    except Refused as refused:
        form.refuse(refused)
        return None


def submit_form(form: OperationForm, request: HttpRequest, project: Project | None) -> Any:
    """Do the same, and show the result as a message."""
    made = done_or_refused(form, request, project)
    if made is not None:
        messages.success(request, form.operation.say(made))
    return made


def do_by_page(operation: AnyOperation, request: HttpRequest, project: Project | None, **place: Any) -> str:
    """Do the operation with the values that were sent and those of the page, `place`, and show a message.

    Returns the code of a refusal; empty: it was done. Raises Http404 for a row that there is not.
    """
    form = form_for(operation, without=place)(request.POST, request.FILES, place=place)
    if submit_form(form, request, project) is not None:
        return ""
    if form.code == "not_found":
        raise Http404(form.sentence)
    messages.error(request, form.sentence)
    return form.code


def action_page(operation: AnyOperation, back: str, *kept: str) -> View:
    """Return a page that does the operation with what a form sent and its address names, and leads back.

    `kept`: names of the address that the page `back` has, too.
    """

    @operation_page(operation, "POST")
    def act(request: HttpRequest, project: Project, **place: Any) -> HttpResponse:
        do_by_page(operation, request, project, **place)
        return redirect(back, name=project.name, **{name: place[name] for name in kept})

    return act
