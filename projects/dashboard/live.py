"""Live counts of a project, all in one statement: each is a count over an index."""

from datetime import datetime
from typing import Any

from django.db.models import Count, F, QuerySet, Subquery

from annotation.models import Box, Chain, Image, Project
from annotation.rules.states import BoxState, ChainState, ImageState
from labelling.models import Conversation
from pipeline.models import Entry, Judgment, Skip, Spending
from pipeline.project.open_questions import open_by_task
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from platforms.models import Offer, Payment
from projects.models import Looked
from runtime.database import cached_read
from workers.models import TrustStatus, WorkerSignal
from workers.rules.trust_states import TrustState


class CountOf(Subquery):
    """The number of rows of a query, as a column."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"


def count_all(project_id: int, queries: dict[str, QuerySet[Any]]) -> dict[str, int]:
    """Return the number of rows of each query, in one statement."""
    # Not under the bare names: "messages" is a relation of a project.
    columns = {f"count_{name}": CountOf(rows.order_by().values("pk")) for name, rows in queries.items()}
    found: dict[str, Any] = dict(Project.objects.filter(pk=project_id).values(**columns).get())
    return {name: found[f"count_{name}"] for name in queries}


NOTHING_COMMITTED = {"committed": 0, "asked": 0}


def needs_counts(project_id: int, since: datetime | None) -> dict[str, int]:
    """Count what needs a person. `since`: the requesters have read what workers said before."""
    later = {"created_at__gt": since} if since else {}
    said = Judgment.objects.filter(assignment__project=project_id, **later).exclude(comment="")
    offers = Offer.objects.filter(project_id=project_id).exclude(last_error="").exclude(state=Offer.State.ENDED)
    refused = Payment.objects.filter(session__offer__project=project_id, state=Payment.State.REFUSED)
    committed = {"committed": F("committed_cents"), "asked": F("committed_answers")}
    spent = Spending.objects.filter(project=project_id)
    counts = count_all(
        project_id,
        {
            "review": Chain.objects.filter(image__project=project_id, state=ChainState.REVIEW.value),
            "reports": Entry.objects.filter(project=project_id, kind=EntryKind.REPORT.value, **later),
            "skips": Skip.objects.filter(question__project=project_id, **later).exclude(comment=""),
            "comments": said,
            "appeals": TrustStatus.objects.filter(project_id=project_id, state=TrustState.BARRED.value, appealed=True),
            "messages": Conversation.objects.filter(project=project_id, waits_since__isnull=False),
            "offers": offers,
            "payments": refused,
            "signals": WorkerSignal.objects.filter(project_id=project_id, gone_at=None, dismissed_at=None),
        },
    )
    return counts | dict(spent.values(**committed).first() or NOTHING_COMMITTED)


def live_counts(project_id: int) -> dict[str, int]:
    """Return images and chains by state, and open questions by task."""
    images = Image.objects.filter(project=project_id).order_by().values_list("state").annotate(Count("id"))
    chains = cached_read(f"live_chains:{project_id}", lambda: _chains(project_id))
    boxes = Box.objects.filter(image__project=project_id, state=BoxState.PENDING.value)
    found = {f"image.{state.value}": 0 for state in ImageState} | {f"chain.{state.value}": 0 for state in ChainState}
    found |= {f"open.{task.value}": 0 for task in PROTOCOL_TASKS}
    found |= {f"image.{state}": number for state, number in images}
    found |= {f"chain.{state}": number for state, number in chains.items()}
    found |= {f"open.{task}": number for task, number in open_by_task(project_id).items()}
    return found | {"box.pending": boxes.count()}


def _chains(project_id: int) -> dict[str, int]:
    rows = Chain.objects.filter(image__project=project_id).order_by()
    return dict(rows.values_list("state").annotate(Count("id")))


def read_until(project_id: int) -> datetime | None:
    """Return the moment up to which the requesters have read what workers said."""
    return Looked.objects.filter(project=project_id).values_list("until", flat=True).first()
