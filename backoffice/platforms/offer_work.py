"""Admin page by which work is offered: the terms, then what they may cost, then it begins."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from backoffice.platforms.ask import AsksFirst
from backoffice.platforms.terms import NAMES, OfferForm, docs_of
from pipeline.money.amounts import in_words
from pipeline.settings_versions import current_settings
from pipeline.stock.stock_forecast import warnings
from platforms.contract.errors import PlatformError, PlatformOffError
from platforms.jobs import sync_job
from platforms.models import Recruitment
from platforms.offers.recruit import begin_recruiting, check_recruitment, cost_of
from platforms.registry import PLATFORMS, find_platform


class OffersWork(AsksFirst):
    """Mixed into the admin pages of recruitments."""

    def offer_page(self, request: HttpRequest, title: str, recruitment: Recruitment | None = None) -> HttpResponseBase:
        """The form; sent once it says what this may cost, sent again with `said` it begins."""
        form = OfferForm(request.POST or None, recruitment)
        preview = None
        if form.is_valid() and "change" not in request.POST:
            project_id = recruitment.project_id if recruitment else form.cleaned_data["project_id"].pk
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
        self.log_change(request, made, f"offers {', '.join(made.tasks)}")  # type: ignore[attr-defined]
        sync_job.delay(made.platform, made.project_id)
        messages.success(request, "It is offered. New terms hold for what is offered from now on.")
        return redirect("admin:workers_recruitment_change", made.pk)


def _back(recruitment: Recruitment | None) -> str:
    if recruitment is None:
        return reverse("admin:workers_recruitment_changelist")
    return reverse("admin:workers_recruitment_change", args=[recruitment.pk])


def _preview(form: OfferForm, project_id: int) -> dict[str, Any]:
    """PlatformError: it can't be offered like this, or the platform does not answer."""
    tasks, terms, place = form.tasks_chosen(), form.terms, form.marketplace.place()
    check_recruitment(place, project_id, tasks, terms)
    cost, currency = cost_of(place, project_id, tasks, terms), current_settings(project_id)[1].currency
    balance = form.marketplace.balance_cents()
    cap = f"{in_words(cost.cap_cents, currency)}, without fees" if cost.cap_cents else "none: places are offered anew"
    rows = [
        [
            "Where",
            f"{NAMES.get(form.marketplace.name, form.marketplace.name)}, with{'' if place.live else 'out'} real money",
        ],
        ["Tasks", ", ".join(task.label for task in tasks)],
        ["Places at a time", f"up to {cost.places:,}"],
        ["For workers, if all are taken", in_words(cost.workers_cents, currency)],
        [f"Fees, about {place.fee_percent:g} %", in_words(cost.fee_cents, currency)],
        ["Together", in_words(cost.total_cents, currency)],
        ["Spend cap of the project", cap],
        ["On the account there", "not said" if balance is None else in_words(balance, currency)],
    ]
    short = balance is not None and balance < cost.total_cents
    found = list(warnings(project_id))
    if short:
        found.append("PlatformState is less on the account: fewer places are offered until there is more.")
    return {"rows": rows, "warnings": found, "live": place.live}


def _switched_off() -> list[str]:
    """Of each platform that is not set up, why, and where it is said how."""
    found = []
    for name in sorted(PLATFORMS):
        try:
            find_platform(name)
        except PlatformOffError as error:
            found.append(f"{error} {docs_of(name)} says how.")
    return found
