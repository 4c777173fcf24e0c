"""The page of payments: what a platform was asked to pay, and what to do if it refused or never answered."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from platforms.models import Payment
from platforms.settling.worker_money import amount
from projects.access import operation_page
from projects.act_on_rows import RowAct, RowActs, act_on_rows
from projects.long_table import Cell, ListColumn, LongTable, TableFilter, choice_field, search_field, show_table
from projects.recruiting.decisions import decide_payment
from projects.recruiting.places import name_of, platform_address, recruitment_here, rows_at
from runtime.words import money


class PaymentFilter(TableFilter):
    """The fields of the table's form."""

    q = search_field("Session or worker", "id there, or name here")
    show = choice_field(
        "Show",
        [
            ("refused", "refused by the platform"),
            ("sent", "sent, without an answer"),
            ("planned", "planned"),
            ("done", "done"),
        ],
    )


EMPTY = "Nothing was paid there yet: payments are planned when a session is handed in."
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


@operation_page(decide_payment, "GET", "POST")
def payments(request: HttpRequest, project: Project, platform: str) -> HttpResponseBase:
    """List the payments; a POST acts on those that are chosen."""
    recruitment_here(project, platform)
    rows = Payment.objects.filter(session__offer__project=project, session__offer__platform=platform)
    rows = rows.select_related("session__worker")
    if request.method == "POST":
        return act_on_rows(request, project, rows, ON_ROWS, request.get_full_path())
    filters = PaymentFilter(request.GET)
    if show := filters.value("show"):
        rows = rows.filter(state=show)
    if words := filters.value("q"):
        rows = rows.filter(Q(session__external_id=words) | Q(session__worker__name__icontains=words))
    table = LongTable("payments", "payment", _columns(project), filters, "-planned", EMPTY, acts=ON_ROWS.choices)
    context = {
        "title": f"Payments on {name_of(platform)}",
        "sessions": rows_at("sessions", project, platform),
        "back": platform_address(project, platform),
        "due": reverse("projects:settle", args=[project.name, platform]),
    }
    return show_table(request, project, table, rows, "projects/recruiting/payments.html", context)


def _columns(project: Project) -> Sequence[ListColumn[Payment]]:
    currency = current_settings(project.pk)[1].currency

    def worker(row: Payment) -> Cell:
        address = reverse("projects:worker", args=[project.name, row.session.worker_id])
        return Cell(row.session.worker.name, url=address)

    return (
        ListColumn(
            "payment",
            lambda row: row.kind,
            "Payment",
            lambda row: Cell(row.kind, [row.session.external_id], pick=row.pk),
            "kind",
        ),
        ListColumn("session", lambda row: row.session.external_id),
        ListColumn("worker", lambda row: row.session.worker.name, "Worker", worker, "session__worker__name"),
        ListColumn(
            "cents",
            lambda row: row.cents,
            "Amount",
            lambda row: money(row.cents, currency) if row.cents else "",
            "cents",
            is_number=True,
        ),
        ListColumn(
            "state",
            lambda row: row.state,
            "State",
            lambda row: Cell(row.state, [row.last_error] if row.last_error else []),
            "state",
        ),
        ListColumn("error", lambda row: row.last_error),
        ListColumn("reason", lambda row: row.reason, "Reason"),
        ListColumn("planned", lambda row: row.created_at, "Planned", sort="created_at"),
        ListColumn(
            "sent",
            lambda row: row.sent_at,
            "Sent",
            lambda row: row.sent_at or Cell("not yet", is_quiet=True),
            "sent_at",
        ),
    )


def _cells(chosen: Sequence[Payment]) -> list[list[Any]]:
    return [[str(row), row.get_state_display(), amount(row.cents), row.last_error] for row in chosen]


ON_ROWS = RowActs("payments", PAYMENT_ACTS, ("Payment", "State", "Amount", "Last error"), _cells)
