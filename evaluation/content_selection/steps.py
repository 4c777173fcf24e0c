"""The steps of content selection."""

from evaluation.content_selection.baselines import NAMES
from evaluation.step import EvaluationStep, StepOption

FIT = StepOption("fit", "export to count concepts on; without it, each half of the data by the other", is_file=True)
TIES = StepOption(
    "ties", "decide between equal boxes by their ids or at random", default="id", choices=("id", "random")
)

STEPS: tuple[EvaluationStep, ...] = (
    EvaluationStep(
        "content_selection",
        "baselines",
        "score the choice of boxes by size, position and words, beside people's and chance",
        "evaluation.content_selection.run:run_baselines",
        (FIT, TIES, StepOption("draws", "random draws of the chance baseline", kind=int, default=200)),
    ),
    EvaluationStep(
        "content_selection",
        "generate",
        "write a sentence an image with the boxes that a baseline chooses",
        "evaluation.content_selection.run:run_generate",
        (
            FIT,
            StepOption("baseline", "order of the boxes", default="bigram+size", choices=("random", *NAMES)),
            StepOption("k", "boxes of a sentence at most", kind=int, default=3),
            StepOption("function_words", "words between the boxes, one a line", is_file=True),
        ),
    ),
    EvaluationStep(
        "content_selection",
        "score",
        "score sentences or chosen boxes of another system",
        "evaluation.content_selection.run:score_sentences",
        (StepOption("predictions", "sentences or chosen boxes, an image a line", is_file=True, required=True),),
    ),
)
