"""The page of recruiting: each platform with its offers, sessions and money; and a read of a platform on request."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.project.queries import tasks_of
from platforms.contract import RecruitmentTerms
from platforms.models import Recruitment
from platforms.mturk import NAME as MTURK
from platforms.registry import PLATFORMS, find_platform
from platforms.settling.worker_money import amount
from platforms.status import AUDIENCES, OfferedPlaces, PlatformFigures, status_of
from projects.access import managers_only, operation_page, page_caller
from projects.operation import Refused
from projects.operation_page import CheckedChoices, OperationForm, do_by_page, done_or_refused, form_for, submit_form
from projects.recruiting.operations import (
    DuePayments,
    LargestCost,
    LedgerComparison,
    OnPlatform,
    charge_in_words,
    describe_offered_task,
    describe_stop,
    due_payments,
    offer_cost,
    pay,
    publish,
    read_platform,
    reconcile,
    try_offer,
    withdraw,
)
from projects.recruiting.places import (
    ABOUT,
    name_of,
    platform_address,
    platform_here,
    recruitment_here,
    rows_at,
    why_off,
)
from runtime.words import counted, money
from workers.models import Worker

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


@managers_only("GET", archived=True)
def recruit(request: HttpRequest, project: Project) -> HttpResponse:
    """Show where the project's work is offered, and how it goes there."""
    begun = {row.platform: row for row in Recruitment.objects.filter(project=project)}
    names = sorted(PLATFORMS.keys() | begun.keys(), key=lambda name: (name not in begun, name))
    context = {
        "project": project,
        "places": [platform_state(project, name, begun.get(name)) for name in names],
        "draft": project.state == ProjectState.DRAFT.value,
    }
    return render(request, "projects/recruiting/recruit.html", context)


@operation_page(read_platform, "POST")
def read(request: HttpRequest, project: Project, platform: str) -> HttpResponse:
    """Read the platform now."""
    do_by_page(read_platform, request, project, platform=platform)
    return redirect(platform_address(project, platform))


class StateFigure(NamedTuple):
    """A number of the state, which links to its rows."""

    value: str
    words: str
    url: str = ""


@dataclass(frozen=True)
class PlatformState:
    """One platform, and how recruiting stands there."""

    platform: str
    name: str
    about: str
    off: str
    """The reason why nothing can be offered, read or paid there; empty if the platform is set up."""
    recruitment: Recruitment | None = None
    warnings: list[StateFigure] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    figures: list[StateFigure] = field(default_factory=list)
    offers: list[tuple[OfferedPlaces, str]] = field(default_factory=list)
    """Places, and whom they are for."""
    links: list[str] = field(default_factory=list)
    terms: list[tuple[str, str]] = field(default_factory=list)

    @property
    def predicts(self) -> bool:
        """Whether the platform predicted the time of an open offer."""
        return any(offer.recruited_in for offer, _ in self.offers)


def platform_state(project: Project, platform: str, recruitment: Recruitment | None) -> PlatformState:
    """Return the state, from our own rows, without a call to the platform."""
    common: dict[str, Any] = {
        "platform": platform,
        "name": name_of(platform),
        "about": ABOUT.get(platform, ""),
        "off": why_off(platform),
    }
    if recruitment is None:
        return PlatformState(**common)
    status = status_of(platform, project.pk)
    return PlatformState(
        **common,
        recruitment=recruitment,
        warnings=list(_warnings(project, platform, status)),
        failures=status.failures,
        figures=list(_figures(project, platform, status)),
        offers=[(offer, AUDIENCES[offer.kind]) for offer in status.offers],
        links=status.links,
        terms=terms_in_words(RecruitmentTerms(**recruitment.terms)),
    )


def _warnings(project: Project, platform: str, status: PlatformFigures) -> Iterator[StateFigure]:
    if number := len(status.unearned):
        words = "handed in there and not finished here: approve or reject by hand."
        yield StateFigure(counted(number, "session"), words, rows_at("sessions", project, platform, "unearned"))
    if number := len(status.refused):
        words = f"refused by the platform, such as {status.refused[0]}"
        yield StateFigure(counted(number, "payment"), words, rows_at("payments", project, platform, "refused"))
    if status.stranded:
        words = "are owed to workers whose sessions never reached the platform: paid with their next session."
        yield StateFigure(money(sum(status.stranded.values()), status.currency), words)


def _figures(project: Project, platform: str, status: PlatformFigures) -> Iterator[StateFigure]:
    def sessions(show: str) -> str:
        return rows_at("sessions", project, platform, show)

    yield StateFigure(f"{status.at_work:,}", "at work", sessions("open"))
    waits = f", {status.not_arrived:,} of them not yet handed in there" if status.not_arrived else ""
    yield StateFigure(f"{status.handed_in:,}", f"handed in and not settled{waits}", sessions("waiting"))
    yield StateFigure(f"{status.settled:,}", "settled", sessions("settled"))
    yield StateFigure(f"{status.due:,}", "to be settled next")
    if status.sent:
        words = "sent without an answer: the next round asks about them"
        yield StateFigure(f"{status.sent:,}", words, rows_at("payments", project, platform, "sent"))
    yield StateFigure(
        money(status.paid_cents, status.currency), "paid, without fees", rows_at("payments", project, platform)
    )


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
