"""Operations on single sessions and payments of a platform: a requester decides what a round does with each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from annotated_types import MaxLen

from annotation.models import Project
from pipeline.errors import PipelineError
from pipeline.money.write_entry import LONGEST_REASON, LedgerError
from platforms.contract.errors import PlatformError
from platforms.models import Payment, Session
from platforms.settling.settle_by_hand import (
    approve_unfinished,
    decide_unknown,
    open_elsewhere,
    pay_without_use,
    refuse_session,
    reject_unfinished,
    restore_session,
    retry_payment,
)
from projects.operation import Acknowledgement, AsOption, Caller, Input, Refused, SomeText, find_row, operation

SESSION_DECISIONS: dict[str, Callable[[Session, str, str], str]] = {
    "leave out": lambda session, reason, actor: pay_without_use(session, reason=reason, actor=actor),
    "refuse": lambda session, reason, actor: refuse_session(session, reason=reason, actor=actor),
    "restore": lambda session, reason, actor: restore_session(session, reason=reason, actor=actor),
    "approve": lambda session, reason, actor: approve_unfinished(session, reason=reason),
    "reject": lambda session, reason, actor: reject_unfinished(session, reason=reason),
    "release": lambda session, reason, actor: open_elsewhere(session),
}


class DecidedSession(Input):
    session: int
    """The id of a session."""
    decision: Literal["leave out", "refuse", "restore", "approve", "reject", "release"]
    """“leave out” pays, and asks the answers again; “refuse” refuses what is not paid yet, “restore” takes that back;
    “approve” and “reject” settle what was handed in on the platform alone; “release” lets another browser open it."""
    reason: Annotated[SomeText, MaxLen(LONGEST_REASON), AsOption()]
    """The worker reads it, here or on the platform."""


class DecidedPayment(Input):
    payment: int
    """The id of a payment."""
    decision: Literal["retry", "done", "not done"]
    """“retry” sends what was refused again; “done” and “not done” tell what became of one without an answer."""


@operation(surveys=True, archived=True, path="sessions/<int:session>/", refusals=(409,))
def decide_session(project: Project, inputs: DecidedSession, caller: Caller) -> Acknowledgement:
    """Decide about the pay of a session, or who may open it."""
    rows = Session.objects.filter(offer__project=project).select_related("worker", "offer")
    session = find_row(rows, inputs.session, "session")
    try:
        return Acknowledgement(sentence=SESSION_DECISIONS[inputs.decision](session, inputs.reason, caller.name))
    except (LedgerError, PipelineError, PlatformError) as error:
        raise Refused("not_possible", str(error)) from error


@operation(surveys=True, archived=True, path="payments/<int:payment>/", refusals=(409,))
def decide_payment(project: Project, inputs: DecidedPayment, caller: Caller) -> Acknowledgement:
    """Decide about a payment that the platform refused, or did not answer."""
    row = find_row(Payment.objects.filter(session__offer__project=project), inputs.payment, "payment")
    try:
        if inputs.decision == "retry":
            retry_payment(row.pk)
        else:
            decide_unknown(row.pk, done=inputs.decision == "done")
    except (PipelineError, PlatformError) as error:
        raise Refused("not_possible", str(error)) from error
    done = inputs.decision == "done"
    return Acknowledgement(sentence="it counts as done." if done else "the next round sends it again.")
