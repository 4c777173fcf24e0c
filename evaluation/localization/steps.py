"""The steps of phrase localization."""

from evaluation.localization.cues.options import OPTIONS as OF_CUES
from evaluation.localization.embedding.options import OPTIONS as OF_EMBEDDING
from evaluation.localization.picture_files import PICTURES
from evaluation.localization.predictions.read_predictions import FILES
from evaluation.localization.proposals.regions_of_step import OPTIONS as OF_REGIONS
from evaluation.reading.predictions.box_forms import FORMS
from evaluation.scoring.bootstrap import DRAWS
from evaluation.step import Option, Step

STEPS: tuple[Step, ...] = (
    Step(
        "localization",
        "baselines",
        "score boxes that need no model: one box around all, the largest, all by size",
        "evaluation.localization.baselines:baselines",
    ),
    Step(
        "localization",
        "score",
        "score the boxes that a model predicts for phrases",
        "evaluation.localization.score:score",
        (
            Option("predictions", "the predicted boxes", is_file=True, required=True),
            Option("against", "another model's boxes, for the paired difference", is_file=True),
            Option("form", "kind of the files; without it by their names: .json is coco", choices=FILES),
            Option("names", "COCO file of the data, whose ids of images and categories the files use", is_file=True),
            Option("boxes", "form of the boxes; without it xyxy for jsonl, xywh for coco", choices=FORMS),
            Option("clip", "cut boxes at the edge of the picture instead of refusing them", is_flag=True),
            Option("nms", "drop boxes that overlap a better one by more than this; the paper's is 0.5", kind=float),
            Option("draws", "resamples for the intervals", kind=int, default=DRAWS),
            Option("least", "occurrences that a phrase needs to be among the hardest", kind=int, default=5),
        ),
    ),
    Step(
        "localization",
        "embedding",
        "find phrases by their distance to regions in a shared space (CCA)",
        "evaluation.localization.embedding.embedding_step:embedding",
        OF_EMBEDDING,
    ),
    Step(
        "localization",
        "cues",
        "find phrases by the shared space with detectors, size and colour",
        "evaluation.localization.cues.cues_step:cues",
        OF_CUES,
    ),
    Step(
        "localization",
        "proposals",
        "find regions in photographs, and score them on gold boxes",
        "evaluation.localization.proposals.proposals_step:proposals",
        (PICTURES, *OF_REGIONS),
    ),
)
