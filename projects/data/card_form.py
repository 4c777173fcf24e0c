"""The form of what a requester tells of the data set, for its data card."""

from functools import partial
from typing import Any

from django import forms

from annotation.data_card import CARD_FIELDS, CardField, fault_in, given
from annotation.models import Project


class CardForm(forms.Form):
    """A field for each of CARD_FIELDS."""

    prefix = "card"

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields.update({field.name: _field(field) for field in CARD_FIELDS})


def _field(field: CardField) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": field.lines}) if field.lines > 1 else forms.TextInput()
    return forms.CharField(
        max_length=field.most,
        required=False,
        label=field.label,
        help_text=field.help,
        widget=widget,
        validators=[partial(_check, field)],
    )


def _check(field: CardField, text: str) -> None:
    if fault := fault_in(field, text):
        raise forms.ValidationError(fault)


def card_form(project: Project) -> CardForm:
    """Return the form with what is kept."""
    return CardForm(initial=given(project.data_card))
