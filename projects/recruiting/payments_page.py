"""The page of payments: what a platform was asked to pay, and what to do if it refused or never answered."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from platforms.models import Payment
from platforms.settling.worker_money import amount
from projects.access import managers_only
from projects.act_on_rows import RowAct, RowActs, act_on_rows
from projects.recruiting.places import name_of, platform_address, recruitment_here, rows_at
from projects.recruiting.row_operations import decide_payment

PER_PAGE = 50
PAYMENT_FILTERS = {
    "": "all",
    "refused": "refused by the platform",
    "sent": "sent, without an answer",
    "planned": "planned",
    "done": "done",
}


PAYMENT_ACTS = {
    "retry": RowAct(
        "Retry what was refused",
        "Fix the cause first: the same payment is sent once more, and may be refused again.",
        decide_payment,
        "payment",
        {"decision": "retry"},
        reason="",
    ),
    "was_done": RowAct(
        "No answer: it was done there",
        "You saw on the platform's own pages that it took effect. The ledger counts it as paid.",
        decide_payment,
        "payment",
        {"decision": "done"},
        reason="",
    ),
    "was_not_done": RowAct(
        "No answer: it was not done there",
        "You saw on the platform's own pages that it did not take effect. The next round sends it again: "
        "if it took effect after all, it is paid twice.",
        decide_payment,
        "payment",
        {"decision": "not done"},
        reason="",
        is_danger=True,
    ),
}


@managers_only("GET", "POST", archived=True)
def payments(request: HttpRequest, project: Project, platform: str) -> HttpResponseBase:
    """List the payments; a POST acts on those that are chosen."""
    recruitment_here(project, platform)
    rows = Payment.objects.filter(session__offer__project=project, session__offer__platform=platform)
    rows = rows.select_related("session__worker")
    if request.method == "POST":
        return act_on_rows(request, project, rows, ON_ROWS, request.get_full_path())
    show = request.GET.get("show", "")
    show = show if show in PAYMENT_FILTERS else ""
    found = rows.filter(state=show) if show else rows
    context = {
        "project": project,
        "title": f"Payments on {name_of(platform)}",
        "page": Paginator(found, PER_PAGE).get_page(request.GET.get("page")),
        "currency": current_settings(project.pk)[1].currency,
        "show": show,
        "shows": PAYMENT_FILTERS.items(),
        "acts": ON_ROWS.choices,
        "filters": f"&{urlencode({'show': show})}",
        "sessions": rows_at("sessions", project, platform),
        "back": platform_address(project, platform),
    }
    return render(request, "projects/recruiting/payments.html", context)


def _cells(chosen: Sequence[Payment]) -> list[list[Any]]:
    return [[str(row), row.get_state_display(), amount(row.cents), row.last_error] for row in chosen]


ON_ROWS = RowActs("payments", PAYMENT_ACTS, ("Payment", "State", "Amount", "Last error"), _cells)
