"""Box tasks under belief [beyond paper 3.2]: the protocol's tasks and answers, as the library of belief names them."""

from belief.boxes.tasks import BoxCoverage, BoxQuality, BoxReply, BoxRequirement, BoxTask
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.task import Task

BELIEVED = {
    Task.BOX_REQUIREMENT: BoxTask.REQUIREMENT,
    Task.BOX_DRAWING: BoxTask.DRAWING,
    Task.BOX_QUALITY: BoxTask.QUALITY,
    Task.BOX_COVERAGE: BoxTask.COVERAGE,
}


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
