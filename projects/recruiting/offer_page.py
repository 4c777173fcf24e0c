"""The page that offers work on a platform: first the terms, then what they may cost, then recruiting begins."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from pipeline.project.queries import tasks_of
from platforms.contract import RecruitmentTerms
from platforms.models import Recruitment
from platforms.mturk import NAME as MTURK
from platforms.registry import find_platform
from projects.access import operation_page
from projects.operation_form import CheckedChoices, OperationForm, form_for
from projects.operation_page import done_or_refused, submit_form
from projects.recruiting.operations import LargestCost, describe_offered_task, offer_cost, publish, try_offer
from projects.recruiting.places import name_of, platform_address, platform_here, why_off
from runtime.words import money

ON_MTURK = "On Mechanical Turk"
GROUPS = {
    "What workers read": ("title", "description", "keywords"),
    "Places": ("most_places", "entry_places", "minutes", "days"),
    "Pay": ("least", "quota", "reward_cents", "approve_hours", "pays_tests", "pays_itself"),
    ON_MTURK: ("approved_least", "approved_percent", "auto_approve_days"),
}
OF_MTURK = ("keywords", *GROUPS[ON_MTURK])
"""Terms that hold on Mechanical Turk alone."""


def offer_form(operation: Any, project: Project, platform: str, row: Recruitment | None, sent: Any) -> OperationForm:
    """Return the form of the terms. Those of `row`, if there is one, fill it in."""
    terms = RecruitmentTerms(**row.terms) if row else RecruitmentTerms()
    place = {"platform": platform} | ({} if platform == MTURK else terms.model_dump(include=set(OF_MTURK)))
    asked = [(task.value, task.label) for task in tasks_of(project)]
    form_class = form_for(
        operation,
        without=place,
        tasks=CheckedChoices(widget=forms.CheckboxSelectMultiple, choices=asked),
        description=forms.CharField(
            required=False,
            widget=forms.Textarea({"rows": 3}),
            help_text=RecruitmentTerms.model_fields["description"].description or "",
        ),
    )
    chosen = row.tasks if row else [name for name, _ in asked]
    return form_class(sent, place=place, initial={**terms.model_dump(), "tasks": chosen})


@operation_page(publish, "GET", "POST")
def offer(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Show the form; once it is sent, show what this may cost; once it is sent again with `sent`, begin."""
    row = Recruitment.objects.filter(project=project, platform=platform_here(platform)).first()
    form = offer_form(offer_cost, project, platform, row, request.POST or None)
    cost: LargestCost | None = None
    if request.method == "POST" and "change" not in request.POST:
        cost = done_or_refused(form, request, project)
        if cost and "sent" in request.POST:
            offered = offer_form(publish, project, platform, row, request.POST)
            if submit_form(offered, request, project):
                return redirect(platform_address(project, platform))
            form.add_error(None, offered.sentence)
        elif cost and "try_offer" in request.POST:
            tried = offer_form(try_offer, project, platform, row, request.POST)
            if submit_form(tried, request, project):
                return redirect(platform_address(project, platform))
            form.add_error(None, tried.sentence)
    context = {
        "project": project,
        "title": _title(platform, row),
        "form": form,
        "groups": [(title, fields) for title, fields in _groups(form) if fields],
        "cost": cost,
        "has_trials": cost is not None and find_platform(platform).has_trials,
        "rows": _cost_rows(platform, cost) if cost else [],
        "off": why_off(platform) if request.method == "GET" else "",
        "back": platform_address(project, platform),
    }
    return render(request, "projects/recruiting/offer.html", context, status=form.status if form.errors else 200)


def _groups(form: OperationForm) -> list[tuple[str, list[forms.BoundField]]]:
    return [(title, [form[name] for name in names if name in form.fields]) for title, names in GROUPS.items()]


def _title(platform: str, row: Recruitment | None) -> str:
    words = "Offer work" if row is None else "Change the terms" if row.active else "Offer work again"
    return f"{words}: {name_of(platform)}"


def _cost_rows(platform: str, cost: LargestCost) -> list[tuple[str, str]]:
    cap = f"{money(cost.cap_cents, cost.currency)}, without fees"
    recommended = [
        f"{money(cents, cost.currency)} an hour, {words}"
        for cents, words in ((cost.good_hourly_cents, "to pay well"), (cost.least_hourly_cents, "at least"))
        if cents is not None
    ]
    return [
        ("Where", f"{name_of(platform)}, with{'' if cost.live else 'out'} real money"),
        *((row.task.label.capitalize(), describe_offered_task(row, cost.currency)) for row in cost.by_task),
        *([("Recommended there", "; ".join(recommended))] if recommended else []),
        ("Places at a time", f"up to {cost.places:,}"),
        ("For workers, if all are taken", money(cost.workers_cents, cost.currency)),
        (f"Fees, about {cost.fee_percent:g} %", money(cost.fee_cents, cost.currency)),
        ("Total", money(cost.total_cents, cost.currency)),
        ("Spend cap of the project", cap if cost.cap_cents else "none: taken places are offered anew"),
        ("On the account there", "unknown" if cost.balance_cents is None else money(cost.balance_cents, cost.currency)),
    ]


def terms_in_words(terms: RecruitmentTerms) -> list[tuple[str, str]]:
    """Return the terms as rows of label and value."""
    fields = RecruitmentTerms.model_fields
    return [(fields[name].title or name.capitalize(), _in_words(value)) for name, value in terms]


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value) or "-"
