"""Box policy [beyond paper 3.2]: the way in which the four box tasks follow one another, and the steps of *belief*.

*paper* is the loop of the paper: the answers of one task decide which task comes next. *belief* keeps a probability of
everything that can be true of a chain's boxes, and may go from any box task to any other.
"""

from enum import StrEnum

from annotation.rules.states import ChainState
from belief.boxes.box_answers import BoxCoverage, BoxQuality, BoxReply, BoxRequirement, BoxTask
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.flow import BOXING
from pipeline.protocol.tasks.task import Task

S = ChainState
MAX_SAME_ANSWERS = 10
"""Under *belief* a chain goes to review rather than that more workers are asked the same about the same boxes."""


class BoxVerdict(StrEnum):
    """The decision of *belief*: what to ask next, or how the chain ends."""

    ASK = "box required?"
    DRAW = "a box may be missing"
    JUDGE = "a box may be bad"
    COVER = "are all boxes there?"
    COMPLETE = "sure enough that the boxes are right"
    NON_VISUAL = "sure enough that there is no box"
    EXPERT = "the answers do not settle it"


AFTER: dict[BoxVerdict, ChainState] = {
    BoxVerdict.ASK: S.REQUIREMENT,
    BoxVerdict.DRAW: S.DRAWING,
    BoxVerdict.JUDGE: S.QUALITY,
    BoxVerdict.COVER: S.COVERAGE,
    BoxVerdict.COMPLETE: S.COMPLETE,
    BoxVerdict.NON_VISUAL: S.NON_VISUAL,
    BoxVerdict.EXPERT: S.REVIEW,
}
TRANSITIONS: dict[tuple[ChainState, StrEnum], ChainState] = {
    (state, verdict): after for state in (S.LINKING, S.VERIFICATION, *BOXING) for verdict, after in AFTER.items()
}
BELIEVED = {
    Task.BOX_REQUIREMENT: BoxTask.REQUIREMENT,
    Task.BOX_DRAWING: BoxTask.DRAWING,
    Task.BOX_QUALITY: BoxTask.QUALITY,
    Task.BOX_COVERAGE: BoxTask.COVERAGE,
}
"""The box tasks as the library of belief names them."""


def reply_of(task: Task, answer: int | str | None) -> BoxReply:
    """Return a stored answer to a box task other than drawing. Raises ValueError for what is no answer to the task."""
    match task:
        case Task.BOX_REQUIREMENT:
            return BoxRequirement.BOX if answer == RequirementAnswer.BOX else BoxRequirement.NO_BOX
        case Task.BOX_QUALITY:
            return BoxQuality(str(answer))
        case Task.BOX_COVERAGE:
            return BoxCoverage(str(answer))
    raise ValueError(f"{task.label} has no answer that belief weighs.")
