"""Operations on workers of a project: decide about trust, give access, pay, write to them, and refuse bad work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Annotated, Any
from uuid import uuid4

from annotated_types import Ge, Le, MaxLen
from django.db import transaction
from django.db.models import Q
from pydantic import Field, RootModel

from annotation.models import Project
from labelling.messages import BadMessageError, answer_worker, as_values, conversations_in, enqueue_mail
from labelling.models import LENGTH, Conversation
from pipeline.errors import PipelineError
from pipeline.models import Assignment
from pipeline.money.ledger import account_of, accounts
from pipeline.money.pay_worker import give_bonus as write_bonus
from pipeline.money.pay_worker import pay_worker
from pipeline.money.refuse_pay import refuse_pay as write_refusal
from pipeline.money.refuse_pay import restore_pay as write_restored
from pipeline.money.write_entry import (
    LONGEST_REASON,
    LONGEST_REFERENCE,
    MAX_CENTS,
    LedgerError,
    NotOwedError,
    ReferenceTakenError,
)
from pipeline.project.queries import NotAskedError, refuse_others, tasks_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.trust.review_trust import decide_trust
from pipeline.trust.void_answers import soft_reject
from platforms.settling.worker_money import amount
from projects.operation import (
    Acknowledgement,
    AsOption,
    Caller,
    Choice,
    Input,
    NoInput,
    Output,
    Refused,
    SomeText,
    WholeCents,
    find_row,
    operation,
)
from runtime import clock
from runtime.words import money
from workers.change_trust import dismiss_signal, trust_of
from workers.invitations import grant_access, take_access
from workers.messages import send_message
from workers.models import Access, TrustStatus, Worker, WorkerSignal
from workers.rules.trust import TrustRules, act
from workers.rules.trust_states import IllegalMoveError, TrustEvent

EVENTS = {
    TrustEvent.TRUST: "trust: no test, no probation",
    TrustEvent.SUSPEND: "suspend for some days",
    TrustEvent.RESUME_TRUST: "end the suspension",
    TrustEvent.BAR: "bar from the task",
    TrustEvent.REINSTATE: "let work again after a bar",
    TrustEvent.REFUSE_APPEAL: "refuse the appeal",
    TrustEvent.WAIVE_TEST: "waive the test",
}
TASK_NAMES = tuple(task.value for task in Task)
TaskName = Annotated[str, Choice(TASK_NAMES)]
Message = Annotated[SomeText, MaxLen(LENGTH), AsOption(), Field(title="Message")]
Reference = Annotated[str, MaxLen(LONGEST_REFERENCE)]
LARGEST = MAX_CENTS // 100


class WorkerNumber(Input):
    worker: int
    """The id of a worker."""


class TrustDecision(WorkerNumber):
    task: TaskName | None = None
    """Empty: all of the worker's tasks that allow it."""
    event: Annotated[str, Choice(tuple(event.value for event in EVENTS)), AsOption(), Field(title="Decision")]
    days: Annotated[int, Ge(1), Le(365)] | None = None
    """The days that a suspension lasts."""
    take_back: Annotated[bool, Field(title="Ask again")] = False
    """Void the worker's answers that have not taken effect yet, and ask other workers."""
    reason: Annotated[SomeText, MaxLen(LONGEST_REASON), AsOption()]
    """The worker reads it, and so does the record."""


class AccessOfWorker(WorkerNumber):
    tasks: Annotated[list[TaskName], AsOption(), Field(title="May answer")]
    """Without a task the worker gets no new questions. What was answered stays."""
    trusted: Annotated[bool, Field(title="Trust in what is new")] = False
    """No test and no probation in the tasks that you add. Trust that the worker has, or lost, stays."""


class PaymentByHand(WorkerNumber):
    amount: Annotated[float, Ge(0), Le(LARGEST), WholeCents]
    """In the currency of the project."""
    paid_on: Annotated[date | None, Field(title="Paid on")] = None
    """Empty: today."""
    reason: Annotated[SomeText, MaxLen(LONGEST_REASON - 40), AsOption(), Field(title="How it was paid")]
    """For example “in cash”, or the name of the bank transfer. The worker reads it."""
    reference: Reference = ""
    """Sent twice with the same one, it is recorded once."""


class BonusOfWorker(WorkerNumber):
    amount: Annotated[float, Ge(0.01), Le(LARGEST), WholeCents]
    """In the currency of the project."""
    reason: Annotated[SomeText, MaxLen(LONGEST_REASON), AsOption(), Field(title="What for")]
    """The worker reads it."""
    reference: Reference = ""
    """Sent twice with the same one, it is given once."""


class MessageToWorker(WorkerNumber):
    text: Message
    conversation: int | None = None
    """The id of a conversation of the worker, which this answers; empty: a new message."""


class WhichMessages(Input):
    waiting: bool = False
    """Only what nobody has answered."""


class PostShown(Output):
    answer: bool
    """A requester wrote it."""
    text: str
    at: datetime
    read: bool
    """The worker has read this answer."""


class ConversationShown(Output):
    id: int
    worker: str
    """The worker's name."""
    worker_id: int
    subject: Annotated[str, Choice(Conversation.Subject.values)]
    task: str
    assignment: str | None
    """The token of the assignment that it is about."""
    waits: bool
    """Nobody has answered yet."""
    posts: list[PostShown]


class ConversationsShown(RootModel[list[ConversationShown]]):
    pass


class MessageToAll(Input):
    text: Message


class DismissedSignal(WorkerNumber):
    signal: int
    note: Annotated[SomeText, MaxLen(500), AsOption(), Field(title="Why it is none")]
    """The reason why it is not a sign of bad work."""


class BadAssignment(Input):
    assignment: int
    reason: Annotated[SomeText, MaxLen(LONGEST_REASON), AsOption()]
    """The worker reads it, here or on the platform."""


class RefusedPay(BadAssignment):
    cents: Annotated[int, Ge(1), Le(MAX_CENTS)] | None = None
    """Of each assignment. Leave empty to refuse all that it earned."""


class WorkerOfProject(Output):
    id: int
    name: str
    kind: Annotated[str, Choice(Worker.Kind.values)]
    tasks: list[str]
    """Those that the worker may answer."""
    owed_cents: int


class WorkersOfProject(RootModel[list[WorkerOfProject]]):
    pass


def worker_of(project: Project, number: int) -> Worker:
    """Return the worker, who may answer or has answered in the project. Raises Refused."""
    here = Q()
    for model in (Access, Assignment, TrustStatus):
        here |= Q(pk__in=model._default_manager.filter(project=project).values("worker"))
    return find_row(Worker.objects.filter(here), number, "worker")


def tasks_of_worker(project: Project, worker_id: int) -> list[str]:
    """Return the tasks that the worker may answer, or has a standing in."""
    here = {"project": project, "worker": worker_id}
    found = {
        task for model in (Access, TrustStatus) for task in model.objects.filter(**here).values_list("task", flat=True)
    }
    return [task.value for task in Task if task.value in found]


@contextmanager
def refused_at(field: str) -> Iterator[None]:
    """Turn a refusal of the ledger into one of the operation, at this field."""
    try:
        yield
    except (LedgerError, PipelineError) as error:
        raise Refused("invalid", str(error), 400, field=field) from error


@operation(name="workers", surveys=True, archived=True, path="workers/", method="get")
def list_workers(project: Project, inputs: NoInput, caller: Caller) -> WorkersOfProject:
    """List the workers who may answer, with their tasks and what they are owed."""
    owed, found = accounts(project.pk), dict[int, WorkerOfProject]()
    for row in Access.objects.filter(project=project).select_related("worker").order_by("worker__name", "id"):
        worker = row.worker
        cents = owed[worker.pk].owed if worker.pk in owed else 0
        shown = WorkerOfProject(id=worker.pk, name=worker.name, kind=worker.kind, tasks=[], owed_cents=cents)
        found.setdefault(worker.pk, shown).tasks.append(row.task)
    return WorkersOfProject(list(found.values()))


@operation(surveys=True, path="workers/<int:worker>/trust/", refusals=(409,))
def decide_about_worker(project: Project, inputs: TrustDecision, caller: Caller) -> Acknowledgement:
    """Suspend, bar, trust or reinstate a worker, with a reason that the worker reads."""
    worker, event, now = worker_of(project, inputs.worker), TrustEvent(inputs.event), clock.now()
    until = now + timedelta(days=inputs.days) if inputs.days else None
    tasks, refusal = [], "The worker has no task here: give access first."
    for task in [inputs.task] if inputs.task else tasks_of_worker(project, worker.pk):
        try:
            act(trust_of(worker.pk, project.pk, task), event, TrustRules(), now, until=until)
        except IllegalMoveError as error:
            refusal = str(error)
        else:
            tasks.append(Task(task))
    if not tasks:
        raise Refused("invalid", refusal, 400)
    decided: dict[str, Any] = {"worker_id": worker.pk, "project_id": project.pk, "event": event, "until": until}
    decided |= {"reason": inputs.reason, "actor": caller.name, "take_back": inputs.take_back}
    try:
        voided = sum(decide_trust(task=task, **decided).voided for task in tasks)
    except IllegalMoveError as error:  # somebody else decided meanwhile
        raise Refused("not_possible", str(error)) from error
    again = f" {voided} answers are asked again." if inputs.take_back else ""
    return Acknowledgement(sentence=f"Done: the worker {event}.{again}")


@operation(surveys=True, path="workers/<int:worker>/access/")
def give_access(project: Project, inputs: AccessOfWorker, caller: Caller) -> Acknowledgement:
    """Give a worker access to the chosen tasks, and take it away from all others of the project."""
    worker = worker_of(project, inputs.worker)
    try:
        refuse_others(project, inputs.tasks)
    except NotAskedError as error:
        raise Refused("invalid", str(error), 400, field="tasks") from error
    others = [task.value for task in tasks_of(project) if task not in inputs.tasks]
    with transaction.atomic():
        new = grant_access(worker, project.pk, inputs.tasks, trusted=inputs.trusted)
        gone = take_access(worker, project.pk, others)
    return Acknowledgement(sentence=f"Saved. New tasks: {new}; taken away: {gone}.")


@operation(surveys=True, archived=True, path="workers/<int:worker>/payments/", password=True)
def record_payment(project: Project, inputs: PaymentByHand, caller: Caller) -> Acknowledgement:
    """Record a payment that was made elsewhere, of at most what is owed. No money is moved."""
    worker, today = worker_of(project, inputs.worker), clock.now().date()
    currency, paid_on = current_settings(project.pk)[1].currency, inputs.paid_on or today
    if paid_on > today:
        message = "This day is still to come: record the payment when it is made."
        raise Refused("invalid", message, 400, field="paid_on")
    cents = round(100 * inputs.amount)
    with refused_at("amount"):
        try:
            pay_worker(
                worker_id=worker.pk,
                project_id=project.pk,
                cents=cents,
                reference=inputs.reference or new_reference("by hand"),
                actor=caller.name,
                reason=f"{inputs.reason} (paid on {paid_on:%d %B %Y})",
            )
        except NotOwedError as error:
            owed = money(account_of(worker.pk, project.pk).owed, currency)
            message = f"Only {owed} are owed. Record at most that; what you gave beyond it is a bonus."
            raise LedgerError(message) from error
        except ReferenceTakenError as error:
            raise LedgerError(
                "This form was sent before, with another amount. Open the worker's page again to record a second one."
            ) from error
    return Acknowledgement(sentence=f"Recorded: {money(cents, currency)} were paid to {worker.name}.")


def new_reference(name: str) -> str:
    """Return a name for one entry of the ledger: sent twice, it is one entry."""
    return f"{name} {uuid4().hex[:16]}"


@operation(surveys=True, archived=True, path="workers/<int:worker>/bonuses/", password=True)
def give_bonus(project: Project, inputs: BonusOfWorker, caller: Caller) -> Acknowledgement:
    """Promise a bonus on top of what assignments earn. It is owed until it is paid."""
    worker, cents = worker_of(project, inputs.worker), round(100 * inputs.amount)
    with refused_at("amount"):
        write_bonus(
            worker_id=worker.pk,
            project_id=project.pk,
            cents=cents,
            reason=inputs.reason,
            actor=caller.name,
            reference=inputs.reference,
        )
    currency = current_settings(project.pk)[1].currency
    return Acknowledgement(sentence=f"{worker.name} gets a bonus of {money(cents, currency)}.")


@operation(surveys=True, archived=True, path="workers/<int:worker>/messages/")
def write_to_worker(project: Project, inputs: MessageToWorker, caller: Caller) -> Acknowledgement:
    """Send a worker a message, or the answer to one of theirs."""
    worker = worker_of(project, inputs.worker)
    if inputs.conversation is None:
        send_message(text=inputs.text, worker_ids=[worker.pk], project_id=project.pk)
        return Acknowledgement(sentence="Sent.")
    rows = Conversation.objects.filter(project=project, worker=worker)
    conversation = find_row(rows, inputs.conversation, "conversation of this worker")
    try:
        answer_worker(conversation_id=conversation.pk, text=inputs.text, actor=caller.name)
    except BadMessageError as error:
        raise Refused("invalid", str(error), 400, field="text") from error
    enqueue_mail()
    return Acknowledgement(sentence="Sent.")


@operation(name="requester_messages", surveys=True, archived=True, path="messages/", method="get")
def read_messages(project: Project, inputs: WhichMessages, caller: Caller) -> ConversationsShown:
    """List what workers of a project wrote, the newest first. Answer with a message to the worker."""
    rows = conversations_in(project.pk, waiting=inputs.waiting)
    return ConversationsShown(
        [ConversationShown(**as_values(row), worker=row.worker.name, worker_id=row.worker_id) for row in rows]
    )


@operation(surveys=True, archived=True, path="workers/messages/", refusals=(409,))
def write_to_all(project: Project, inputs: MessageToAll, caller: Caller) -> Acknowledgement:
    """Send a message to everybody who may answer."""
    people = Access.objects.filter(project=project, worker__kind=Worker.Kind.PERSON)
    ids = set(people.values_list("worker_id", flat=True))
    if not ids:
        raise Refused("not_possible", "Nothing was sent: nobody may answer yet.")
    sent = send_message(text=inputs.text, worker_ids=ids, project_id=project.pk)
    return Acknowledgement(sentence=f"Sent to {sent} worker{'' if sent == 1 else 's'}.")


@operation(name="dismiss_signal", surveys=True, path="workers/<int:worker>/signals/<int:signal>/")
def dismiss(project: Project, inputs: DismissedSignal, caller: Caller) -> Acknowledgement:
    """Dismiss a signal for good, with the reason why it is not a sign of bad work."""
    worker_of(project, inputs.worker)
    row = find_row(WorkerSignal.objects.filter(project=project), inputs.signal, "signal")
    dismiss_signal(signal_id=row.pk, by=caller.name, note=inputs.note)
    return Acknowledgement(sentence="Dismissed. It stays dismissed if it is found again.")


def _assignment(project: Project, inputs: BadAssignment) -> Assignment:
    return find_row(Assignment.objects.filter(project=project), inputs.assignment, "assignment")


@operation(surveys=True, path="assignments/<int:assignment>/leave-out/", password=True)
def leave_out_answers(project: Project, inputs: BadAssignment, caller: Caller) -> Acknowledgement:
    """Pay for an assignment, but do not use it: answers that nothing has followed from are asked again."""
    with refused_at("assignment"):
        rejected = soft_reject(assignment_id=_assignment(project, inputs).pk, reason=inputs.reason, actor=caller.name)
    in_effect = len(rejected.resolved)
    if not in_effect:
        return Acknowledgement(sentence="not used; nothing had followed from its answers.")
    return Acknowledgement(sentence=f"not used. {in_effect} of its judgments had taken effect already, and stay.")


@operation(surveys=True, path="assignments/<int:assignment>/refuse-pay/", password=True)
def refuse_pay(project: Project, inputs: RefusedPay, caller: Caller) -> Acknowledgement:
    """Refuse the pay of an assignment, or some of it. This is the last remedy."""
    row = _assignment(project, inputs)
    with refused_at("assignment"):
        entry = write_refusal(assignment_id=row.pk, reason=inputs.reason, actor=caller.name, cents=inputs.cents)
    return Acknowledgement(sentence=f"{amount(entry.cents)} refused.")


@operation(surveys=True, path="assignments/<int:assignment>/restore-pay/", password=True)
def restore_pay(project: Project, inputs: BadAssignment, caller: Caller) -> Acknowledgement:
    """Take back a refusal of pay: the refused pay is owed again."""
    row = _assignment(project, inputs)
    with refused_at("assignment"):
        entry = write_restored(assignment_id=row.pk, reason=inputs.reason, actor=caller.name)
    return Acknowledgement(sentence=f"{amount(entry.cents)} are owed again.")
