"""The steps of data sets."""

from evaluation.localization.picture_files import PICTURES
from evaluation.step import EvaluationStep, StepOption

STEPS: tuple[EvaluationStep, ...] = (
    EvaluationStep(
        "dataset",
        "compare",
        "compare two versions of a data set: chains, phrases, boxes, flags and types that changed",
        "evaluation.dataset.compare:compare",
        (
            StepOption(
                "before",
                "the earlier version: an export in any format but chat",
                required=True,
                is_file=True,
            ),
            StepOption("after", "the later version, in the same or another format", required=True, is_file=True),
            PICTURES,
            StepOption("drawn", "pictures of the largest changes, at most", kind=int, default=24),
            StepOption(
                "tolerance", "pixels by which an edge may differ in a box that is the same", kind=float, default=0.0
            ),
        ),
        needs_data=False,
    ),
)
