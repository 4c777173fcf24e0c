"""Flow [paper 3.1 to 3.3.1]: the state of a chain that follows each verdict, over all six tasks and review."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from annotation.rules.states import ChainState
from pipeline.protocol.tasks import (
    box_coverage,
    box_drawing,
    box_quality,
    box_requirement,
    chain_verification,
    coreference_link,
)
from pipeline.protocol.tasks.task import Task

S = ChainState


class ReviewStep(StrEnum):
    """The need of an expert, and the decisions of one."""

    NEEDED = "expert needed"
    VERIFY = "sent to verification"
    ASK = "sent to box requirement"
    DRAW = "sent to box drawing"
    COVER = "sent to box coverage"
    COMPLETE = "set complete"
    NON_VISUAL = "set non-visual"


SETTLED = frozenset({S.COMPLETE, S.NON_VISUAL})
TASK_OF_STATE = {
    S.LINKING: Task.COREFERENCE_LINK,
    S.VERIFICATION: Task.CHAIN_VERIFICATION,
    S.REQUIREMENT: Task.BOX_REQUIREMENT,
    S.DRAWING: Task.BOX_DRAWING,
    S.QUALITY: Task.BOX_QUALITY,
    S.COVERAGE: Task.BOX_COVERAGE,
}
"""The task that is asked in each state; a chain in any other state has no open question."""
BOXING = (S.REQUIREMENT, S.DRAWING, S.QUALITY, S.COVERAGE)
"""The states in which a box task is asked."""

TransitionTable = Mapping[tuple[ChainState, StrEnum], ChainState]
NO_MORE: TransitionTable = MappingProxyType({})
REVIEW_TRANSITIONS: TransitionTable = {
    # An expert may review any chain, even a settled one.
    **{(state, ReviewStep.NEEDED): S.REVIEW for state in S if state is not S.REVIEW},
    (S.REVIEW, ReviewStep.VERIFY): S.VERIFICATION,
    (S.REVIEW, ReviewStep.ASK): S.REQUIREMENT,
    (S.REVIEW, ReviewStep.DRAW): S.DRAWING,
    (S.REVIEW, ReviewStep.COVER): S.COVERAGE,
    (S.REVIEW, ReviewStep.COMPLETE): S.COMPLETE,
    (S.REVIEW, ReviewStep.NON_VISUAL): S.NON_VISUAL,
}
TABLES: Mapping[Task, TransitionTable] = {
    Task.COREFERENCE_LINK: coreference_link.TRANSITIONS,
    Task.CHAIN_VERIFICATION: chain_verification.TRANSITIONS,
    Task.BOX_REQUIREMENT: box_requirement.TRANSITIONS,
    Task.BOX_DRAWING: box_drawing.TRANSITIONS,
    Task.BOX_QUALITY: box_quality.TRANSITIONS,
    Task.BOX_COVERAGE: box_coverage.TRANSITIONS,
}


class IllegalStepError(Exception):
    """No table allows this verdict for a chain in this state."""


def step(state: ChainState, verdict: StrEnum, more: TransitionTable = NO_MORE) -> ChainState:
    """Return the state after a verdict. Raises IllegalStepError if no table allows the step.

    `more`: the steps of the box policy beyond those of the tasks.
    """
    own = TABLES[TASK_OF_STATE[state]] if state in TASK_OF_STATE else {}
    # Verdicts of different tasks can be equal as texts, so the state chooses the table and identity decides.
    for table in (REVIEW_TRANSITIONS, own, more):
        for (old, known), new in table.items():
            if old is state and known is verdict:
                return new
    raise IllegalStepError(f"A chain in state {state} cannot take the step {verdict!r}.")
