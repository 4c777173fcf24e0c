"""Shift of a worker [beyond paper 3.3]: how much more a worker errs on a box task than the crowd."""

from belief.annotators import skill
from belief.boxes.box_prior import BoxPrior
from belief.boxes.tasks import BoxTask


def box_shift(task: BoxTask, accuracy: float, answers: int, prior: BoxPrior) -> float:
    """Return how far the logit of a worker's error lies above the crowd's, from -3 to 3; below 0 is a careful worker.

    `accuracy`: the share, 0 to 1, of right answers among `answers` checked ones. Without any the shift is 0.
    """
    return skill(accuracy, answers, prior.error_of(task))
