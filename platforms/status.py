"""How a project stands on a platform, from our own rows."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Q, QuerySet, Sum

from pipeline.models import LedgerEntry
from pipeline.money.amounts import in_words
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from platforms.invitations import platform as links
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.settling.plan_payments import payment_plan


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
    """Payments that the next round plans."""
    said: int
    """Payments that were said, and nobody knows whether they were heard."""
    refused: list[str]
    """Payments that the platform refused, and why."""
    failures: list[str]
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
        lines += [f"Last error: {one}" for one in self.failures]
        return "\n".join(lines)


def status_of(platform: str, project_id: int, now: datetime | None = None) -> Status:
    plan = payment_plan(platform, project_id, now)
    recruitment = Recruitment.objects.filter(platform=platform, project_id=project_id).first()
    offers = Offer.objects.filter(platform=platform, project_id=project_id)
    sessions = Session.objects.filter(offer__in=offers)
    payments = Payment.objects.filter(session__in=sessions)
    handed_in = sessions.filter(state=Session.State.FINISHED)
    paid = LedgerEntry.objects.filter(project_id=project_id, kind="paid", reference__startswith=f"{platform}/")
    return Status(
        active=recruitment is not None and recruitment.active,
        looked_at=recruitment.looked_at if recruitment else None,
        offers=_offered(offers),
        links=list(offers.filter(platform=links.NAME, state=Offer.State.OPEN).values_list("external_id", flat=True)),
        at_work=sessions.filter(state=Session.State.OPEN, platform_state="").count(),
        handed_in=handed_in.filter(platform_state__in=["", "submitted"]).count(),
        not_arrived=handed_in.filter(platform_state="").count(),
        unearned=[str(one) for one in _unearned(sessions)],
        settled=sessions.filter(platform_state__in=["approved", "rejected"]).count(),
        stranded=plan.stranded,
        due=len(plan.due),
        said=payments.filter(state=Payment.State.SENT).count(),
        refused=[f"{one}: {one.last_error}" for one in payments.filter(state=Payment.State.REFUSED)],
        failures=sorted(set(offers.exclude(last_error="").exclude(state="ended").values_list("last_error", flat=True))),
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
    return (
        sessions.filter(platform_state=Session.PlatformState.SUBMITTED)
        .exclude(state=Session.State.FINISHED)
        .select_related("worker")
    )
