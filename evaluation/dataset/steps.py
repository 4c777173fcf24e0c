"""The steps of data sets."""

from evaluation.localization.picture_files import PICTURES
from evaluation.step import Option, Step

STEPS: tuple[Step, ...] = (
    Step(
        "dataset",
        "compare",
        "compare two versions of a data set: chains, phrases, boxes, flags and types that changed",
        "evaluation.dataset.compare:compare",
        (
            Option(
                "before",
                "the earlier version: an export in any format but chat",
                required=True,
                is_file=True,
            ),
            Option("after", "the later version, in the same or another format", required=True, is_file=True),
            PICTURES,
            Option("drawn", "pictures of the largest changes, at most", kind=int, default=24),
            Option(
                "tolerance", "pixels by which an edge may differ in a box that is the same", kind=float, default=0.0
            ),
        ),
        needs_data=False,
    ),
)
