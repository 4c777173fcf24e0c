"""Admin page that offers work: first the terms, then what they may cost, then recruiting begins. Mixed into the page of
recruitments.
"""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from backoffice.ask_first import AsksFirst
from backoffice.of_members import limit_projects
from backoffice.platforms.terms_form import NAMES, OfferForm, docs_of
from pipeline.money.amounts import in_words
from pipeline.settings_versions import current_settings
from pipeline.stock.stock_forecast import warnings
from platforms.contract.errors import PlatformError, PlatformOffError
from platforms.jobs import sync_job
from platforms.models import Recruitment
from platforms.offers.recruit import begin_recruiting, check_recruitment, cost_of
from platforms.registry import PLATFORMS, find_platform
from upkeep.redis_faults import start


class OffersWork(AsksFirst):
    """Mixed into the admin pages of recruitments."""

    def offer_page(self, request: HttpRequest, title: str, recruitment: Recruitment | None = None) -> HttpResponseBase:
        """Show the form; once it is sent, show what this may cost; once it is sent again with `sent`, begin."""
        form = OfferForm(request.POST or None, recruitment)
        limit_projects(form.fields, request)
        preview = None
        if form.is_valid() and "change" not in request.POST:
            project_id = recruitment.project_id if recruitment else form.cleaned_data["project"].pk
            try:
                if "sent" in request.POST:
                    return self._begin(request, form, project_id)
                preview = _preview(form, project_id)
            except PlatformError as error:
                form.add_error(None, str(error))
        return self.page(
            request,
            title,
            "offer_work",
            form=form,
            preview=preview,
            off=_switched_off() if recruitment is None else [],
            back=_back(recruitment),
        )

    def _begin(self, request: HttpRequest, form: OfferForm, project_id: int) -> HttpResponseBase:
        who = request.user.get_username()
        made = begin_recruiting(form.marketplace, project_id, form.tasks_chosen(), form.terms, actor=who)
        self.log_change(request, made, f"offers {', '.join(made.tasks)}")
        start(sync_job, made.platform, made.project_id)
        messages.success(request, "The work is offered. New terms hold for new offers.")
        return redirect("admin:platforms_recruitment_change", made.pk)


def _back(recruitment: Recruitment | None) -> str:
    if recruitment is None:
        return reverse("admin:platforms_recruitment_changelist")
    return reverse("admin:platforms_recruitment_change", args=[recruitment.pk])


def _preview(form: OfferForm, project_id: int) -> dict[str, Any]:
    """Return what the offer may cost. Raises PlatformError if it is not possible, or the platform does not answer."""
    tasks, terms, place = form.tasks_chosen(), form.terms, form.marketplace.marketplace()
    check_recruitment(place, project_id, tasks, terms)
    cost, currency = cost_of(place, project_id, tasks, terms), current_settings(project_id)[1].currency
    balance = form.marketplace.balance_cents()
    cap = (
        f"{in_words(cost.cap_cents, currency)}, without fees"
        if cost.cap_cents
        else "none: taken places are offered anew"
    )
    rows = [
        [
            "Where",
            f"{NAMES.get(form.marketplace.name, form.marketplace.name)}, with{'' if place.live else 'out'} real money",
        ],
        ["Tasks", ", ".join(task.label for task in tasks)],
        ["Places at a time", f"up to {cost.places:,}"],
        ["For workers, if all are taken", in_words(cost.workers_cents, currency)],
        [f"Fees, about {place.fee_percent:g} %", in_words(cost.fee_cents, currency)],
        ["Total", in_words(cost.total_cents, currency)],
        ["Spend cap of the project", cap],
        ["On the account there", "unknown" if balance is None else in_words(balance, currency)],
    ]
    short = balance is not None and balance < cost.total_cents
    found = list(warnings(project_id))
    if short:
        found.append("There is less on the account than this may cost: fewer places are offered until there is more.")
    return {"rows": rows, "warnings": found, "live": place.live}


def _switched_off() -> list[str]:
    """Return, for each platform that is not set up, why, and which page of the docs explains how."""
    found = []
    for name in sorted(PLATFORMS):
        try:
            find_platform(name)
        except PlatformOffError as error:
            found.append(f"{error} See {docs_of(name)}.")
    return found
