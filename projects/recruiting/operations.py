"""Operations of recruiting: offer work on a platform, read it, pay there, compare, and stop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Literal

from annotated_types import Ge, MaxLen
from django.db.models import Count, F, Sum
from django.db.models.functions import Coalesce

from accounts.models import Scope
from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.errors import PipelineError
from pipeline.gold_questions.known_forecast import warnings
from pipeline.money.write_entry import LedgerError
from pipeline.project.queries import chosen_tasks
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from platforms.contract import Platform, RecommendedPay, RecruitmentTerms
from platforms.errors import PlatformError, PlatformOffError
from platforms.jobs import request_settling, sync_job
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.budget import hourly_cents
from platforms.offers.recruit import (
    begin_recruiting,
    begin_trial,
    check_recruitment,
    cost_of,
    draft_offer,
    stop_recruiting,
    untestable,
)
from platforms.registry import PLATFORMS, find_platform
from platforms.settling.compare_ledger import compare_ledger, offers_to_compare, project_cost
from platforms.settling.plan_payments import PENDING, DueChangedError, digest_of, payments_to_make, plan_payments
from platforms.settling.send_payments import send_payments
from platforms.status import PlatformFigures, describe_status, status_of
from platforms.sync import sync
from projects.operation import Acknowledgement, AsOption, Caller, Choice, Input, Output, Refused, operation
from projects.recruiting.places import docs_of
from runtime import clock
from runtime.installed import COMMAND
from runtime.redis_faults import start
from runtime.words import counted, money

MAX_OFFERS_COMPARED = 100
"""Offers that a page or a call compares: each takes two calls of the platform or more."""
READING = "The platform is being read. Reload this page to see what was found."
READ_LATER = "The queue of jobs (Redis) cannot be reached: the platform is read some minutes after it is back."
SETTLED_LATER = "The queue of jobs (Redis) cannot be reached: the sessions are settled when it is back."


class OnPlatform(Input):
    platform: Annotated[str, Choice(PLATFORMS)]


class OfferedWork(RecruitmentTerms, OnPlatform):
    tasks: tuple[Task, ...] = ()
    """The tasks to offer; empty: all."""

    @property
    def terms(self) -> RecruitmentTerms:
        return RecruitmentTerms(**self.model_dump(include=set(RecruitmentTerms.model_fields)))


class PublishedWork(OfferedWork):
    total_cents: Annotated[int, Ge(0), AsOption()]
    """The largest cost that you accept, as “offer_cost” returns it: if it may cost more by now, nothing is offered."""


class TriedWork(OfferedWork):
    email: Annotated[str, MaxLen(254), AsOption()] = ""
    """Address of a new test participant, which no account on the platform may have; empty: you have some."""


class ReadPlatform(OnPlatform):
    offers: Literal["live", "all"] = "live"
    """“live” reads those that may change, “all” reads every offer that was ever made."""


class ShownPayments(OnPlatform):
    digest: str
    """The payments that are settled, as “due_payments” returned them: if others are due by now, nothing is paid."""


class OfferedTask(Output):
    """A platform's view of one task before it is offered."""

    task: Task
    hourly_cents: int
    """The reward of an hour, if sessions take their usual time; newcomers need more of it, for the test."""
    recruited_in: str
    """Time until all places for newcomers are taken, as the platform predicts; empty: unknown."""


class LargestCost(Output):
    """The cost of an offer if every place is taken and every session has its whole quota, in cents."""

    tasks: tuple[Task, ...]
    live: bool
    """Real money moves."""
    places: int
    """Places at a time. Taken places are offered anew."""
    workers_cents: int
    fee_percent: float
    """The share that the platform charges on top, about."""
    fee_cents: int
    total_cents: int
    cap_cents: int
    """The spend cap of the project, without fees; 0: none."""
    balance_cents: int | None
    """The balance of the account on the platform; null: unknown."""
    currency: str
    by_task: list[OfferedTask]
    least_hourly_cents: int | None
    """The least pay of an hour that the platform recommends; null: none."""
    good_hourly_cents: int | None
    """The good pay of an hour, in the platform's view; null: none."""
    warnings: list[str]


class RecruitingStatus(PlatformFigures, Output):
    tasks: list[Task]
    terms: RecruitmentTerms


class DuePaymentShown(Output):
    session: int
    """The id of a session."""
    session_name: str
    """Its id on the platform."""
    worker: int
    worker_name: str
    kind: Annotated[str, Choice(Payment.Kind.values)]
    cents: int
    reason: str
    """The worker reads it."""


class DuePayments(Output):
    payments: list[DuePaymentShown]
    total_cents: int
    """For workers, without fees."""
    currency: str
    pending: int
    """Payments that were planned or sent before; they are completed, too."""
    looked_at: datetime | None
    """The time when the platform was last read."""
    digest: str
    """The payments that “pay” settles."""


class PaidWorker(Output):
    worker: str
    platform_cents: int
    ledger_cents: int


class LedgerComparison(Output):
    workers: int
    """Workers who were paid."""
    platform_cents: int
    ledger_cents: int
    differences: list[PaidWorker]
    """The workers whose payments differ."""
    charge_cents: int | None
    """The charge of the platform itself for rewards and bonuses; null: the platform does not list it."""
    fee_cents: int | None
    currency: str
    agrees: bool
    """The ledger and both figures of the platform are equal."""


@contextmanager
def refusing(platform: str) -> Iterator[None]:
    """Refuse what the platform does not do, and say how one that is off is set up."""
    try:
        yield
    except PlatformOffError as error:
        raise Refused("platform_off", f"{error} See {docs_of(platform)}.") from error
    except DueChangedError as error:
        raise Refused("changed", str(error)) from error
    except (LedgerError, PipelineError, PlatformError) as error:
        raise Refused("not_possible", str(error)) from error


def _recruitment(project: Project, platform: str) -> Recruitment:
    row = Recruitment.objects.filter(project=project, platform=platform).first()
    if row is None:
        raise Refused("not_found", f"{project.name} was never offered on {platform}.", 404)
    return row


def _after_round(row: Recruitment, caller: Caller, sentence: str, offers: str = "live") -> Acknowledgement:
    """Run a round with the platform: a command does, and describes the status; pages and calls leave it to a job."""
    if caller.runs_command:
        failures = sync(find_platform(row.platform), row, everything=offers == "all").failures
        return _done(row, sentence, failures)
    began = start(sync_job, row.platform, row.project_id, offers)
    return Acknowledgement(sentence=sentence if began else f"{sentence} {READ_LATER}")


def _done(row: Recruitment, sentence: str, failures: Iterable[object]) -> Acknowledgement:
    failed = [f"{failure}. The next round tries it again." for failure in failures]
    status = describe_status(status_of(row.platform, row.project_id))
    return Acknowledgement(sentence="\n".join([sentence, *failed, status]))


# --- Offering ---


def describe_offered_task(offered: OfferedTask, currency: str) -> str:
    pay = f"{money(offered.hourly_cents, currency)} an hour"
    return f"{pay}; newcomers predicted in {offered.recruited_in}" if offered.recruited_in else pay


def _offered_tasks(
    platform: Platform, project: Project, tasks: Iterable[Task], terms: RecruitmentTerms
) -> list[OfferedTask]:
    row = Recruitment(platform=platform.name, project=project, terms=terms.model_dump())
    kind = Offer.Kind.ENTRY if terms.entry_places else Offer.Kind.WORK
    drafts = [draft_offer(row, task, kind, terms.entry_places, now=clock.now()) for task in tasks]
    return [
        OfferedTask(
            task=Task(draft.task),
            hourly_cents=hourly_cents(draft),
            recruited_in=platform.predicted_time(draft) if draft.places else "",
        )
        for draft in drafts
    ]


def _underpaid(by_task: Iterable[OfferedTask], pay: RecommendedPay, currency: str) -> list[str]:
    """Return a warning if tasks pay less than the platform recommends."""
    low = [
        f"{offered.task.label} ({money(offered.hourly_cents, currency)})"
        for offered in by_task
        if offered.hourly_cents < pay.good
    ]
    good, least = money(pay.good, currency), money(pay.least, currency)
    words = f"The platform recommends {good} an hour, and at least {least}. Less is paid for {', '.join(low)}."
    return [words] if low else []


def _check_tests(project: Project, tasks: Iterable[Task]) -> None:
    if closed := untestable(project.pk, tasks):
        names = ", ".join(task.label for task in closed)
        raise Refused(
            "no_test",
            f"Newcomers would find nothing to do: too few test questions of {names}. Add some "
            "(docs/how-to/verification_questions.md), or offer no places for newcomers.",
            field="entry_places",
        )


def _describe_cost(cost: LargestCost) -> str:
    currency = cost.currency
    balance = "unknown" if cost.balance_cents is None else money(cost.balance_cents, currency)
    lines = [
        f"With{'' if cost.live else 'out'} real money: up to {cost.places} places at a time, which may cost "
        f"{money(cost.workers_cents, currency)} for workers and about {money(cost.fee_cents, currency)} of fees "
        f"({cost.fee_percent:g} %).",
        f"The project's spend cap is {money(cost.cap_cents, currency)}, without fees."
        if cost.cap_cents
        else "The project has no spend cap: places are offered anew as long as there is work.",
        f"Balance of the account: {balance}.",
        *(
            f"{offered.task.label.capitalize()}: {describe_offered_task(offered, currency)}."
            for offered in cost.by_task
        ),
        *cost.warnings,
        f"To offer it, give --total-cents {cost.total_cents} to publish.",
    ]
    return "\n".join(lines)


@operation(
    surveys=True,
    path="recruiting/<str:platform>/cost/",
    needed_scope=Scope.READ,
    refusals=(409,),
    command="offer_cost",
    say=_describe_cost,
)
def offer_cost(project: Project, inputs: OfferedWork, caller: Caller) -> LargestCost:
    """Return what work on these terms may cost on a platform. Offers nothing."""
    with refusing(inputs.platform):
        platform = find_platform(inputs.platform)
        place, tasks = platform.marketplace(), chosen_tasks(project, inputs.tasks)
        check_recruitment(place, project.pk, tasks, inputs)
        balance = platform.balance_cents()
    if inputs.entry_places:
        _check_tests(project, tasks)
    with refusing(inputs.platform):
        pay, by_task = platform.recommended_pay(), _offered_tasks(platform, project, tasks, inputs.terms)
    cost, currency = cost_of(place, project.pk, tasks, inputs), current_settings(project.pk)[1].currency
    found = warnings(project.pk)
    if pay:
        found += _underpaid(by_task, pay, currency)
    if balance is not None and balance < cost.total_cents:
        found.append("There is less on the account than this may cost: fewer places are offered until there is more.")
    return LargestCost(
        tasks=tasks,
        live=place.live,
        places=cost.places,
        workers_cents=cost.workers_cents,
        fee_percent=place.fee_percent,
        fee_cents=cost.fee_cents,
        total_cents=cost.total_cents,
        cap_cents=cost.cap_cents,
        balance_cents=balance,
        currency=currency,
        by_task=by_task,
        least_hourly_cents=pay.least if pay else None,
        good_hourly_cents=pay.good if pay else None,
        warnings=found,
    )


@operation(
    surveys=True,
    path="recruiting/<str:platform>/",
    refusals=(409,),
    command="publish",
    guide="../how-to/find_workers.md#recruit-on-a-platform",
    password=True,
)
def publish(project: Project, inputs: PublishedWork, caller: Caller) -> Acknowledgement:
    """Offer a project's work on a platform. Offers follow the open work and the spend cap; done again, it changes the
    terms of later offers."""
    cost = offer_cost(project, inputs, caller)
    if cost.total_cents > inputs.total_cents:
        may, accepted = money(cost.total_cents, cost.currency), money(inputs.total_cents, cost.currency)
        raise Refused("changed", f"This may cost {may} by now, not {accepted}: look again before you offer it.")
    with refusing(inputs.platform):
        row = begin_recruiting(find_platform(inputs.platform), project.pk, cost.tasks, inputs.terms, actor=caller.name)
    caller.log(row, f"offers {', '.join(row.tasks)}")
    return _after_round(row, caller, "The work is offered. New terms hold for new offers.")


@operation(
    surveys=True,
    path="recruiting/<str:platform>/trial/",
    refusals=(409,),
    command="try_offer",
    guide="../how-to/find_workers.md#recruit-on-a-platform",
)
def try_offer(project: Project, inputs: TriedWork, caller: Caller) -> Acknowledgement:
    """Offer the qualification test of each task to a platform's test participants. Nobody is paid, no answer counts."""
    if project.state != ProjectState.RUNNING.value:
        raise Refused("not_running", "Start the project first: until then it asks nothing.")
    if not current_settings(project.pk)[1].test_questions:
        raise Refused("no_test", "The project has no qualification test, and a trial asks nothing else.")
    with refusing(inputs.platform):
        tasks = chosen_tasks(project, inputs.tasks)
        _check_tests(project, tasks)
        platform = find_platform(inputs.platform)
        row = begin_trial(platform, project.pk, tasks, inputs.terms, email=inputs.email, actor=caller.name)
    caller.log(row, f"tries {', '.join(task.value for task in tasks)}")
    return _after_round(row, caller, "The trial begins: test participants find one study for each task.")


def describe_stop(project: Project, inputs: OnPlatform) -> list[str]:
    """Return what ends with the recruitment, and what goes on."""
    of_platform = {"offer__platform": inputs.platform, "offer__project": project}
    offers = Offer.objects.filter(platform=inputs.platform, project=project, state=Offer.State.OPEN)
    counts = offers.aggregate(offers=Count("id"), places=Coalesce(Sum(F("places") - F("taken")), 0))
    busy = Session.objects.filter(**of_platform, state=Session.State.OPEN, platform_state="").count()
    return [
        f"{counts['offers']} open offers end, with {counts['places']} places. No new worker finds them.",
        f"Workers who have begun ({busy} now) can finish and are paid: sessions are settled as before.",
    ]


@operation(
    surveys=True,
    archived=True,
    path="recruiting/<str:platform>/",
    method="delete",
    command="withdraw",
    confirm=describe_stop,
)
def withdraw(project: Project, inputs: OnPlatform, caller: Caller) -> Acknowledgement:
    """Stop offering a project's work on a platform. Workers who have begun can finish and are paid."""
    row = _recruitment(project, inputs.platform)
    with refusing(row.platform):
        find_platform(row.platform)
    ended = stop_recruiting(row)
    caller.log(row, "stops")
    sentence = f"Stopped. {ended} offers end there; workers who have begun can finish, and are paid."
    return _after_round(row, caller, sentence)


@operation(
    surveys=True, archived=True, path="recruiting/<str:platform>/", method="get", command="status", say=describe_status
)
def recruiting_status(project: Project, inputs: OnPlatform, caller: Caller) -> RecruitingStatus:
    """Return the terms of a project on a platform, its offers there, its sessions and what is to be settled. Does not
    ask the platform."""
    row = _recruitment(project, inputs.platform)
    figures = status_of(row.platform, project.pk)
    return RecruitingStatus(**dict(figures), tasks=row.tasks, terms=RecruitmentTerms(**row.terms))


@operation(surveys=True, archived=True, path="recruiting/<str:platform>/read/", refusals=(409,))
def read_platform(project: Project, inputs: ReadPlatform, caller: Caller) -> Acknowledgement:
    """Read a platform now, and not only every few minutes; adjust the offers, and settle as the terms say."""
    row = _recruitment(project, inputs.platform)
    with refusing(row.platform):
        find_platform(row.platform)
    sentence = "The platform was read." if caller.runs_command else READING
    return _after_round(row, caller, sentence, inputs.offers)


# --- Paying ---


def _describe_due(due: DuePayments) -> str:
    lines = [
        f"{payment.kind} {payment.worker_name} at {payment.session_name}"
        f"{f': {money(payment.cents, due.currency)}' if payment.cents else ''}. {payment.reason}"
        for payment in due.payments
    ]
    total = money(due.total_cents, due.currency)
    lines.append(f"{len(due.payments)} to be settled, {total} for workers, without fees.")
    return "\n".join([*lines, f"To settle exactly these, give this digest to pay: {due.digest}"])


@operation(
    surveys=True,
    archived=True,
    path="recruiting/<str:platform>/due/",
    method="get",
    command="due_payments",
    say=_describe_due,
)
def due_payments(project: Project, inputs: OnPlatform, caller: Caller) -> DuePayments:
    """Return the payments that are due on a platform, as it was last read, with their digest. Pays nothing."""
    row = _recruitment(project, inputs.platform)
    due = payments_to_make(row.platform, project.pk)
    pending = Payment.objects.filter(session__offer__platform=row.platform, session__offer__project=project)
    return DuePayments(
        payments=[
            DuePaymentShown(
                session=payment.session.pk,
                session_name=payment.session.external_id,
                worker=payment.session.worker_id,
                worker_name=payment.session.worker.name,
                kind=payment.kind.value,
                cents=payment.cents,
                reason=payment.reason,
            )
            for payment in due
        ],
        total_cents=sum(payment.cents for payment in due),
        currency=current_settings(project.pk)[1].currency,
        pending=pending.filter(state__in=PENDING).count(),
        looked_at=row.looked_at,
        digest=digest_of(due),
    )


@operation(
    surveys=True, archived=True, path="recruiting/<str:platform>/due/", refusals=(409,), command="pay", password=True
)
def pay(project: Project, inputs: ShownPayments, caller: Caller) -> Acknowledgement:
    """Settle exactly the payments of a digest on a platform: bonuses, approvals and rejections. Each is sent once."""
    row = _recruitment(project, inputs.platform)
    with refusing(row.platform):
        platform = find_platform(row.platform)
        planned = plan_payments(row.platform, project.pk, shown=inputs.digest)
        caller.log(row, f"pays {len(planned)}")
        if caller.runs_command:
            failed = [f"{payment}: {error}" for payment, error in send_payments(platform, project.pk)]
            return _done(row, f"{counted(len(planned), 'payment')} sent.", failed)
    is_requested = request_settling(row.platform, project.pk)
    sentence = "The sessions are being settled. What fails is shown below."
    return Acknowledgement(sentence=sentence if is_requested else SETTLED_LATER)


# --- Comparing ---


def _describe_comparison(comparison: LedgerComparison) -> str:
    currency = comparison.currency
    paid, booked = money(comparison.platform_cents, currency), money(comparison.ledger_cents, currency)
    lines = [
        f"{line.worker}: {money(line.platform_cents, currency)} paid on the platform, "
        f"{money(line.ledger_cents, currency)} in the ledger"
        for line in comparison.differences
    ]
    lines.append(f"{comparison.workers} workers were paid {paid} on the platform; the ledger says {booked}.")
    return "\n".join([*lines, *charge_in_words(comparison)])


def charge_in_words(comparison: LedgerComparison) -> list[str]:
    """Return a sentence about what the platform itself charged; nothing: the platform does not list it."""
    if comparison.charge_cents is None or comparison.fee_cents is None:
        return []
    paid, fees = (money(cents, comparison.currency) for cents in (comparison.charge_cents, comparison.fee_cents))
    return [f"The platform charged {paid} for them, and {fees} of fees and tax."]


@operation(
    surveys=True,
    archived=True,
    path="recruiting/<str:platform>/ledger/",
    method="get",
    refusals=(409,),
    command="reconcile",
    say=_describe_comparison,
    alarm=lambda comparison: "" if comparison.agrees else "The ledger and the platform differ: see above.",
)
def reconcile(project: Project, inputs: OnPlatform, caller: Caller) -> LedgerComparison:
    """Compare all payments that a platform lists for a project with the ledger, worker by worker. Writes nothing."""
    row = _recruitment(project, inputs.platform)
    offers = offers_to_compare(row.platform, project.pk).count()
    if offers > MAX_OFFERS_COMPARED and not caller.runs_command:
        command = f"{COMMAND} reconcile {project.name} {row.platform}"
        sentence = f"There are {offers} offers to read, which takes longer than a page can wait. Use `{command}`."
        raise Refused("too_many", sentence)
    with refusing(row.platform):
        platform = find_platform(row.platform)
        lines, charge = compare_ledger(platform, project.pk), project_cost(platform, project.pk)
    differences = [line for line in lines if not line.agrees]
    in_ledger = sum(line.ledger_cents for line in lines)
    return LedgerComparison(
        workers=len(lines),
        platform_cents=sum(line.platform_cents for line in lines),
        ledger_cents=in_ledger,
        differences=[PaidWorker.model_validate(line) for line in differences],
        charge_cents=charge.paid if charge else None,
        fee_cents=charge.fees if charge else None,
        currency=current_settings(project.pk)[1].currency,
        agrees=not differences and (charge is None or charge.paid == in_ledger),
    )
