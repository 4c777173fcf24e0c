"""The status of a project on a platform, from our own rows."""

from datetime import datetime

from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from pydantic import BaseModel, ConfigDict

from pipeline.models import LedgerEntry
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from platforms.invitations import NAME as INVITATIONS
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.settling.plan_payments import payment_plan
from runtime.words import money

AUDIENCES = {
    Offer.Kind.ENTRY.value: "newcomers",
    Offer.Kind.WORK.value: "workers who passed the test",
    Offer.Kind.TEST.value: "test participants, without money",
}


class OfferedPlaces(BaseModel):
    """Places of one task and kind."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    task: Task
    kind: str
    open: int
    """Places that workers can take."""
    planned: int
    """Places that the platform was not asked for yet, or did not confirm."""
    taken: int
    """Places that were ever taken."""
    recruited_in: str
    """Time from the newest open offer until all of its places are taken, as the platform predicted; empty: unknown."""


class PlatformFigures(BaseModel):
    """Figures of one project on one platform."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    active: bool
    """The work is offered."""
    looked_at: datetime | None
    """The time when the platform was last read completely."""
    offers: list[OfferedPlaces]
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


def status_of(platform: str, project_id: int) -> PlatformFigures:
    plan = payment_plan(platform, project_id)
    recruitment = Recruitment.objects.filter(platform=platform, project_id=project_id).first()
    offers = Offer.objects.filter(platform=platform, project_id=project_id)
    sessions = Session.objects.filter(offer__in=offers.exclude(kind=Offer.Kind.TEST))
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


def _offered(offers: QuerySet[Offer]) -> list[OfferedPlaces]:
    free = F("places") - F("taken")
    rows = (
        offers.order_by("task", "kind")
        .values("task", "kind")
        .annotate(
            open=Coalesce(Sum(free, filter=Q(state=Offer.State.OPEN)), 0),
            planned=Coalesce(Sum(free, filter=Q(state=Offer.State.PLANNED)), 0),
            all_taken=Sum("taken"),
        )
    )
    newest = offers.filter(state=Offer.State.OPEN).order_by("id").values_list("task", "kind", "recruited_in")
    predicted = {(task, kind): time for task, kind, time in newest}
    return [
        OfferedPlaces(
            task=Task(row["task"]),
            kind=row["kind"],
            open=row["open"],
            planned=row["planned"],
            taken=row["all_taken"],
            recruited_in=predicted.get((row["task"], row["kind"]), ""),
        )
        for row in rows
    ]


def _unearned(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Sessions submitted on the platform alone, because the worker posted the form by hand or lost our page."""
    return (
        sessions.filter(platform_state=Session.PlatformState.SUBMITTED)
        .exclude(state=Session.State.FINISHED)
        .select_related("worker")
    )


def describe_status(figures: PlatformFigures) -> str:
    """Return the figures as lines of text."""
    paid = money(figures.paid_cents, figures.currency)
    offered = "is offered" if figures.active else "is not offered"
    read = f", last read {figures.looked_at:%d %B %Y, %H:%M} UTC" if figures.looked_at else ""
    lines = [f"The project {offered}{read}."]
    lines += [
        f"  {offer.task.label}, {AUDIENCES[offer.kind]}: "
        f"{offer.open} open, {offer.planned} not confirmed, {offer.taken} taken"
        f"{f'; predicted to take {offer.recruited_in}' if offer.recruited_in else ''}"
        for offer in figures.offers
    ]
    lines += [f"  {link}" for link in figures.links]
    lines.append(
        f"{figures.at_work} at work; {figures.handed_in} handed in and not settled ({figures.not_arrived} of them not "
        f"yet on the platform); {figures.settled} settled; {paid} paid, without fees."
    )
    if figures.stranded:
        cents = money(sum(figures.stranded.values()), figures.currency)
        lines.append(
            f"{cents} is owed to {len(figures.stranded)} workers whose sessions never reached the platform: it is "
            "paid with their next session."
        )
    if figures.due or figures.sent:
        lines.append(
            f"{figures.due} to be settled next; {figures.sent} sent without an answer, which the next round asks about."
        )
    lines += [f"Refused by the platform: {payment}" for payment in figures.refused]
    lines += [
        f"Submitted on the platform without work here, decide it by hand: {session}" for session in figures.unearned
    ]
    lines += [f"Last error: {failure}" for failure in figures.failures]
    return "\n".join(lines)
