"""The page that offers work on a platform: first the terms, then what they may cost, then recruiting begins."""

from dataclasses import Field, fields
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from pipeline.project.tasks import tasks_of
from pipeline.protocol.tasks.task import Task
from pipeline.stock.stock_forecast import warnings
from platforms.contract.errors import PlatformError, PlatformOffError
from platforms.contract.platform import Platform
from platforms.contract.terms import LIMITS, BadTermsError, RecruitmentTerms
from platforms.jobs import sync_job
from platforms.models import Recruitment
from platforms.mturk import NAME as MTURK
from platforms.offers.recruit import begin_recruiting, check_recruitment, cost_of
from platforms.registry import find_platform
from projects.access import managers_only
from projects.act_on_rows import write_log
from projects.recruiting.places import docs_of, name_of, platform_address, platform_here
from runtime.redis_faults import start
from runtime.words import money

DEFAULTS = {field.name: field.default for field in fields(RecruitmentTerms)}
BOUNDS = {name: (low, high) for name, low, high in LIMITS}
ON_MTURK = "On Mechanical Turk"
GROUPS = {
    "What workers read": {
        "title": ("Title", "Leave empty for one made of the task and the project's title."),
        "description": ("Description", "Leave empty for a standard sentence."),
        "keywords": ("Keywords", "Workers search by these."),
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
    ON_MTURK: {
        "approved_least": ("Approved HITs", "How many a newcomer needs."),
        "approved_percent": ("Approved, in percent", "Share of a newcomer's work that was approved."),
        "auto_approve_days": (
            "Days until it approves automatically",
            "Mechanical Turk then approves what we have not settled.",
        ),
    },
}
OF_MTURK = {"keywords", *GROUPS[ON_MTURK]}
"""Terms that hold on Mechanical Turk alone."""


class OfferTermsForm(forms.Form):
    """The terms of an offer. The terms of `recruitment`, if there is one, fill in the form."""

    tasks = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    terms: RecruitmentTerms

    def __init__(self, data: Any, project: Project, platform: str, recruitment: Recruitment | None) -> None:
        offered = tasks_of(project)
        self.known: dict[str, Any] = DEFAULTS | (RecruitmentTerms(**recruitment.terms).as_dict() if recruitment else {})
        chosen = recruitment.tasks if recruitment else [task.value for task in offered]
        super().__init__(data, initial=self.known | {"tasks": chosen})
        tasks: Any = self.fields["tasks"]
        tasks.choices = [(task.value, task.label) for task in offered]
        for field in fields(RecruitmentTerms):
            if platform == MTURK or field.name not in OF_MTURK:
                self.fields[field.name] = _field(field)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """Return the fields that belong together, under their titles."""
        found = ((title, [self[name] for name in words if name in self.fields]) for title, words in GROUPS.items())
        return [(title, shown) for title, shown in found if shown]

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if self.errors:
            return values
        if values["quota"] < values["least"]:
            self.add_error("quota", f"It needs {values['least']}, so it must be allowed at least as many.")
            return values
        try:
            self.terms = RecruitmentTerms(**(self.known | {name: values[name] for name in DEFAULTS if name in values}))
        except BadTermsError as error:
            self.add_error(None, str(error))
        return values

    def tasks_chosen(self) -> list[Task]:
        return [task for task in Task if task.value in self.cleaned_data["tasks"]]


def words_of(name: str) -> tuple[str, str]:
    return next(words[name] for words in GROUPS.values() if name in words)


def in_rows(terms: RecruitmentTerms) -> list[tuple[str, str]]:
    """Return the terms as rows of label and value."""
    return [(words_of(name)[0], _in_words(value)) for name, value in terms.as_dict().items()]


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value) or "-"


def _field(field: Field[Any]) -> forms.Field:
    label, help_text = words_of(field.name)
    options: dict[str, Any] = {"label": label, "help_text": help_text, "initial": field.default}
    match field.default:
        case bool():
            return forms.BooleanField(**options, required=False)
        case int():
            low, high = BOUNDS[field.name]
            return forms.IntegerField(**options, min_value=int(low), max_value=int(high))
        case float():
            low, high = BOUNDS[field.name]
            widget = forms.NumberInput({"step": "any"})
            return forms.FloatField(**options, min_value=low, max_value=high, widget=widget)
    text = forms.Textarea({"rows": 3}) if field.name == "description" else forms.TextInput()
    return forms.CharField(**options, required=False, widget=text)


@managers_only("GET", "POST")
def offer(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Show the form; once it is sent, show what this may cost; once it is sent again with `sent`, begin."""
    row = Recruitment.objects.filter(project=project, platform=platform_here(platform)).first()
    form = OfferTermsForm(request.POST or None, project, platform, row)
    preview, off = None, ""
    try:
        place = find_platform(platform)
        if form.is_valid() and "change" not in request.POST:
            if "sent" in request.POST:
                return _begin(request, project, place, form)
            preview = _preview(project, place, form)
    except PlatformOffError as error:
        off = f"{error} See {docs_of(platform)}."
    except PlatformError as error:
        form.add_error(None, str(error))
    context = {
        "project": project,
        "title": _title(platform, row),
        "form": form,
        "preview": preview,
        "off": off,
        "back": platform_address(project, platform),
    }
    return render(request, "projects/recruiting/offer.html", context, status=400 if form.errors else 200)


def _title(platform: str, row: Recruitment | None) -> str:
    words = "Offer work" if row is None else "Change the terms" if row.active else "Offer work again"
    return f"{words}: {name_of(platform)}"


def _begin(request: HttpRequest, project: Project, place: Platform, form: OfferTermsForm) -> HttpResponse:
    who = request.user.get_username()
    made = begin_recruiting(place, project.pk, form.tasks_chosen(), form.terms, actor=who)
    write_log(request, made, f"offers {', '.join(made.tasks)}")
    start(sync_job, made.platform, made.project_id)
    messages.success(request, "The work is offered. New terms hold for new offers.")
    return redirect(platform_address(project, made.platform))


def _preview(project: Project, platform: Platform, form: OfferTermsForm) -> dict[str, Any]:
    """Return what the offer may cost. Raises PlatformError if it is not possible, or the platform does not answer."""
    tasks, terms, place = form.tasks_chosen(), form.terms, platform.marketplace()
    check_recruitment(place, project.pk, tasks, terms)
    cost, currency = cost_of(place, project.pk, tasks, terms), current_settings(project.pk)[1].currency
    balance = platform.balance_cents()
    cap = (
        f"{money(cost.cap_cents, currency)}, without fees" if cost.cap_cents else "none: taken places are offered anew"
    )
    rows = [
        ("Where", f"{name_of(platform.name)}, with{'' if place.live else 'out'} real money"),
        ("Tasks", ", ".join(task.label for task in tasks)),
        ("Places at a time", f"up to {cost.places:,}"),
        ("For workers, if all are taken", money(cost.workers_cents, currency)),
        (f"Fees, about {place.fee_percent:g} %", money(cost.fee_cents, currency)),
        ("Total", money(cost.total_cents, currency)),
        ("Spend cap of the project", cap),
        ("On the account there", "unknown" if balance is None else money(balance, currency)),
    ]
    found = list(warnings(project.pk))
    if balance is not None and balance < cost.total_cents:
        found.append("There is less on the account than this may cost: fewer places are offered until there is more.")
    return {"rows": rows, "warnings": found, "live": place.live}
