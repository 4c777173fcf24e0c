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
from evaluation.step import Option, Step

OF_EMBEDDING = (
    Option(
        "fit", "an export to fit on; without it one half of the images is fitted on, the other scored", is_file=True
    ),
    PICTURES,
    *OF_REGIONS,
    FEATURES,
    Option("captions", "captions to train word vectors on, in Flickr30k's token format", is_file=True),
    VECTORS,
    WORD_SIZE,
    Option("components", "centres of the codebook; the paper has 30", kind=int, default=10),
    Option("outputs", "dimensions of the shared space, at most; the paper has 4096", kind=int, default=4096),
    Option("ridge", "ridge of the CCA, as a share of the mean variance", kind=float, default=RIDGE),
    Option("exemplars", "regions of each phrase to learn from, at most", kind=int, default=REGIONS),
)


OF_CUES = (
    *OF_EMBEDDING,
    Option("detectors", "softmax scores of detectors for the regions, as .npz", is_file=True),
    Option("detector_words", "the head nouns of each detector's class, in place of ours for PASCAL", is_file=True),
    Option("colors", "softmax scores of the eleven colours for the regions, as .npz", is_file=True),
    Option("paper_weights", "take the paper's weights of size instead of fitting them", is_flag=True),
)


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
            Option("protocol", "the box to hit of a phrase with several", default="merged", choices=PROTOCOLS),
            Option("edges", "edges of gold boxes: of pixels, or as files print them", default="pixels", choices=EDGES),
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
