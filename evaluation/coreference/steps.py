"""The steps of coreference."""

from evaluation.scoring.bootstrap import DRAWS
from evaluation.step import Option, Step

STEPS: tuple[Step, ...] = (
    Step(
        "coreference",
        "score",
        "score chains of mentions against others by the metrics of coreference papers",
        "evaluation.coreference.score:score",
        (
            Option("gold", "export whose chains are right: folder, archive or .jsonl", required=True, is_file=True),
            Option("response", "export whose chains are scored", required=True, is_file=True),
            Option("against", "export whose chains are scored as well, to compare", is_file=True),
            Option("gold_worker", "worker whose links are gold, as a .jsonl export names them"),
            Option("response_worker", "worker whose links are scored"),
            Option("against_worker", "worker whose links are compared"),
            Option("draws", "resamples of the images", kind=int, default=DRAWS),
        ),
        needs_data=False,
    ),
)
