"""The status of a project on a platform, from our own rows."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Q, QuerySet, Sum

from pipeline.models import LedgerEntry
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from platforms.invitations import NAME as INVITATIONS
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.settling.plan_payments import payment_plan
from runtime.words import money

AUDIENCES = {Offer.Kind.ENTRY.value: "newcomers", Offer.Kind.WORK.value: "workers who passed the test"}


class Offered(NamedTuple):
    """Places of one task and kind."""

    task: str
    kind: str
    open: int
    """Places that workers can take."""
    planned: int
    """Places that the platform was not asked for yet, or did not confirm."""
    taken: int
    """Places that were ever taken."""


@dataclass(frozen=True, slots=True)
class PlatformFigures:
    """Figures of one project on one platform."""

    active: bool
    looked_at: datetime | None
    offers: list[Offered]
    links: list[str]
    """Open invitation links; anyone who has one can join."""
    at_work: int
    """Open sessions."""
    handed_in: int
    """Sessions that were handed in on our page and are not settled."""
    not_arrived: int
    """Those of them that were not submitted on the platform."""
    unearned: list[str]
    """Sessions that were submitted on the platform but not finished on our page: decide them by hand."""
    settled: int
    stranded: dict[int, int]
    """Cents owed by worker id, for workers without a session that a bonus could be attached to."""
    due: int
    """Payments that the next round plans."""
    sent: int
    """Payments without an answer: it is not known whether they took effect."""
    refused: list[str]
    """Payments that the platform refused, with its reason."""
    failures: list[str]
    """The platform's last error messages about offers."""
    paid_cents: int
    currency: str

    def text(self) -> str:
        """Return the status as lines for a terminal."""
        offered = "is offered" if self.active else "is no longer offered"
        read = f", last read {self.looked_at:%d %B %Y, %H:%M} UTC" if self.looked_at else ""
        lines = [f"The project {offered}{read}."]
        lines += [
            f"  {Task(offer.task).label}, {AUDIENCES[offer.kind]}: "
            f"{offer.open} open, {offer.planned} not confirmed, {offer.taken} taken"
            for offer in self.offers
        ]
        lines += [f"  {link}" for link in self.links]
        lines.append(
            f"{self.at_work} at work; {self.handed_in} handed in and not settled ({self.not_arrived} of them not yet "
            f"on the platform); {self.settled} settled; {money(self.paid_cents, self.currency)} paid, without fees."
        )
        if self.stranded:
            cents = money(sum(self.stranded.values()), self.currency)
            lines.append(
                f"{cents} is owed to {len(self.stranded)} workers whose sessions never reached the platform: it is "
                "paid with their next session."
            )
        if self.due or self.sent:
            lines.append(
                f"{self.due} to be settled next; {self.sent} sent without an answer, which the next round asks about."
            )
        lines += [f"Refused by the platform: {payment}" for payment in self.refused]
        lines += [
            f"Submitted on the platform without work here, decide it by hand: {session}" for session in self.unearned
        ]
        lines += [f"Last error: {failure}" for failure in self.failures]
        return "\n".join(lines)


def status_of(platform: str, project_id: int) -> PlatformFigures:
    plan = payment_plan(platform, project_id)
    recruitment = Recruitment.objects.filter(platform=platform, project_id=project_id).first()
    offers = Offer.objects.filter(platform=platform, project_id=project_id)
    sessions = Session.objects.filter(offer__in=offers)
    payments = Payment.objects.filter(session__in=sessions)
    handed_in = sessions.filter(state=Session.State.FINISHED)
    paid = LedgerEntry.objects.filter(project_id=project_id, kind="paid", reference__startswith=f"{platform}/")
    return PlatformFigures(
        active=recruitment is not None and recruitment.active,
        looked_at=recruitment.looked_at if recruitment else None,
        offers=_offered(offers),
        links=list(offers.filter(platform=INVITATIONS, state=Offer.State.OPEN).values_list("external_id", flat=True)),
        at_work=sessions.filter(state=Session.State.OPEN, platform_state="").count(),
        handed_in=handed_in.filter(platform_state__in=["", "submitted"]).count(),
        not_arrived=handed_in.filter(platform_state="").count(),
        unearned=[str(session) for session in _unearned(sessions)],
        settled=sessions.filter(platform_state__in=["approved", "rejected"]).count(),
        stranded=plan.stranded,
        due=len(plan.due),
        sent=payments.filter(state=Payment.State.SENT).count(),
        refused=[f"{payment}: {payment.last_error}" for payment in payments.filter(state=Payment.State.REFUSED)],
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
    """Sessions submitted on the platform alone, because the worker posted the form by hand or lost our page."""
    return (
        sessions.filter(platform_state=Session.PlatformState.SUBMITTED)
        .exclude(state=Session.State.FINISHED)
        .select_related("worker")
    )
