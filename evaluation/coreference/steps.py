"""The steps of coreference."""

from evaluation.scoring.bootstrap import DRAWS
from evaluation.step import EvaluationStep, StepOption

STEPS: tuple[EvaluationStep, ...] = (
    EvaluationStep(
        "coreference",
        "score",
        "score chains of mentions against others by the metrics of coreference papers",
        "evaluation.coreference.score:score_coreference",
        (
            StepOption("gold", "export whose chains are right: folder, archive or .jsonl", required=True, is_file=True),
            StepOption("response", "export whose chains are scored", required=True, is_file=True),
            StepOption("against", "export whose chains are scored as well, to compare", is_file=True),
            StepOption("gold_worker", "worker whose links are gold, as a .jsonl export names them"),
            StepOption("response_worker", "worker whose links are scored"),
            StepOption("against_worker", "worker whose links are compared"),
            StepOption("draws", "resamples of the images", kind=int, default=DRAWS),
        ),
        needs_data=False,
    ),
)
