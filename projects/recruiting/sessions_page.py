"""The page of a platform's sessions: what each earned, how it was settled, and what a requester does about it."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from platforms.models import Session
from platforms.rules.settling import SessionFacts
from platforms.sessions.session_facts import session_facts
from platforms.settling.worker_money import amount
from projects.access import managers_only
from projects.act_on_rows import RowAct, RowActs, act_on_rows
from projects.recruiting.places import name_of, platform_address, recruitment_here, rows_at
from projects.recruiting.row_operations import decide_session
from runtime import clock

PER_PAGE = 50
State, PlatformState = Session.State, Session.PlatformState
SESSION_FILTERS = {
    "": ("all", Q()),
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


@managers_only("GET", "POST", archived=True)
def sessions(request: HttpRequest, project: Project, platform: str) -> HttpResponseBase:
    """List the sessions; a POST acts on those that are chosen."""
    recruitment_here(project, platform)
    rows = Session.objects.filter(offer__project=project, offer__platform=platform).select_related("worker", "offer")
    show = request.GET.get("show", "")
    show = show if show in SESSION_FILTERS else ""
    if request.method == "POST":
        return act_on_rows(request, project, rows, ON_ROWS, request.get_full_path())
    query = request.GET.get("q", "").strip()
    found = _searched(rows.filter(SESSION_FILTERS[show][1]), query).prefetch_related("payments")
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    facts = session_facts(shown, clock.now())
    context = {
        "project": project,
        "title": f"Sessions on {name_of(platform)}",
        "page": page,
        "rows": [_row(row, facts[row.pk]) for row in shown],
        "currency": current_settings(project.pk)[1].currency,
        "show": show,
        "query": query,
        "shows": [(key, words) for key, (words, _) in SESSION_FILTERS.items()],
        "acts": ON_ROWS.choices,
        "filters": f"&{urlencode({'show': show, 'q': query})}",
        "payments": rows_at("payments", project, platform),
        "back": platform_address(project, platform),
    }
    return render(request, "projects/recruiting/sessions.html", context)


def _row(row: Session, facts: SessionFacts) -> dict[str, Any]:
    states = {"here": HERE[State(row.state)], "there": THERE[PlatformState(row.platform_state)]}
    return {"session": row, "facts": facts, "payments": row.payments.all(), **states}


def _searched(rows: QuerySet[Session], query: str) -> QuerySet[Session]:
    """Return the sessions that the platform calls so, whose offer or worker it calls so, or whose worker we do."""
    if not query:
        return rows
    found = Q(external_id=query) | Q(offer__external_id=query) | Q(worker__identities__external_id=query)
    return rows.filter(found | Q(worker__name__icontains=query)).distinct()


def _cells(chosen: Sequence[Session]) -> list[list[Any]]:
    facts = session_facts(chosen, clock.now())
    return [
        [
            str(row),
            *(HERE[State(row.state)], THERE[PlatformState(row.platform_state)]),
            *map(amount, (row.offer.reward_cents, facts[row.pk].earned, facts[row.pk].refused)),
        ]
        for row in chosen
    ]


ON_ROWS = RowActs(
    "sessions", SESSION_ACTS, ("Session", "Here", "On the platform", "Reward", "Earned", "Refused"), _cells
)
