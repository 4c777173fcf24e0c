"""How a recruitment stands, for its admin page: in words, in a table, and what wants looking at."""

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from backoffice.data.annotation_admin import list_of
from backoffice.platforms.terms import docs_of, in_rows
from pipeline.money.amounts import in_words
from pipeline.rules.tasks.task import Task
from platforms.contract.errors import PlatformOffError
from platforms.contract.terms import Terms
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.registry import find_platform
from platforms.status import Offered, Status, status_of

HEADERS = ("task", "for whom", "open", "not confirmed", "taken")


def status_context(row: Recruitment) -> dict[str, Any]:
    """Without a call to the platform."""
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
        found.append(f"{error} Nothing is read or paid there until it is: see {docs_of(row.platform)}.")
    place = {"offer__platform": row.platform, "offer__project_id": row.project_id}
    if status.unearned:
        link = list_of(Session, f"{len(status.unearned)} handed in", {**place, "look": "unearned"})
        found.append(format_html("{} there and not finished here: approve or reject them by hand.", link))
    if status.refused:
        link = list_of(Payment, f"{len(status.refused)} refused", {"state__exact": "refused", **_far(row)})
        found.append(format_html("{} by the platform, such as {}", link, status.refused[0]))
    return [*found, *(f"Last error: {one}" for one in status.failures)]


def _far(row: Recruitment) -> dict[str, Any]:
    return {"session__offer__platform": row.platform, "session__offer__project_id": row.project_id}


def _lines(row: Recruitment, status: Status) -> list[SafeString]:
    place = {"offer__platform": row.platform, "offer__project_id": row.project_id}

    def sessions(count: int, **chosen: str) -> SafeString:
        return list_of(Session, f"{count:,}", {**place, **chosen})

    return [
        format_html(
            "{} at work. {} handed in and not settled, {} of them not there yet. {} settled.",
            sessions(status.at_work, state__exact="open"),
            sessions(status.handed_in, state__exact="finished"),
            sessions(status.not_arrived, look="absent"),
            f"{status.settled:,}",
        ),
        format_html(
            "{} paid, without fees. {} to be settled next; {} said without an answer, which are asked for again.",
            *(in_words(status.paid_cents, status.currency), f"{status.due:,}", f"{status.said:,}"),
        ),
    ]


def _offered(row: Recruitment, one: Offered) -> list[Any]:
    filters = {"platform": row.platform, "project_id": row.project_id, "task": one.task, "kind__exact": one.kind}
    whom = "newcomers" if one.kind == Offer.Kind.ENTRY else "who has passed the test"
    return [
        list_of(Offer, Task(one.task).label, filters),
        whom,
        *(f"{n:,}" for n in (one.open, one.planned, one.taken)),
    ]
