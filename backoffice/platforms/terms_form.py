"""The form by which a requester offers a project's work on a platform, or changes the terms."""

from dataclasses import Field, fields
from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from backoffice.form_fields import TASKS, choice_field, project_field
from pipeline.project_tasks import tasks_of_id
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from platforms.contract.errors import PlatformOffError
from platforms.contract.platform import Platform
from platforms.contract.terms import LIMITS, BadTermsError, Terms
from platforms.models import Recruitment
from platforms.registry import PLATFORMS, find_platform

NAMES = {"mturk": "Mechanical Turk", "prolific": "Prolific"}
PLACES = [(name, NAMES.get(name, name)) for name in sorted(PLATFORMS)]
DEFAULTS = {field.name: field.default for field in fields(Terms)}
BOUNDS = {name: (low, high) for name, low, high in LIMITS}
GROUPS = {
    "What workers read": {
        "title": ("Title", "Leave empty for one made of the task and the project's title."),
        "description": ("Description", "Leave empty for a standard sentence."),
        "keywords": ("Keywords", "Mechanical Turk only: workers search by these."),
    },
    "Places": {
        "most_places": ("Open places", "For each task at a time, for workers who passed its test."),
        "entry_places": (
            "Open places for newcomers",
            "For each task at a time; newcomers begin with the test. 0: no newcomers.",
        ),
        "minutes": ("Minutes for a session", "From taking a place to handing in."),
        "days": ("Days that an offer stays open", "Then a new offer follows, while there is work."),
    },
    "Pay": {
        "least": ("Assignments that a session needs", ""),
        "quota": ("Assignments that a session may have", "Earnings beyond the reward are paid as a bonus."),
        "reward_cents": ("Reward of a session, in cents", "0: the pay of the assignments that it needs."),
        "approve_hours": ("Hours before a session is approved", "Time to look at the work first."),
        "pays_tests": ("Pay failed tests", "Also pay the reward for a test that was not passed."),
        "pays_itself": ("Settle automatically", "Otherwise sessions wait until you pay what is due."),
    },
    "On Mechanical Turk only": {
        "approved_least": ("Approved HITs", "How many a newcomer needs."),
        "approved_percent": ("Approved, in percent", "Share of a newcomer's work that was approved."),
        "auto_approve_days": (
            "Days until it approves automatically",
            "Mechanical Turk then approves what we have not settled.",
        ),
    },
}


class OfferForm(forms.Form):
    """The terms of an offer. With `recruitment` the project and platform are fixed, and its terms fill in the form."""

    project = project_field()
    platform = choice_field(PLACES)
    tasks = forms.MultipleChoiceField(
        choices=TASKS, initial=[task.value for task in PROTOCOL_TASKS], widget=UnfoldAdminCheckboxSelectMultipleWidget
    )

    marketplace: Platform
    terms: Terms

    def __init__(self, data: Any = None, recruitment: Recruitment | None = None) -> None:
        known = DEFAULTS | Terms.read(recruitment.terms).as_dict() if recruitment else {}
        super().__init__(data, initial=known | {"tasks": recruitment.tasks} if recruitment else None)
        if recruitment:
            del self.fields["project"], self.fields["platform"]
            tasks: Any = self.fields["tasks"]
            tasks.choices = [(task.value, task.label) for task in tasks_of_id(recruitment.project_id)]
        self.recruitment = recruitment
        for field in fields(Terms):
            self.fields[field.name] = _field(field)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields that belong together, under their titles."""
        first = [self[name] for name in ("project", "platform", "tasks") if name in self.fields]
        return [("", first), *((title, [self[name] for name in words]) for title, words in GROUPS.items())]

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if self.errors:
            return values
        name = self.recruitment.platform if self.recruitment else values["platform"]
        try:
            self.terms = Terms(**{name: values[name] for name in DEFAULTS})
            self.marketplace = find_platform(name)
        except BadTermsError as error:
            self.add_error(None, str(error))
        except PlatformOffError as error:
            self.add_error(None, f"{error} See {docs_of(name)}.")
        return values

    def tasks_chosen(self) -> list[Task]:
        return [task for task in Task if task.value in self.cleaned_data["tasks"]]


def docs_of(platform: str) -> str:
    """Return the page of the docs that explains how to set up the platform."""
    return f"docs/how-to/{platform}.md"


def words_of(name: str) -> tuple[str, str]:
    return next(words[name] for words in GROUPS.values() if name in words)


def in_rows(terms: Terms) -> list[list[str]]:
    """Return the terms as rows of label and value."""
    return [[words_of(name)[0], _in_words(value)] for name, value in terms.as_dict().items()]


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value) or "-"


def _field(field: Field[Any]) -> forms.Field:
    label, help_text = words_of(field.name)
    options: dict[str, Any] = {"label": label, "help_text": help_text, "initial": field.default}
    match field.default:
        case bool():
            return forms.BooleanField(**options, required=False, widget=UnfoldBooleanWidget)
        case int():
            low, high = BOUNDS[field.name]
            return forms.IntegerField(
                **options, min_value=int(low), max_value=int(high), widget=UnfoldAdminIntegerFieldWidget
            )
        case float():
            low, high = BOUNDS[field.name]
            widget = UnfoldAdminDecimalFieldWidget(attrs={"step": "any"})
            return forms.FloatField(**options, min_value=low, max_value=high, widget=widget)
    area = UnfoldAdminTextareaWidget(attrs={"rows": 3})
    widget = area if field.name == "description" else UnfoldAdminTextInputWidget
    return forms.CharField(**options, required=False, widget=widget)
