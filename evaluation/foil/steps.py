"""The steps of FOIL."""

from evaluation.foil.making.generate import MINING, NONE
from evaluation.foil.making.make_items import FREQUENCY, SAMPLING
from evaluation.step import EvaluationStep, StepOption

LEXICON = StepOption(
    "lexicon", "words by super-category; without it COCO's, or those of an export's phrases", is_file=True
)
LEAST_VOTES_OPTION = StepOption(
    "least", "votes that a caption needs to count: others are undecided", kind=int, default=3
)
ITEMS = StepOption("items", "items.jsonl of “foil generate”", is_file=True, required=True)

STEPS: tuple[EvaluationStep, ...] = (
    EvaluationStep(
        "foil",
        "generate",
        "write captions with one wrong word, by the words of COCO or of an export",
        "evaluation.foil.making.generate:generate",
        (
            StepOption("captions", "token file (or .gz) or COCO captions; or give an export as --data", is_file=True),
            StepOption("instances", "COCO instances of the same images: a foil is none of their boxes", is_file=True),
            LEXICON,
            StepOption(
                "sampling", "draw foils as often as they are targets, or alike", default=FREQUENCY, choices=SAMPLING
            ),
            StepOption("mining", "keep the hardest foil by this language model", default=NONE, choices=MINING),
            StepOption("images", "images to use at most, drawn by the seed", kind=int),
        ),
        needs_data=False,
    ),
    EvaluationStep(
        "foil",
        "score",
        "score chance, models and people at telling, finding and mending the wrong word",
        "evaluation.foil.tasks:score_models",
        (
            ITEMS,
            StepOption("predictions", "answers of a model, a caption a line", is_file=True),
            StepOption("name", "the name of that model", default="predictions"),
            StepOption("votes", "votes of a survey, for the rows of people", is_file=True),
            LEAST_VOTES_OPTION,
            StepOption("instances", "COCO instances, for the model that knows the boxes", is_file=True),
            StepOption("detections", "categories of a detector, an image a line, for the same model", is_file=True),
            LEXICON,
            StepOption("part", "items to score", default="test", choices=("test", "train", "all")),
        ),
        needs_data=False,
    ),
    EvaluationStep(
        "foil",
        "agreement",
        "count the captions that people judge rightly by majority and all together",
        "evaluation.foil.human:agreement",
        (
            StepOption("votes", "votes of a survey: item, worker, answer, right", is_file=True, required=True),
            LEAST_VOTES_OPTION,
            StepOption("items", "items.jsonl, for the wrong words", is_file=True),
            LEXICON,
        ),
        needs_data=False,
    ),
    EvaluationStep(
        "foil",
        "blind",
        "tell foils without the image, in folds by pair and by image: how much the words alone betray",
        "evaluation.foil.tasks:run_blind",
        (
            ITEMS,
            StepOption("against", "other items, such as those of --sampling uniform", is_file=True),
            LEXICON,
            StepOption("folds", "parts that are scored in turn", kind=int, default=5),
        ),
        needs_data=False,
    ),
)
