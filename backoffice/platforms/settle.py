"""Admin pages that compare a platform with the ledger, pay what is due, and stop recruiting. Mixed into the page of
recruitments.
"""

import hashlib
from typing import Any

from django.contrib import messages
from django.db.models import Count, F, Sum
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html

from annotation.models import Project
from backoffice.ask_first import AsksFirst
from backoffice.links import list_of, page_of
from backoffice.platforms.recruitment_status import place_of
from pipeline.money.amounts import in_words
from pipeline.settings_versions import current_settings
from platforms.contract.errors import PlatformError
from platforms.jobs import request_settling, sync_job
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.recruit import stop_recruiting
from platforms.registry import find_platform
from platforms.settling.compare_ledger import Line, compare_ledger
from platforms.settling.plan_payments import Due, payments_to_make
from reports.owed_text import amount
from upkeep.redis_faults import start
from workers.models import Worker

MOST_COMPARED = 100
"""Offers in one request: each costs two calls or more."""
SETTLED_LATER = (
    "The queue of jobs (Redis) cannot be reached. Your request is kept: the sessions are settled when it is back."
)


class Settles(AsksFirst):
    """Mixed into the page of recruitments."""

    def compare_page(self, request: HttpRequest, row: Recruitment) -> HttpResponseBase:
        """Read everything that the platform ever paid, and show where the ledger differs. Writes nothing."""
        currency = current_settings(row.project_id)[1].currency
        back = _address(row)
        offers = Offer.objects.filter(platform=row.platform, project_id=row.project_id).count()
        if offers > MOST_COMPARED:
            command = f"manage.py reconcile {row.platform} {Project.objects.get(id=row.project_id).name}"
            warning = f"There are {offers} offers to read, which takes longer than a page can wait. Use `{command}`."
            return self.page(request, "Compare with the ledger", warnings=[warning], back=back)
        try:
            lines = compare_ledger(find_platform(row.platform), row.project_id)
        except PlatformError as error:
            return self.page(request, "Compare with the ledger", warnings=[str(error)], back=back)
        differ = [line for line in lines if not line.agrees]
        on_platform = in_words(sum(line.platform_cents for line in lines), currency)
        in_ledger = in_words(sum(line.ledger_cents for line in lines), currency)
        who = "1 worker was" if len(lines) == 1 else f"{len(lines)} workers were"
        about = [
            f"{who} paid {on_platform} there; the ledger says {in_ledger}.",
            "Both agree to the cent, worker by worker." if not differ else "The others agree to the cent.",
        ]
        wrong = [
            f"The payments of {len(differ)} differ. Choose “Read now”, then compare again: "
            "payments that we missed are recorded."
        ]
        return self.page(
            request,
            "Compare with the ledger",
            about=about,
            warnings=wrong if differ else [],
            tables=[{"headers": ("worker", "paid there", "in the ledger", "difference"), "rows": _differences(differ)}],
            back=back,
        )

    def pay_page(self, request: HttpRequest, row: Recruitment) -> HttpResponseBase:
        """Show what is due, and settle exactly that: if it has changed in between, show it anew."""
        try:
            find_platform(row.platform)
        except PlatformError as error:
            return self.page(request, "Pay what is due", warnings=[str(error)], back=_address(row))
        due = payments_to_make(row.platform, row.project_id)
        shown = _mark(due)
        changed = request.method == "POST" and request.POST.get("shown") != shown
        if request.method == "POST" and not changed:
            self.log_change(request, row, f"pays {len(due)}")
            if request_settling(row.platform, row.project_id):
                messages.success(request, "The sessions are being settled. What fails is shown below.")
            else:
                messages.warning(request, SETTLED_LATER)
            return redirect(_address(row))
        currency = current_settings(row.project_id)[1].currency
        read = f"{row.looked_at:%d %B %Y, %H:%M} UTC" if row.looked_at else "never"
        total = in_words(sum(one.cents for one in due), currency)
        under_way = _under_way(row)
        about = [f"{len(due)} to be settled, {total} for workers, without fees. The platform was last read: {read}."]
        if under_way:
            about.append(format_html("{} were planned or sent before, and are completed.", under_way))
        return self.page(
            request,
            "Pay what is due",
            about=about,
            warnings=["Something has changed since this page was shown: look again before you settle."]
            if changed
            else [],
            tables=[{"headers": ("session", "worker", "what", "amount", "reason"), "rows": _due(due)}],
            hidden=[("shown", shown)],
            button="Settle them" if due or under_way else "",
            back=_address(row),
        )

    def stop_page(self, request: HttpRequest, row: Recruitment) -> HttpResponseBase:
        if request.method == "POST":
            ended = stop_recruiting(row)
            self.log_change(request, row, "stops")
            start(sync_job, row.platform, row.project_id)
            messages.success(
                request, f"Stopped. {ended} offers end there; workers who have begun can finish, and are paid."
            )
            return redirect(_address(row))
        offers = Offer.objects.filter(platform=row.platform, project_id=row.project_id, state=Offer.State.OPEN)
        counted = offers.aggregate(offers=Count("id"), places=Sum(F("places") - F("taken")))
        at_work = Session.objects.filter(offer__platform=row.platform, offer__project_id=row.project_id)
        busy = at_work.filter(state=Session.State.OPEN, platform_state="").count()
        return self.page(
            request,
            "Stop recruiting",
            about=[
                f"{counted['offers']} open offers end, with {counted['places'] or 0} places. No new worker finds them.",
                f"Workers who have begun ({busy} now) can finish and are paid: sessions are settled as before.",
            ],
            button="Stop",
            variant="danger",
            back=_address(row),
        )


def _address(row: Recruitment) -> str:
    return reverse("admin:platforms_recruitment_change", args=[row.pk])


def _differences(lines: list[Line]) -> list[list[Any]]:
    ids = dict(Worker.objects.filter(name__in=[line.worker for line in lines]).values_list("name", "id"))
    return [
        [
            page_of(Worker, ids[line.worker], line.worker) if line.worker in ids else line.worker,
            *map(amount, (line.platform_cents, line.ledger_cents, line.platform_cents - line.ledger_cents)),
        ]
        for line in lines
    ]


def _due(due: list[Due]) -> list[list[Any]]:
    return [
        [
            page_of(Session, one.session.pk, one.session.external_id),
            page_of(Worker, one.session.worker_id, one.session.worker.name),
            *(one.kind.label, amount(one.cents) if one.cents else "-", one.reason),
        ]
        for one in due
    ]


def _mark(due: list[Due]) -> str:
    """Return a digest of exactly these payments."""
    facts = sorted((one.session.pk, one.kind.value, one.cents) for one in due)
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _under_way(row: Recruitment) -> Any:
    """Return a link to the payments that are planned or sent, or 0."""
    place = place_of(row, "session__offer__")
    count = Payment.objects.filter(**place, state__in=["planned", "sent"]).count()
    return list_of(Payment, f"{count} more", place) if count else 0
