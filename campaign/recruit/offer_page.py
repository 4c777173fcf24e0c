"""The page that offers work on a platform: first the terms, then what they may cost, then recruiting begins."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from campaign.access import managers_only
from campaign.act_on_rows import write_log
from campaign.recruit.places import address, docs_of, name_of, platform_here
from campaign.recruit.terms_form import TermsForm
from pipeline.money.amounts import in_words
from pipeline.project.settings_versions import current_settings
from pipeline.stock.stock_forecast import warnings
from platforms.contract.errors import PlatformError, PlatformOffError
from platforms.contract.platform import Platform
from platforms.jobs import sync_job
from platforms.models import Recruitment
from platforms.offers.recruit import begin_recruiting, check_recruitment, cost_of
from platforms.registry import find_platform
from upkeep.redis_faults import start


@require_http_methods(["GET", "HEAD", "POST"])
@managers_only
def offer(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Show the form; once it is sent, show what this may cost; once it is sent again with `sent`, begin."""
    row = Recruitment.objects.filter(project=project, platform=platform_here(platform)).first()
    form = TermsForm(request.POST or None, project, platform, row)
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
        "back": address(project, platform),
    }
    return render(request, "campaign/recruit/offer.html", context, status=400 if form.errors else 200)


def _title(platform: str, row: Recruitment | None) -> str:
    words = "Offer work" if row is None else "Change the terms" if row.active else "Offer work again"
    return f"{words}: {name_of(platform)}"


def _begin(request: HttpRequest, project: Project, place: Platform, form: TermsForm) -> HttpResponse:
    who = request.user.get_username()
    made = begin_recruiting(place, project.pk, form.tasks_chosen(), form.terms, actor=who)
    write_log(request, made, f"offers {', '.join(made.tasks)}")
    start(sync_job, made.platform, made.project_id)
    messages.success(request, "The work is offered. New terms hold for new offers.")
    return redirect(address(project, made.platform))


def _preview(project: Project, platform: Platform, form: TermsForm) -> dict[str, Any]:
    """Return what the offer may cost. Raises PlatformError if it is not possible, or the platform does not answer."""
    tasks, terms, place = form.tasks_chosen(), form.terms, platform.marketplace()
    check_recruitment(place, project.pk, tasks, terms)
    cost, currency = cost_of(place, project.pk, tasks, terms), current_settings(project.pk)[1].currency
    balance = platform.balance_cents()
    cap = (
        f"{in_words(cost.cap_cents, currency)}, without fees"
        if cost.cap_cents
        else "none: taken places are offered anew"
    )
    rows = [
        ("Where", f"{name_of(platform.name)}, with{'' if place.live else 'out'} real money"),
        ("Tasks", ", ".join(task.label for task in tasks)),
        ("Places at a time", f"up to {cost.places:,}"),
        ("For workers, if all are taken", in_words(cost.workers_cents, currency)),
        (f"Fees, about {place.fee_percent:g} %", in_words(cost.fee_cents, currency)),
        ("Total", in_words(cost.total_cents, currency)),
        ("Spend cap of the project", cap),
        ("On the account there", "unknown" if balance is None else in_words(balance, currency)),
    ]
    found = list(warnings(project.pk))
    if balance is not None and balance < cost.total_cents:
        found.append("There is less on the account than this may cost: fewer places are offered until there is more.")
    return {"rows": rows, "warnings": found, "live": place.live}
