"""Flow [paper 3.1 to 3.3.1]: which state follows which verdict, over all six tasks and review."""

from collections.abc import Mapping
from enum import StrEnum

from annotation.rules.states import ChainState
from pipeline.rules.tasks import (
    box_coverage,
    box_drawing,
    box_quality,
    box_requirement,
    chain_verification,
    coreference_link,
)
from pipeline.rules.tasks.task import Task

S = ChainState


class Review(StrEnum):
    """What leads to an expert, and what the expert decides."""

    NEEDED = "expert needed"
    VERIFY = "sent to verification"
    ASK = "sent to box requirement"
    DRAW = "sent to box drawing"
    COVER = "sent to box coverage"
    COMPLETE = "set complete"
    NON_VISUAL = "set non-visual"


SETTLED = frozenset({S.COMPLETE, S.NON_VISUAL})
ASKED = {
    S.LINKING: Task.COREFERENCE_LINK,
    S.VERIFICATION: Task.CHAIN_VERIFICATION,
    S.REQUIREMENT: Task.BOX_REQUIREMENT,
    S.DRAWING: Task.BOX_DRAWING,
    S.QUALITY: Task.BOX_QUALITY,
    S.COVERAGE: Task.BOX_COVERAGE,
}
"""The task that is asked in a state; no question is open in any other state."""

REVIEW_TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    # An expert may take up any chain, a settled one too.
    **{(state, Review.NEEDED): S.REVIEW for state in S if state is not S.REVIEW},
    (S.REVIEW, Review.VERIFY): S.VERIFICATION,
    (S.REVIEW, Review.ASK): S.REQUIREMENT,
    (S.REVIEW, Review.DRAW): S.DRAWING,
    (S.REVIEW, Review.COVER): S.COVERAGE,
    (S.REVIEW, Review.COMPLETE): S.COMPLETE,
    (S.REVIEW, Review.NON_VISUAL): S.NON_VISUAL,
}
TABLES: Mapping[Task, Mapping[tuple[ChainState, StrEnum], ChainState]] = {
    Task.COREFERENCE_LINK: coreference_link.TRANSITIONS,
    Task.CHAIN_VERIFICATION: chain_verification.TRANSITIONS,
    Task.BOX_REQUIREMENT: box_requirement.TRANSITIONS,
    Task.BOX_DRAWING: box_drawing.TRANSITIONS,
    Task.BOX_QUALITY: box_quality.TRANSITIONS,
    Task.BOX_COVERAGE: box_coverage.TRANSITIONS,
}


class IllegalStepError(Exception):
    """A chain in this state cannot take this step."""


def step(state: ChainState, verdict: StrEnum) -> ChainState:
    """The state after a verdict. A pair that no table names raises IllegalStepError."""
    table = REVIEW_TRANSITIONS if isinstance(verdict, Review) else TABLES[ASKED[state]] if state in ASKED else {}
    # StrEnums of different tasks can be equal as strings, so the table is chosen by the state and the class is checked.
    for (old, known), new in table.items():
        if old is state and known is verdict:
            return new
    raise IllegalStepError(f"A chain in state {state} cannot take the step {verdict!r}.")
