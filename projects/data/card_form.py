"""The form of what a requester tells of the data set, for its data card."""

from typing import Any

from django import forms

from annotation.data_card import CARD_FIELDS, CardField, given
from annotation.models import Project
from projects.data_card import change_card
from projects.operation_form import OperationForm, form_for


def _text(field: CardField) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": field.lines})
    return forms.CharField(required=False, label=field.label, help_text=field.help, widget=widget)


LONG_TEXTS: dict[str, Any] = {field.name: _text(field) for field in CARD_FIELDS if field.lines > 1}
CardForm = form_for(change_card, **LONG_TEXTS)
CardForm.prefix = "card"


def card_form(project: Project) -> OperationForm:
    """Return the form with what is kept."""
    return CardForm(initial=given(project.data_card))
