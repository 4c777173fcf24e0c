"""Operations that decide about single sessions and payments of a platform by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from annotated_types import MaxLen

from annotation.models import Project
from pipeline.money.write_entry import LONGEST_REASON
from platforms.models import Payment, Session
from platforms.registry import find_platform
from platforms.settling.settle_by_hand import (
    approve_part,
    approve_unfinished,
    ask_to_return,
    decide_unknown,
    open_elsewhere,
    pay_without_use,
    refuse_session,
    reject_unfinished,
    restore_session,
    retry_payment,
)
from projects.operation import Acknowledgement, AsOption, Caller, Input, SomeText, find_row, operation
from projects.recruiting.operations import refusing

SESSION_DECISIONS: dict[str, Callable[[Session, str, str], str]] = {
    "leave out": lambda session, reason, actor: pay_without_use(session, reason=reason, actor=actor),
    "refuse": lambda session, reason, actor: refuse_session(session, reason=reason, actor=actor),
    "restore": lambda session, reason, actor: restore_session(session, reason=reason, actor=actor),
    "approve": lambda session, reason, actor: approve_unfinished(session, reason=reason),
    "approve part": lambda session, reason, actor: approve_part(
        find_platform(session.offer.platform), session, reason=reason
    ),
    "request return": lambda session, reason, actor: ask_to_return(
        find_platform(session.offer.platform), session, reason=reason
    ),
    "reject": lambda session, reason, actor: reject_unfinished(session, reason=reason),
    "release": lambda session, reason, actor: open_elsewhere(session),
}


class DecidedSession(Input):
    session: int
    """The id of a session."""
    decision: Literal[
        "leave out", "refuse", "restore", "approve", "approve part", "request return", "reject", "release"
    ]
    """“leave out” pays, and asks the answers again; “refuse” refuses what is not paid yet, “restore” takes that back;
    “approve”, “approve part” and “reject” settle what was handed in on the platform alone; “request return” asks the
    worker to give it back, instead of a rejection; “release” lets another browser open it."""
    reason: Annotated[SomeText, MaxLen(LONGEST_REASON), AsOption()]
    """The worker reads it, here or on the platform."""


class DecidedPayment(Input):
    payment: int
    """The id of a payment."""
    decision: Literal["retry", "done", "not done"]
    """“retry” sends what was refused again; “done” and “not done” tell what became of one without an answer."""


@operation(surveys=True, archived=True, path="sessions/<int:session>/", refusals=(409,), password=True)
def decide_session(project: Project, inputs: DecidedSession, caller: Caller) -> Acknowledgement:
    """Decide about the pay of a session, or who may open it."""
    rows = Session.objects.filter(offer__project=project).select_related("worker", "offer")
    session = find_row(rows, inputs.session, "session")
    with refusing(session.offer.platform):
        return Acknowledgement(sentence=SESSION_DECISIONS[inputs.decision](session, inputs.reason, caller.name))


@operation(surveys=True, archived=True, path="payments/<int:payment>/", refusals=(409,), password=True)
def decide_payment(project: Project, inputs: DecidedPayment, caller: Caller) -> Acknowledgement:
    """Decide about a payment that the platform refused, or did not answer."""
    row = find_row(Payment.objects.filter(session__offer__project=project), inputs.payment, "payment")
    done = inputs.decision == "done"
    with refusing(row.session.offer.platform):
        if inputs.decision == "retry":
            retry_payment(row.pk)
        else:
            decide_unknown(row.pk, done=done)
    return Acknowledgement(sentence="it counts as done." if done else "the next round sends it again.")
