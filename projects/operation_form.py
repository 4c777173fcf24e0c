"""The form of an operation, derived from the model of its input."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from pydantic import ValidationError

from projects.operation import Operation, Refused, SentFile
from projects.operation_fields import InputField, errors_by_field, input_fields


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
