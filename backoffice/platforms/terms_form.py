"""The form by which a requester offers a project's work on a platform, or changes the terms."""

from dataclasses import Field, fields
from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from annotation.models import Project
from backoffice.people.pipeline_people import TASKS
from pipeline.rules.tasks.task import Task
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
        "title": ("Title", "Empty: made of the task and the project's title."),
        "description": ("Description", "Empty: a sentence of ours."),
        "keywords": ("Keywords", "Mechanical Turk only: by which workers find it."),
    },
    "Places": {
        "most_places": ("Open places", "Of a task at a time, for who has passed its test."),
        "entry_places": ("Open places for newcomers", "Of a task at a time; they begin with the test. 0: nobody new."),
        "minutes": ("Minutes for a session", "From taking a place to handing in."),
        "days": ("Days that an offer stays open", "Then it is offered anew, while there is work."),
    },
    "Pay": {
        "least": ("Assignments that a session needs", ""),
        "quota": ("Assignments that a session may have", "What goes beyond the reward is paid as a bonus."),
        "reward_cents": ("Reward of a session, in cents", "0: what the assignments that it needs pay."),
        "approve_hours": ("Hours before a session is approved", "To look at the work first."),
        "pays_tests": ("Pay failed tests", "The reward is paid for a test that was not passed, too."),
        "pays_itself": ("Settle by itself", "Otherwise sessions wait until you pay what is due."),
    },
    "On Mechanical Turk only": {
        "approved_least": ("Approved HITs", "That a newcomer needs."),
        "approved_percent": ("Approved, in percent", "Share of a newcomer's work that was approved."),
        "auto_approve_days": ("Days until it approves by itself", "What we have not looked at by then."),
    },
}


class OfferForm(forms.Form):
    """`recruitment`: its project and platform stay, and its terms are where the form begins."""

    project_id = forms.ModelChoiceField(Project.objects.order_by("name"), label="Project")
    platform = forms.ChoiceField(choices=PLACES, widget=UnfoldAdminSelectWidget(choices=PLACES))
    tasks = forms.MultipleChoiceField(
        choices=TASKS, initial=[task.value for task in Task], widget=UnfoldAdminCheckboxSelectMultipleWidget
    )

    marketplace: Platform
    terms: Terms

    def __init__(self, data: Any = None, recruitment: Recruitment | None = None) -> None:
        known = DEFAULTS | Terms.read(recruitment.terms).as_dict() if recruitment else {}
        super().__init__(data, initial=known | {"tasks": recruitment.tasks} if recruitment else None)
        if recruitment:
            del self.fields["project_id"], self.fields["platform"]
        else:
            field: Any = self.fields["project_id"]
            field.widget = UnfoldAdminSelectWidget(choices=field.choices)
        self.recruitment = recruitment
        for field in fields(Terms):
            self.fields[field.name] = _field(field)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """For the page: what belongs together, under its title."""
        first = [self[name] for name in ("project_id", "platform", "tasks") if name in self.fields]
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
    """Where it is said how the platform is set up."""
    return f"docs/{platform}.md"


def words_of(name: str) -> tuple[str, str]:
    return next(words[name] for words in GROUPS.values() if name in words)


def in_rows(terms: Terms) -> list[list[str]]:
    """For reading."""
    return [[words_of(name)[0], _in_words(value)] for name, value in terms.as_dict().items()]


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value) or "-"


def _field(field: Field[Any]) -> forms.Field:
    label, help_text = words_of(field.name)
    said: dict[str, Any] = {"label": label, "help_text": help_text, "initial": field.default}
    match field.default:
        case bool():
            return forms.BooleanField(**said, required=False, widget=UnfoldBooleanWidget)
        case int():
            low, high = BOUNDS[field.name]
            return forms.IntegerField(
                **said, min_value=int(low), max_value=int(high), widget=UnfoldAdminIntegerFieldWidget
            )
        case float():
            low, high = BOUNDS[field.name]
            widget = UnfoldAdminDecimalFieldWidget(attrs={"step": "any"})
            return forms.FloatField(**said, min_value=low, max_value=high, widget=widget)
    area = UnfoldAdminTextareaWidget(attrs={"rows": 3})
    widget = area if field.name == "description" else UnfoldAdminTextInputWidget
    return forms.CharField(**said, required=False, widget=widget)
