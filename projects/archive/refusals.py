"""Refusals to archive a project with anything live in it, which would lose the rows that it stands on."""

from collections.abc import Callable

from django.db.models import Q

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.models import Assignment, Progress, Question
from pipeline.money.ledger import accounts
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import QuestionState
from platforms.models import Offer, Payment, Recruitment, Session
from projects.archive.manifest import ArchiveError
from projects.models import Delivery, Run
from projects.runs import work_of
from runtime.models import JobRun
from runtime.words import counted, money
from workers.models import TrustStatus, Worker

CLOSED = (ProjectState.FINISHED.value, ProjectState.ARCHIVED.value)


def check_settled(project: Project) -> None:
    """Raise ArchiveError, which says everything that is live and what ends it, if anything is."""
    if reasons := [reason for check in CHECKS if (reason := check(project))]:
        raise ArchiveError(" ".join([f"{project.name} cannot be archived yet.", *reasons]))


def _state(project: Project) -> str:
    if project.dry_run:
        return "It is a dry run: delete it instead."
    if project.state not in CLOSED:
        return f"It is {project.state}: finish it first."
    return ""


def _assignments(project: Project) -> str:
    mine = Assignment.objects.filter(project=project)
    active = mine.filter(state=Assignment.State.ACTIVE).count()
    waiting = mine.filter(acceptance=Assignment.Acceptance.WAITING).count()
    said = [f"Being worked on: {counted(active, 'assignment')}; wait until they end."] if active else []
    if waiting:
        said.append(f"Waiting for a verdict on their batch: {counted(waiting, 'assignment')}.")
    return " ".join(said)


def _due(project: Project) -> str:
    answered = Question.objects.filter(project=project, state=QuestionState.ANSWERED.value).count()
    due = Progress.objects.filter(project=project).exclude(due=Progress.Due.NOTHING).count()
    left = TrustStatus.objects.filter(project=project).filter(Q(take_back=True) | Q(appealed=True)).count()
    said = []
    if answered or due:
        said.append("The job runners have not caught up with its answers: let `tick` run, and wait.")
    if left:
        said.append(f"Open decisions about workers' trust: {left}; settle them on the page “Workers”.")
    return " ".join(said)


def _money(project: Project) -> str:
    owed = {worker: account.owed for worker, account in accounts(project.pk).items() if account.owed > 0}
    people = Worker.objects.filter(pk__in=owed, kind=Worker.Kind.PERSON, closed_at=None).values_list("pk", flat=True)
    cents = sum(owed[worker] for worker in people)
    if not cents:
        return ""
    amount = money(cents, current_settings(project.pk)[1].currency)
    return f"Owed to {counted(len(people), 'worker')}: {amount}; pay them, with `ledger --pay-all` or `pay`."


def _platforms(project: Project) -> str:
    offers = Offer.objects.filter(project=project).exclude(state=Offer.State.ENDED).count()
    active = Recruitment.objects.filter(project=project, active=True).count()
    open_ones = Q(state=Session.State.OPEN) | Q(platform_state=Session.PlatformState.SUBMITTED)
    sessions = Session.objects.filter(open_ones, offer__project=project).count()
    unsent = (Payment.State.PLANNED, Payment.State.SENT)
    payments = Payment.objects.filter(session__offer__project=project, state__in=unsent).count()
    said = []
    if offers or active:
        said.append("Work is offered on a platform: run `withdraw`.")
    if sessions or payments:
        said.append(f"Unsettled sessions and payments on a platform: {sessions + payments}; run `pay`.")
    return " ".join(said)


def _deliveries(project: Project) -> str:
    due = Delivery.objects.filter(alert__project=project, state=Delivery.State.DUE).count()
    return f"On the way to a channel: {counted(due, 'alert')}; wait, or remove the channel." if due else ""


def _work(project: Project) -> str:
    """Name work that people began, and that of other projects that reads this one."""
    open_runs = Run.objects.filter(Q(project=project) | Q(input__source_id=project.pk), state__in=Run.OPEN)
    names = [work_of(run).title for run in open_runs]
    under_way = (JobRun.State.WAITING, JobRun.State.RUNNING)
    if JobRun.objects.filter(share=f"exports of {project.pk}", state__in=under_way).exists():
        names.append("export")
    return f"Under way: {', '.join(names)}. Wait for the end, or stop it." if names else ""


CHECKS: list[Callable[[Project], str]] = [_state, _assignments, _due, _money, _platforms, _deliveries, _work]
