"""The steps of content selection."""

from evaluation.content_selection.baselines import NAMES
from evaluation.step import Option, Step

FIT = Option("fit", "export to count concepts on; without it, each half of the data by the other", is_file=True)
TIES = Option("ties", "decide between equal boxes by their ids or at random", default="id", choices=("id", "random"))

STEPS: tuple[Step, ...] = (
    Step(
        "content_selection",
        "baselines",
        "score the choice of boxes by size, position and words, beside people's and chance",
        "evaluation.content_selection.run:run_baselines",
        (FIT, TIES, Option("draws", "random draws of the chance baseline", kind=int, default=200)),
    ),
    Step(
        "content_selection",
        "generate",
        "write a sentence an image with the boxes that a baseline chooses",
        "evaluation.content_selection.run:run_generate",
        (
            FIT,
            Option("baseline", "order of the boxes", default="bigram+size", choices=("random", *NAMES)),
            Option("k", "boxes of a sentence at most", kind=int, default=3),
            Option("function_words", "words between the boxes, one a line", is_file=True),
        ),
    ),
    Step(
        "content_selection",
        "score",
        "score sentences or chosen boxes of another system",
        "evaluation.content_selection.run:run_score",
        (Option("predictions", "sentences or chosen boxes, an image a line", is_file=True, required=True),),
    ),
)
