"""Pages that pay what is due on a platform, compare the platform with the ledger, and stop recruiting."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotation.models import Project
from platforms.settling.worker_money import amount
from projects.access import operation_page, page_caller
from projects.operation import Refused
from projects.operation_page import do_by_page
from projects.recruiting.operations import (
    DuePayments,
    LedgerComparison,
    OnPlatform,
    charge_in_words,
    describe_stop,
    due_payments,
    pay,
    reconcile,
    withdraw,
)
from projects.recruiting.places import name_of, platform_address, recruitment_here, why_off
from runtime.words import money
from workers.models import Worker


@operation_page(reconcile, "GET")
def compare_ledgers(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Read everything that the platform ever paid, and show where the ledger differs."""
    recruitment_here(project, platform)
    title = f"{name_of(platform)} compared with the ledger"
    try:
        comparison = reconcile(project, OnPlatform(platform=platform), page_caller(request))
    except Refused as refused:
        return _page(request, project, platform, title, warnings=[str(refused)])
    return _page(request, project, platform, title, **_compared(project, comparison))


def _compared(project: Project, comparison: LedgerComparison) -> dict[str, Any]:
    differ, currency = comparison.differences, comparison.currency
    on_platform, in_ledger = money(comparison.platform_cents, currency), money(comparison.ledger_cents, currency)
    who = "1 worker was" if comparison.workers == 1 else f"{comparison.workers} workers were"
    about = [
        f"{who} paid {on_platform} there; the ledger says {in_ledger}.",
        "The others agree to the cent." if differ else "Both agree to the cent, worker by worker.",
        *charge_in_words(comparison),
    ]
    warnings = []
    if differ:
        warnings.append(
            f"The payments of {len(differ)} differ. Choose “Read now”, then compare again: "
            "payments that we missed are recorded."
        )
    if comparison.charge_cents not in (None, comparison.ledger_cents):
        warnings.append("The platform charged another amount than the ledger says was paid.")
    ids = dict(Worker.objects.filter(name__in=[line.worker for line in differ]).values_list("name", "id"))
    rows = [
        [
            worker_link(project, ids[line.worker], line.worker) if line.worker in ids else line.worker,
            *map(amount, (line.platform_cents, line.ledger_cents, line.platform_cents - line.ledger_cents)),
        ]
        for line in differ
    ]
    headers = ("Worker", "Paid there", "In the ledger", "Difference")
    return {"about": about, "warnings": warnings, "tables": [{"headers": headers, "rows": rows}] if rows else []}


@operation_page(pay, "GET", "POST")
def settle(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Show what is due, and settle exactly that: if it has changed in between, show it anew."""
    recruitment_here(project, platform)
    title, refused = f"Pay what is due on {name_of(platform)}", ""
    if off := why_off(platform):
        return _page(request, project, platform, title, warnings=[off])
    if request.method == "POST":
        refused = do_by_page(pay, request, project, platform=platform)
        if not refused:
            return redirect(platform_address(project, platform))
    due = due_payments(project, OnPlatform(platform=platform), page_caller(request))
    return _page(request, project, platform, title, status=409 if refused else 200, **_due(project, due))


def _due(project: Project, due: DuePayments) -> dict[str, Any]:
    read = f"{due.looked_at:%d %B %Y, %H:%M} UTC" if due.looked_at else "never"
    total = money(due.total_cents, due.currency)
    about = [
        f"{len(due.payments)} to be settled, {total} for workers, without fees. The platform was last read: {read}."
    ]
    if due.pending:
        about.append(f"{due.pending} more were planned or sent before, and are completed.")
    rows = [
        [
            payment.session_name,
            worker_link(project, payment.worker, payment.worker_name),
            *(payment.kind, amount(payment.cents) if payment.cents else "-", payment.reason),
        ]
        for payment in due.payments
    ]
    headers = ("Session", "Worker", "What", "Amount", "Reason")
    return {
        "about": about,
        "tables": [{"headers": headers, "rows": rows}] if rows else [],
        "hidden": [("digest", due.digest)],
        "button": "Settle them" if rows or due.pending else "",
    }


@operation_page(withdraw, "GET", "POST")
def confirm_stop(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Say what stops, and stop recruiting once this is confirmed."""
    recruitment_here(project, platform)
    if request.method == "POST":
        do_by_page(withdraw, request, project, platform=platform)
        return redirect(platform_address(project, platform))
    title = f"Stop recruiting on {name_of(platform)}?"
    about = describe_stop(project, OnPlatform(platform=platform))
    return _page(request, project, platform, title, about=about, button="Stop", is_danger=True)


def _page(request: HttpRequest, project: Project, platform: str, title: str, **context: Any) -> HttpResponse:
    status = context.pop("status", 200)
    context |= {"project": project, "title": title, "back": platform_address(project, platform)}
    return render(request, "projects/ask.html", context, status=status)


def worker_link(project: Project, worker_id: int, name: str) -> dict[str, str]:
    """Return a cell of a table that links to the worker's page."""
    return {"url": reverse("projects:worker", args=[project.name, worker_id]), "text": name}
