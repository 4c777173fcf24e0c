"""Worker shift [beyond paper 3.1.1]: how much more, or less, a worker errs than the crowd, as far as it is known."""

import math

from pipeline.rules.linking.adaptive.answer_model import FALSE_NEGATIVE, FALSE_POSITIVE

CROWD_ERROR = (FALSE_NEGATIVE + FALSE_POSITIVE) / 2
PULL = 40
"""Imagined answers of an average worker: who is hardly known is taken for one."""
LARGEST = 3.0


def worker_shift(accuracy: float, answers: int) -> float:
    """Of the logit of the error, above the crowd's. `accuracy`: 0 to 1, in `answers` checked answers."""
    if answers <= 0:
        return 0.0
    error = ((1 - accuracy) * answers + CROWD_ERROR * PULL) / (answers + PULL)
    return max(-LARGEST, min(LARGEST, _logit(error) - _logit(CROWD_ERROR)))


def _logit(share: float) -> float:
    return math.log(share / (1 - share))
