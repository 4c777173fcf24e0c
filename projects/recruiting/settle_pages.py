"""Pages that pay what is due on a platform, compare the platform with the ledger, and stop recruiting."""

import hashlib
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.db.models import Count, F, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from platforms.contract.errors import PlatformError, PlatformOffError
from platforms.jobs import request_settling, sync_job
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.recruit import stop_recruiting
from platforms.registry import find_platform
from platforms.settling.compare_ledger import WorkerPayments, compare_ledger
from platforms.settling.plan_payments import DuePayment, payments_to_make
from platforms.settling.worker_money import amount
from projects.access import managers_only
from projects.act_on_rows import write_log
from projects.recruiting.places import docs_of, name_of, platform_address, recruitment_here
from runtime.installed import COMMAND
from runtime.redis_faults import start
from runtime.words import money
from workers.models import Worker

MOST_COMPARED = 100
"""Offers in one request: each costs two calls or more."""
SETTLED_LATER = (
    "The queue of jobs (Redis) cannot be reached. Your request is kept: the sessions are settled when it is back."
)


@managers_only("GET")
def compare_ledgers(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Read everything that the platform ever paid, and show where the ledger differs. Writes nothing."""
    row = recruitment_here(project, platform)
    title = f"{name_of(platform)} compared with the ledger"
    offers = Offer.objects.filter(platform=row.platform, project=project).count()
    if offers > MOST_COMPARED:
        command = f"{COMMAND} reconcile {row.platform} {project.name}"
        warning = f"There are {offers} offers to read, which takes longer than a page can wait. Use `{command}`."
        return _page(request, row, title, warnings=[warning])
    try:
        lines = compare_ledger(find_platform(row.platform), project.pk)
    except PlatformError as error:
        return _page(request, row, title, warnings=[_why(error, platform)])
    currency = current_settings(project.pk)[1].currency
    differ = [line for line in lines if not line.agrees]
    on_platform = money(sum(line.platform_cents for line in lines), currency)
    in_ledger = money(sum(line.ledger_cents for line in lines), currency)
    who = "1 worker was" if len(lines) == 1 else f"{len(lines)} workers were"
    about = [
        f"{who} paid {on_platform} there; the ledger says {in_ledger}.",
        "Both agree to the cent, worker by worker." if not differ else "The others agree to the cent.",
    ]
    wrong = [
        f"The payments of {len(differ)} differ. Choose “Read now”, then compare again: "
        "payments that we missed are recorded."
    ]
    headers = ("Worker", "Paid there", "In the ledger", "Difference")
    tables = [{"headers": headers, "rows": _differences(project, differ)}] if differ else []
    return _page(request, row, title, about=about, warnings=wrong if differ else [], tables=tables)


@managers_only("GET", "POST")
def pay(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Show what is due, and settle exactly that: if it has changed in between, show it anew."""
    row = recruitment_here(project, platform)
    title = f"Pay what is due on {name_of(platform)}"
    try:
        find_platform(platform)
    except PlatformError as error:
        return _page(request, row, title, warnings=[_why(error, platform)])
    due = payments_to_make(platform, project.pk)
    shown = _mark(due)
    changed = request.method == "POST" and request.POST.get("shown") != shown
    if request.method == "POST" and not changed:
        write_log(request, row, f"pays {len(due)}")
        if request_settling(platform, project.pk):
            messages.success(request, "The sessions are being settled. What fails is shown below.")
        else:
            messages.warning(request, SETTLED_LATER)
        return redirect(platform_address(project, platform))
    currency = current_settings(project.pk)[1].currency
    read = f"{row.looked_at:%d %B %Y, %H:%M} UTC" if row.looked_at else "never"
    total = money(sum(payment.cents for payment in due), currency)
    about = [f"{len(due)} to be settled, {total} for workers, without fees. The platform was last read: {read}."]
    begun = Payment.objects.filter(
        session__offer__platform=platform, session__offer__project=project, state__in=["planned", "sent"]
    ).count()
    if begun:
        about.append(f"{begun} more were planned or sent before, and are completed.")
    headers = ("Session", "Worker", "What", "Amount", "Reason")
    return _page(
        request,
        row,
        title,
        about=about,
        warnings=["Something has changed since this page was shown: look again before you settle."] if changed else [],
        tables=[{"headers": headers, "rows": _due(project, due)}] if due else [],
        hidden=[("shown", shown)],
        button="Settle them" if due or begun else "",
        status=409 if changed else 200,
    )


@managers_only("GET", "POST")
def confirm_stop(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Say what stops, and stop recruiting once this is confirmed."""
    row = recruitment_here(project, platform)
    if request.method == "POST":
        ended = stop_recruiting(row)
        write_log(request, row, "stops")
        start(sync_job, row.platform, row.project_id)
        messages.success(
            request, f"Stopped. {ended} offers end there; workers who have begun can finish, and are paid."
        )
        return redirect(platform_address(project, platform))
    offers = Offer.objects.filter(platform=row.platform, project=project, state=Offer.State.OPEN)
    counted = offers.aggregate(offers=Count("id"), places=Sum(F("places") - F("taken")))
    at_work = Session.objects.filter(offer__platform=row.platform, offer__project=project)
    busy = at_work.filter(state=Session.State.OPEN, platform_state="").count()
    about = [
        f"{counted['offers']} open offers end, with {counted['places'] or 0} places. No new worker finds them.",
        f"Workers who have begun ({busy} now) can finish and are paid: sessions are settled as before.",
    ]
    title = f"Stop recruiting on {name_of(platform)}?"
    return _page(request, row, title, about=about, button="Stop", is_danger=True)


def _page(request: HttpRequest, row: Recruitment, title: str, *, status: int = 200, **context: Any) -> HttpResponse:
    back = platform_address(row.project, row.platform)
    context = {"project": row.project, "title": title, "back": back, **context}
    return render(request, "projects/ask.html", context, status=status)


def _why(error: PlatformError, platform: str) -> str:
    return f"{error} See {docs_of(platform)}." if isinstance(error, PlatformOffError) else str(error)


def _differences(project: Project, lines: Sequence[WorkerPayments]) -> list[list[Any]]:
    ids = dict(Worker.objects.filter(name__in=[line.worker for line in lines]).values_list("name", "id"))
    return [
        [
            worker_link(project, ids[line.worker], line.worker) if line.worker in ids else line.worker,
            *map(amount, (line.platform_cents, line.ledger_cents, line.platform_cents - line.ledger_cents)),
        ]
        for line in lines
    ]


def _due(project: Project, due: Sequence[DuePayment]) -> list[list[Any]]:
    return [
        [
            payment.session.external_id,
            worker_link(project, payment.session.worker_id, payment.session.worker.name),
            *(payment.kind.label, amount(payment.cents) if payment.cents else "-", payment.reason),
        ]
        for payment in due
    ]


def worker_link(project: Project, worker_id: int, name: str) -> dict[str, str]:
    """Return a cell of a table that links to the worker's page."""
    return {"url": reverse("projects:worker", args=[project.name, worker_id]), "text": name}


def _mark(due: Sequence[DuePayment]) -> str:
    """Return a digest of exactly these payments."""
    facts = sorted((payment.session.pk, payment.kind.value, payment.cents) for payment in due)
    return hashlib.sha256(repr(facts).encode()).hexdigest()
