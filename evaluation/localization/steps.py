"""The steps of phrase localization, with their options."""

from evaluation.localization.embedding.cca import RIDGE
from evaluation.localization.embedding.embedding_step import REGIONS
from evaluation.localization.embedding.features import FEATURES
from evaluation.localization.embedding.word_vectors import VECTORS, WORD_SIZE
from evaluation.localization.picture_files import PICTURES
from evaluation.localization.predictions import FILES
from evaluation.localization.proposals.regions import OPTIONS as OF_REGIONS
from evaluation.localization.queries import EDGES, PROTOCOLS
from evaluation.reading.predictions.box_forms import FORMS
from evaluation.scoring.bootstrap import DRAWS
from evaluation.step import EvaluationStep, StepOption

OF_EMBEDDING = (
    StepOption(
        "fit", "an export to fit on; without it one half of the images is fitted on, the other scored", is_file=True
    ),
    PICTURES,
    *OF_REGIONS,
    FEATURES,
    StepOption("captions", "captions to train word vectors on, in Flickr30k's token format", is_file=True),
    VECTORS,
    WORD_SIZE,
    StepOption("components", "centres of the codebook; the paper has 30", kind=int, default=10),
    StepOption("outputs", "dimensions of the shared space, at most; the paper has 4096", kind=int, default=4096),
    StepOption("ridge", "ridge of the CCA, as a share of the mean variance", kind=float, default=RIDGE),
    StepOption("exemplars", "regions of each phrase to learn from, at most", kind=int, default=REGIONS),
)


OF_CUES = (
    *OF_EMBEDDING,
    StepOption("detectors", "softmax scores of detectors for the regions, as .npz", is_file=True),
    StepOption("detector_words", "the head nouns of each detector's class, in place of ours for PASCAL", is_file=True),
    StepOption("colors", "softmax scores of the eleven colours for the regions, as .npz", is_file=True),
    StepOption("paper_weights", "take the paper's weights of size instead of fitting them", is_flag=True),
)


STEPS: tuple[EvaluationStep, ...] = (
    EvaluationStep(
        "localization",
        "baselines",
        "score boxes that need no model: one box around all, the largest, all by size",
        "evaluation.localization.baselines:baselines",
    ),
    EvaluationStep(
        "localization",
        "score",
        "score the boxes that a model predicts for phrases",
        "evaluation.localization.score:score_localization",
        (
            StepOption("predictions", "the predicted boxes", is_file=True, required=True),
            StepOption("against", "another model's boxes, for the paired difference", is_file=True),
            StepOption("form", "kind of the files; without it by their names: .json is coco", choices=FILES),
            StepOption(
                "names", "COCO file of the data, whose ids of images and categories the files use", is_file=True
            ),
            StepOption("boxes", "form of the boxes; without it xyxy for jsonl, xywh for coco", choices=FORMS),
            StepOption("clip", "cut boxes at the edge of the picture instead of refusing them", is_flag=True),
            StepOption("protocol", "the box to hit of a phrase with several", default="merged", choices=PROTOCOLS),
            StepOption(
                "edges", "edges of gold boxes: of pixels, or as files print them", default="pixels", choices=EDGES
            ),
            StepOption("nms", "drop boxes that overlap a better one by more than this; the paper's is 0.5", kind=float),
            StepOption("draws", "resamples for the intervals", kind=int, default=DRAWS),
            StepOption("least", "occurrences that a phrase needs to be among the hardest", kind=int, default=5),
        ),
    ),
    EvaluationStep(
        "localization",
        "embedding",
        "find phrases by their distance to regions in a shared space (CCA)",
        "evaluation.localization.embedding.embedding_step:embedding",
        OF_EMBEDDING,
    ),
    EvaluationStep(
        "localization",
        "cues",
        "find phrases by the shared space with detectors, size and colour",
        "evaluation.localization.cues.cues_step:cues",
        OF_CUES,
    ),
    EvaluationStep(
        "localization",
        "proposals",
        "find regions in photographs, and score them on gold boxes",
        "evaluation.localization.proposals.proposals_step:proposals",
        (PICTURES, *OF_REGIONS),
    ),
)
