"""Admin pages that compare with a platform, pay what is due, and stop."""

import hashlib
from typing import Any

from django.contrib import messages
from django.db.models import Count, F, Sum
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html

from annotation.models import Project
from backoffice.data.annotation_admin import list_of, page_of
from backoffice.platforms.ask import AsksFirst
from pipeline.money.amounts import in_words
from pipeline.settings_versions import current_settings
from platforms.contract.errors import PlatformError
from platforms.jobs import settle_job, sync_job
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.recruit import stop_recruiting
from platforms.registry import find_platform
from platforms.settling.compare_ledger import Line, compare_ledger
from platforms.settling.plan_payments import Due, payments_to_make
from reports.owed_text import amount
from workers.models import Worker

MOST_COMPARED = 100
"""Offers in one request: each costs two calls or more."""


class Settles(AsksFirst):
    """Mixed into the admin pages of recruitments."""

    def compare_page(self, request: HttpRequest, row: Recruitment) -> HttpResponseBase:
        """Reads everything that the platform ever paid; writes nothing."""
        currency = current_settings(row.project_id)[1].currency
        back = _page_of(row)
        offers = Offer.objects.filter(platform=row.platform, project_id=row.project_id).count()
        if offers > MOST_COMPARED:
            command = f"manage.py reconcile {row.platform} {Project.objects.get(id=row.project_id).name}"
            warning = f"{offers} offers are to be read, which takes longer than a page can wait. Use `{command}`."
            return self.page(request, "Compare with the ledger", warnings=[warning], back=back)
        try:
            lines = compare_ledger(find_platform(row.platform), row.project_id)
        except PlatformError as error:
            return self.page(request, "Compare with the ledger", warnings=[str(error)], back=back)
        differ = [line for line in lines if not line.agrees]
        totals = [in_words(sum(cents), currency) for cents in ([x.there for x in lines], [x.here for x in lines])]
        who = "1 worker was" if len(lines) == 1 else f"{len(lines)} workers were"
        about = [
            f"{who} paid {totals[0]} there; the ledger says {totals[1]}.",
            "They agree to the cent, worker by worker." if not differ else "The others agree to the cent.",
        ]
        wrong = [f"The payments of {len(differ)} differ. Read now, then compare again: what we missed is written down."]
        return self.page(
            request,
            "Compare with the ledger",
            about=about,
            warnings=wrong if differ else [],
            tables=[{"headers": ("worker", "paid there", "in the ledger", "difference"), "rows": _differences(differ)}],
            back=back,
        )

    def pay_page(self, request: HttpRequest, row: Recruitment) -> HttpResponseBase:
        """What is shown is what is settled: if it has changed in between, it is shown anew."""
        try:
            find_platform(row.platform)
        except PlatformError as error:
            return self.page(request, "Pay what is due", warnings=[str(error)], back=_page_of(row))
        due = payments_to_make(row.platform, row.project_id)
        shown = _mark(due)
        changed = request.method == "POST" and request.POST.get("shown") != shown
        if request.method == "POST" and not changed:
            self.log_change(request, row, f"pays {len(due)}")  # type: ignore[attr-defined]
            settle_job.delay(row.platform, row.project_id)
            messages.success(request, "They are being settled. What could not be done is shown below.")
            return redirect(_page_of(row))
        currency = current_settings(row.project_id)[1].currency
        read = f"{row.looked_at:%d %B %Y, %H:%M} UTC" if row.looked_at else "never"
        total = in_words(sum(one.cents for one in due), currency)
        under_way = _under_way(row)
        about = [f"{len(due)} to be settled, {total} for workers, without fees. The platform was last read: {read}."]
        if under_way:
            about.append(format_html("{} were planned or said before, and are carried to their end.", under_way))
        return self.page(
            request,
            "Pay what is due",
            about=about,
            warnings=["Something has changed since this page was shown: look again."] if changed else [],
            tables=[{"headers": ("session", "worker", "what", "amount", "reason"), "rows": _due(due)}],
            hidden=[("shown", shown)],
            button="Settle them" if due or under_way else "",
            back=_page_of(row),
        )

    def stop_page(self, request: HttpRequest, row: Recruitment) -> HttpResponseBase:
        if request.method == "POST":
            ended = stop_recruiting(row)
            self.log_change(request, row, "stops")  # type: ignore[attr-defined]
            sync_job.delay(row.platform, row.project_id)
            messages.success(request, f"Stopped. {ended} offers end there; who is at work can finish, and is paid.")
            return redirect(_page_of(row))
        offers = Offer.objects.filter(platform=row.platform, project_id=row.project_id, state=Offer.State.OPEN)
        counted = offers.aggregate(offers=Count("id"), places=Sum(F("places") - F("taken")))
        at_work = Session.objects.filter(offer__platform=row.platform, offer__project_id=row.project_id)
        busy = at_work.filter(state=Session.State.OPEN, platform_state="").count()
        return self.page(
            request,
            "Stop recruiting",
            about=[
                f"{counted['offers']} open offers end, with {counted['places'] or 0} places. Nobody new finds them.",
                f"Who is at work ({busy} now) can finish and is paid: sessions are settled as before.",
            ],
            button="Stop",
            variant="danger",
            back=_page_of(row),
        )


def _page_of(row: Recruitment) -> str:
    return reverse("admin:workers_recruitment_change", args=[row.pk])


def _differences(lines: list[Line]) -> list[list[Any]]:
    ids = dict(Worker.objects.filter(name__in=[line.worker for line in lines]).values_list("name", "id"))
    return [
        [
            page_of(Worker, ids[line.worker], line.worker) if line.worker in ids else line.worker,
            *map(amount, (line.there, line.here, line.there - line.here)),
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
    """Of exactly these payments."""
    said = sorted((one.session.pk, one.kind.value, one.cents) for one in due)
    return hashlib.sha256(repr(said).encode()).hexdigest()


def _under_way(row: Recruitment) -> Any:
    """Linked, or 0."""
    place = {"session__offer__platform": row.platform, "session__offer__project_id": row.project_id}
    count = Payment.objects.filter(**place, state__in=["planned", "sent"]).count()
    return list_of(Payment, f"{count} more", place) if count else 0
