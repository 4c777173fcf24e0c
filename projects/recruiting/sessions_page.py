"""The pages of a platform's sessions and payments: how each was settled, and what a requester does about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from platforms.models import Offer, Payment, Session
from platforms.rules.settling import SessionFacts
from platforms.sessions import session_facts
from platforms.settling.worker_money import amount
from projects.access import operation_page
from projects.long_table import Cell, ListColumn, LongTable, TableFilter, choice_field, search_field, show_table
from projects.operation_page import RowAct, RowActs, act_on_rows
from projects.recruiting.decisions import decide_payment, decide_session
from projects.recruiting.places import name_of, platform_address, recruitment_here, rows_at
from runtime import clock
from runtime.words import counted, money


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


NO_PAYMENT = "Nothing was paid there yet: payments are planned when a session is handed in."
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
        return act_on_rows(request, project, rows, ON_PAYMENTS, request.get_full_path())
    filters = PaymentFilter(request.GET)
    if show := filters.value("show"):
        rows = rows.filter(state=show)
    if words := filters.value("q"):
        rows = rows.filter(Q(session__external_id=words) | Q(session__worker__name__icontains=words))
    table = LongTable(
        "payments", "payment", _payment_columns(project), filters, "-planned", NO_PAYMENT, acts=ON_PAYMENTS.choices
    )
    context = {
        "title": f"Payments on {name_of(platform)}",
        "sessions": rows_at("sessions", project, platform),
        "back": platform_address(project, platform),
        "due": reverse("projects:settle", args=[project.name, platform]),
    }
    return show_table(request, project, table, rows, "projects/recruiting/payments.html", context)


def _payment_columns(project: Project) -> Sequence[ListColumn[Payment]]:
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


def _payment_cells(chosen: Sequence[Payment]) -> list[list[Any]]:
    return [[str(row), row.get_state_display(), amount(row.cents), row.last_error] for row in chosen]


ON_PAYMENTS = RowActs("payments", PAYMENT_ACTS, ("Payment", "State", "Amount", "Last error"), _payment_cells)


State, PlatformState = Session.State, Session.PlatformState
SESSION_FILTERS = {
    "open": ("at work", Q(state=State.OPEN, platform_state="")),
    "waiting": ("to be settled", Q(state=State.FINISHED, platform_state__in=["", PlatformState.SUBMITTED])),
    "settled": ("settled", Q(platform_state__in=[PlatformState.APPROVED, PlatformState.REJECTED])),
    "unearned": ("handed in there, not here", Q(platform_state=PlatformState.SUBMITTED) & ~Q(state=State.FINISHED)),
    "absent": ("handed in here, not there", Q(platform_state="", state=State.FINISHED)),
    "elsewhere": ("opened elsewhere, too", Q(strangers__gt=0)),
}
HERE = {State.OPEN: "at work", State.FINISHED: "handed in", State.LEFT: "left"}
THERE = {
    PlatformState.UNKNOWN: "not handed in",
    PlatformState.SUBMITTED: "handed in",
    PlatformState.APPROVED: "approved",
    PlatformState.REJECTED: "rejected",
    PlatformState.RETURNED: "given back",
}
EMPTY = "Nobody has opened the work there yet."
SESSION_ACTS = {
    "soft": RowAct(
        "Pay, but do not use",
        "The sessions are approved and paid. Answers that nothing has followed from are asked again of other workers.",
        decide_session,
        "session",
        {"decision": "leave out"},
    ),
    "refuse": RowAct(
        "Refuse",
        "All that the sessions earned and that is not paid yet is refused. If nothing is left of a session's pay, the "
        "next round rejects it on the platform, which also counts against the worker there. This is the last remedy: "
        "usually it is enough to pay for the answers without using them.",
        decide_session,
        "session",
        {"decision": "refuse"},
        is_danger=True,
    ),
    "restore": RowAct(
        "Take the refusal back",
        "The refused pay is owed again. If a session was rejected, the next round approves it after all.",
        decide_session,
        "session",
        {"decision": "restore"},
    ),
    "approve": RowAct(
        "Not finished here: approve all the same",
        "The platform pays the reward and its fee, whatever was done here; the ledger counts it as a bonus.",
        decide_session,
        "session",
        {"decision": "approve"},
    ),
    "part": RowAct(
        "Not finished here: pay what was earned",
        "Prolific approves the sessions for the part of the reward that was earned here. What is left of it is paid "
        "as a bonus.",
        decide_session,
        "session",
        {"decision": "approve part"},
    ),
    "return": RowAct(
        "Ask to give it back",
        "Prolific sends the workers your reason. A session that is given back is not paid, and does not count against "
        "the worker. Refuse its pay first; a rejection then waits for 7 days.",
        decide_session,
        "session",
        {"decision": "request return"},
    ),
    "reject": RowAct(
        "Not finished here: reject",
        "Nothing is paid, and it counts against the worker on the platform. Perhaps our page failed the worker: "
        "approve where you are not sure.",
        decide_session,
        "session",
        {"decision": "reject"},
        is_danger=True,
    ),
    "release": RowAct(
        "Let the worker open it elsewhere",
        "The next browser that opens the session holds it, whoever sits there. Do this if the worker told you that "
        "they changed their browser or network.",
        decide_session,
        "session",
        {"decision": "release"},
        reason="It is kept in the history of the session.",
    ),
}


class SessionFilter(TableFilter):
    """The fields of the table's form."""

    q = search_field("Session, offer or worker", "id there, or name here")
    show = choice_field("Show", [(key, words) for key, (words, _) in SESSION_FILTERS.items()])


@operation_page(decide_session, "GET", "POST")
def sessions(request: HttpRequest, project: Project, platform: str) -> HttpResponseBase:
    """List the sessions; a POST acts on those that are chosen."""
    recruitment_here(project, platform)
    rows = Session.objects.filter(offer__project=project, offer__platform=platform).select_related("worker", "offer")
    if request.method == "POST":
        return act_on_rows(request, project, rows, ON_ROWS, request.get_full_path())
    filters = SessionFilter(request.GET)
    if show := filters.value("show"):
        rows = rows.filter(SESSION_FILTERS[show][1])
    found = _searched(rows, filters.value("q")).prefetch_related("payments")
    table = LongTable(
        "sessions", "session", _columns(project), filters, "-opened", EMPTY, fill=_with_facts, acts=ON_ROWS.choices
    )
    context = {
        "title": f"Sessions on {name_of(platform)}",
        "payments": rows_at("payments", project, platform),
        "back": platform_address(project, platform),
        "due": reverse("projects:settle", args=[project.name, platform]),
    }
    return show_table(request, project, table, found, "projects/recruiting/sessions.html", context)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session with its money."""

    session: Session
    facts: SessionFacts

    @property
    def state(self) -> str:
        return HERE[State(self.session.state)]

    @property
    def platform_state(self) -> str:
        return THERE[PlatformState(self.session.platform_state)]


def _with_facts(rows: Sequence[Session]) -> list[SessionRow]:
    facts = session_facts(rows, clock.now())
    return [SessionRow(row, facts[row.pk]) for row in rows]


def _columns(project: Project) -> Sequence[ListColumn[SessionRow]]:
    currency = current_settings(project.pk)[1].currency

    def session(row: SessionRow) -> Cell:
        strangers = row.session.strangers
        hints = [Task(row.session.offer.task).label]
        if row.session.offer.kind == Offer.Kind.TEST:
            hints.append("trial, without pay")
        if asked := row.session.return_asked_at:
            hints.append(f"asked to give it back on {asked:%d %B}")
        if strangers:
            hints.append(f"{counted(strangers, 'visit')} from elsewhere refused")
        return Cell(row.session.external_id, hints, pick=row.session.pk)

    def worker(row: SessionRow) -> Cell:
        address = reverse("projects:worker", args=[project.name, row.session.worker_id])
        return Cell(row.session.worker.name, url=address)

    def earned(row: SessionRow) -> Cell:
        hints = [f"reward {money(row.session.offer.reward_cents, currency)}"]
        if row.facts.refused:
            hints.append(f"{money(row.facts.refused, currency)} refused")
        return Cell(money(row.facts.earned, currency), hints)

    def payments(row: SessionRow) -> list[str]:
        return [f"{paid.kind} {money(paid.cents, currency)}: {paid.state}" for paid in row.session.payments.all()]

    return (
        ListColumn("session", lambda row: row.session.external_id, "Session", session, "external_id"),
        ListColumn("task", lambda row: row.session.offer.task),
        ListColumn("strangers", lambda row: row.session.strangers),
        ListColumn("worker", lambda row: row.session.worker.name, "Worker", worker, "worker__name"),
        ListColumn("state", lambda row: row.state, "Here", sort="state"),
        ListColumn("platform_state", lambda row: row.platform_state, "On the platform", sort="platform_state"),
        ListColumn("earned_cents", lambda row: row.facts.earned, "Earned", earned, is_number=True),
        ListColumn("reward_cents", lambda row: row.session.offer.reward_cents),
        ListColumn("refused_cents", lambda row: row.facts.refused),
        ListColumn("payments", payments, "Payments", lambda row: Cell("", payments(row) or ["none"])),
        ListColumn("opened", lambda row: row.session.opened_at, "Opened", sort="opened_at"),
    )


def _searched(rows: QuerySet[Session], query: str) -> QuerySet[Session]:
    """Return the sessions that the platform calls so, whose offer or worker it calls so, or whose worker we do."""
    if not query:
        return rows
    found = Q(external_id=query) | Q(offer__external_id=query) | Q(worker__identities__external_id=query)
    return rows.filter(found | Q(worker__name__icontains=query)).distinct()


def _cells(chosen: Sequence[Session]) -> list[list[Any]]:
    return [
        [
            str(row.session),
            *(row.state, row.platform_state),
            *map(amount, (row.session.offer.reward_cents, row.facts.earned, row.facts.refused)),
        ]
        for row in _with_facts(chosen)
    ]


ON_ROWS = RowActs(
    "sessions", SESSION_ACTS, ("Session", "Here", "On the platform", "Reward", "Earned", "Refused"), _cells
)
