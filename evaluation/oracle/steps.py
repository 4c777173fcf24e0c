"""The steps of oracle captioning."""

from evaluation.step import EvaluationStep, StepOption

CAPTIONS = StepOption(
    "captions",
    "captions: Flickr30k's token file, COCO's captions JSON, or an export; else those of --data",
    is_file=True,
)

TOP = StepOption("top", "atoms of each category that workers are asked about, the commonest", kind=int, default=150)
DEVICES = ("cpu", "cuda", "mps", "auto")

STEPS: tuple[EvaluationStep, ...] = (
    EvaluationStep(
        "oracle",
        "atoms",
        "count the entities, actions and attributes of captions",
        "evaluation.oracle.run_atoms:run_atoms",
        (CAPTIONS, TOP),
        needs_data=False,
    ),
    EvaluationStep(
        "oracle",
        "curves",
        "train language models that know the atoms of an image, and score their captions",
        "evaluation.oracle.run_curves:run_curves",
        (
            CAPTIONS,
            StepOption("points", "atoms to know, such as NA,ALL:50,ENT:200", required=True),
            StepOption("accuracy", "shares of right atoms, such as 1,0.7", default="1"),
            StepOption("accuracy_at", "points that are also tried with less accuracy; without it, all ALL:k"),
            StepOption("images", "images to train on", kind=int, default=6000),
            StepOption("validation", "images to stop by; without it, a sixth of --images, 1,000 at most", kind=int),
            StepOption("test", "images to score; without it, a sixth of --images, 1,000 at most", kind=int),
            StepOption("epochs", "epochs at most", kind=int, default=5),
            StepOption(
                "atoms",
                "atoms of all captions of an image, or of each caption",
                default="image",
                choices=("image", "caption"),
            ),
            StepOption("phi", "what is read of several atoms", default="sum", choices=("sum", "mean")),
            StepOption("optimizer", "way of training", default="adam", choices=("adam", "adadelta")),
            StepOption("only_visual", "votes on atoms: those not called visual are left out", is_file=True),
            StepOption("threads", "threads of a training; another number may round otherwise", kind=int, default=1),
            StepOption(
                "device", "where to train; equal bits are promised on cpu alone", default="cpu", choices=DEVICES
            ),
            StepOption("processes", "points that are trained at a time", kind=int, default=1),
        ),
        needs_data=False,
    ),
    EvaluationStep(
        "oracle",
        "score",
        "score captions by BLEU, METEOR, ROUGE-L and CIDEr",
        "evaluation.oracle.run_score:run_score",
        (
            StepOption("hypotheses", "captions of a system: COCO's results JSON", required=True, is_file=True),
            StepOption(
                "references", "captions of the same images, as --captions of atoms", required=True, is_file=True
            ),
        ),
        needs_data=False,
    ),
    EvaluationStep(
        "oracle",
        "visual",
        "tally votes on whether atoms can be seen in a picture",
        "evaluation.oracle.run_visual:run_visual",
        (
            CAPTIONS,
            StepOption("votes", "votes of the survey atom_visual, one a line", required=True, is_file=True),
            TOP,
        ),
        needs_data=False,
    ),
    EvaluationStep(
        "oracle",
        "worth",
        "tell how many known atoms a system's scores are worth",
        "evaluation.oracle.curves:run_worth",
        (
            StepOption("curves", "report.json of oracle curves", required=True, is_file=True),
            StepOption("result", "report.json of oracle score", required=True, is_file=True),
        ),
        needs_data=False,
    ),
)
