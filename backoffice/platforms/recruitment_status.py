"""The state of a recruitment for its admin page: in words, as a table, and with what needs attention."""

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from backoffice.links import list_of
from backoffice.platforms.terms_form import docs_of, in_rows
from pipeline.money.amounts import in_words
from pipeline.rules.tasks.task import Task
from platforms.contract.errors import PlatformOffError
from platforms.contract.terms import Terms
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.registry import find_platform
from platforms.status import AUDIENCES, Offered, Status, status_of

HEADERS = ("task", "for whom", "open", "not confirmed", "taken")


def place_of(row: Recruitment, through: str = "") -> dict[str, Any]:
    """Return the list filter for the rows of a recruitment; `through` leads from a row to its offer."""
    return {f"{through}platform": row.platform, f"{through}project__id__exact": row.project_id}


def status_context(row: Recruitment) -> dict[str, Any]:
    """Return what the page's templates show. Read from our own rows, without a call to the platform."""
    status = status_of(row.platform, row.project_id)
    return {
        "status_warnings": _warnings(row, status),
        "status_lines": _lines(row, status),
        "status_table": {"headers": HEADERS, "rows": [_offered(row, one) for one in status.offers]},
        "terms": in_rows(Terms.read(row.terms)),
    }


def _warnings(row: Recruitment, status: Status) -> list[SafeString | str]:
    found: list[SafeString | str] = []
    try:
        find_platform(row.platform)
    except PlatformOffError as error:
        found.append(f"{error} Until then nothing is read or paid there: see {docs_of(row.platform)}.")
    place = place_of(row, "offer__")
    if status.unearned:
        link = list_of(Session, f"{len(status.unearned)} handed in", {**place, "look": "unearned"})
        found.append(format_html("{} there and not finished here: approve or reject these sessions by hand.", link))
    if status.refused:
        link = list_of(
            Payment, f"{len(status.refused)} refused", {"state__exact": "refused", **place_of(row, "session__offer__")}
        )
        found.append(format_html("{} by the platform, such as {}", link, status.refused[0]))
    return [*found, *(f"Last error: {one}" for one in status.failures)]


def _lines(row: Recruitment, status: Status) -> list[SafeString]:
    place = place_of(row, "offer__")

    def sessions(count: int, **chosen: str) -> SafeString:
        return list_of(Session, f"{count:,}", {**place, **chosen})

    return [
        format_html(
            "{} at work. {} handed in and not settled, {} of them not yet handed in on the platform. {} settled.",
            sessions(status.at_work, state__exact="open"),
            sessions(status.handed_in, state__exact="finished"),
            sessions(status.not_arrived, look="absent"),
            f"{status.settled:,}",
        ),
        format_html(
            "{} paid, without fees. {} to be settled next. {} sent without an answer: the next round asks about them.",
            *(in_words(status.paid_cents, status.currency), f"{status.due:,}", f"{status.sent:,}"),
        ),
    ]


def _offered(row: Recruitment, one: Offered) -> list[Any]:
    filters = {**place_of(row), "task": one.task, "kind__exact": one.kind}
    return [
        list_of(Offer, Task(one.task).label, filters),
        AUDIENCES[one.kind],
        *(f"{n:,}" for n in (one.open, one.planned, one.taken)),
    ]
