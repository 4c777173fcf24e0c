"""How a project stands on a platform, from our own rows."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Q, QuerySet, Sum

from pipeline.money import in_words
from pipeline.rules.task import Task
from pipeline.settings_versions import current_settings
from platforms import links
from platforms.plan_movements import make_plan
from workers.models import LedgerEntry, Movement, Offer, Recruitment, Session


class Offered(NamedTuple):
    """Of one task and kind."""

    task: str
    kind: str
    open: int
    """Places that can be taken."""
    planned: int
    """Places that the platform was not told of yet, or did not confirm."""
    taken: int
    """Places that were taken, in all."""


@dataclass(frozen=True, slots=True)
class Status:
    active: bool
    looked_at: datetime | None
    offers: list[Offered]
    links: list[str]
    """Of our own open offers: whoever has one joins."""
    at_work: int
    """Sessions that are open."""
    handed_in: int
    """Here, and not settled yet."""
    not_arrived: int
    """Of these, not handed in there."""
    unearned: list[str]
    """Handed in there without having been finished here: approve or reject them there, by hand."""
    settled: int
    stranded: dict[int, int]
    """Cents owed to workers, by id, who have no session that a bonus could go with."""
    due: int
    """Movements that the next round plans."""
    said: int
    """Movements that were said, and nobody knows whether they were heard."""
    refused: list[str]
    """Movements that the platform refused, and why."""
    troubles: list[str]
    """What the platform said of offers last."""
    paid_cents: int
    currency: str

    def text(self) -> str:
        """For a terminal."""
        on = "is offered" if self.active else "is no longer offered"
        seen = f", last read {self.looked_at:%d %B %Y, %H:%M} UTC" if self.looked_at else ""
        lines = [f"It {on}{seen}."]
        lines += [
            f"  {Task(one.task).label}, {'newcomers' if one.kind == Offer.Kind.ENTRY else 'who has passed'}: "
            f"{one.open} open, {one.planned} not confirmed, {one.taken} taken"
            for one in self.offers
        ]
        lines += [f"  {link}" for link in self.links]
        lines.append(
            f"{self.at_work} at work; {self.handed_in} handed in and not settled ({self.not_arrived} of them not there "
            f"yet); {self.settled} settled; {in_words(self.paid_cents, self.currency)} paid, without fees."
        )
        if self.stranded:
            cents = in_words(sum(self.stranded.values()), self.currency)
            lines.append(
                f"{cents} is owed to {len(self.stranded)} whose sessions never arrived there: "
                "their next one carries it."
            )
        if self.due or self.said:
            lines.append(
                f"{self.due} to be settled next; {self.said} said without an answer: they are asked for again."
            )
        lines += [f"Refused by the platform: {one}" for one in self.refused]
        lines += [f"Handed in there without work here, settle it there by hand: {one}" for one in self.unearned]
        lines += [f"Last trouble: {one}" for one in self.troubles]
        return "\n".join(lines)


def status_of(platform: str, project_id: int, now: datetime | None = None) -> Status:
    plan = make_plan(platform, project_id, now)
    recruitment = Recruitment.objects.filter(platform=platform, project_id=project_id).first()
    offers = Offer.objects.filter(platform=platform, project_id=project_id)
    sessions = Session.objects.filter(offer__in=offers)
    movements = Movement.objects.filter(session__in=sessions)
    handed_in = sessions.filter(state=Session.State.FINISHED)
    paid = LedgerEntry.objects.filter(project_id=project_id, kind="paid", reference__startswith=f"{platform}/")
    return Status(
        active=recruitment is not None and recruitment.active,
        looked_at=recruitment.looked_at if recruitment else None,
        offers=_offered(offers),
        links=list(offers.filter(platform=links.NAME, state=Offer.State.OPEN).values_list("external_id", flat=True)),
        at_work=sessions.filter(state=Session.State.OPEN, there="").count(),
        handed_in=handed_in.filter(there__in=["", "submitted"]).count(),
        not_arrived=handed_in.filter(there="").count(),
        unearned=[str(one) for one in _unearned(sessions)],
        settled=sessions.filter(there__in=["approved", "rejected"]).count(),
        stranded=plan.stranded,
        due=len(plan.due),
        said=movements.filter(state=Movement.State.SAID).count(),
        refused=[f"{one}: {one.trouble}" for one in movements.filter(state=Movement.State.REFUSED)],
        troubles=sorted(set(offers.exclude(trouble="").exclude(state="ended").values_list("trouble", flat=True))),
        paid_cents=paid.aggregate(Sum("cents"))["cents__sum"] or 0,
        currency=current_settings(project_id)[1].currency,
    )


def _offered(offers: QuerySet[Offer]) -> list[Offered]:
    free = F("places") - F("taken")
    rows = (
        offers.order_by("task", "kind")
        .values_list("task", "kind")
        .annotate(
            is_open=Sum(free, filter=Q(state=Offer.State.OPEN)),
            planned=Sum(free, filter=Q(state=Offer.State.PLANNED)),
            all_taken=Sum("taken"),
        )
    )
    return [Offered(task, kind, is_open or 0, planned or 0, taken or 0) for task, kind, is_open, planned, taken in rows]


def _unearned(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Handed in there, and not here: a worker who posted the form by hand, or one whom we lost."""
    return sessions.filter(there=Session.There.SUBMITTED).exclude(state=Session.State.FINISHED).select_related("worker")
