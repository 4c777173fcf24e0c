"""The steps of retrieval."""

from evaluation.localization.embedding.word_vectors import VECTORS, WORD_SIZE
from evaluation.localization.steps import OF_CUES
from evaluation.retrieval.distances import ALPHA, GAMMA
from evaluation.step import EvaluationStep, StepOption

STEPS: tuple[EvaluationStep, ...] = (
    EvaluationStep(
        "retrieval",
        "scenes",
        "find the scenes of captions and the captions of scenes, without pixels",
        "evaluation.retrieval.scenes:scenes",
        (
            StepOption("captions", "captions to train on: Flickr30k's tokens, or COCO's", required=True, is_file=True),
            VECTORS,
            WORD_SIZE,
            StepOption("train", "images to train on", kind=int, default=6000),
            StepOption("validation", "images on which the ridge is chosen", kind=int, default=500),
            StepOption("held_out", "images of the file of captions to score on", kind=int, default=1000),
            StepOption("components", "centres of the codebook", kind=int, default=10),
            StepOption("atoms", "words that make a scene, the commonest", kind=int, default=800),
            StepOption("outputs", "dimensions of the shared space", kind=int, default=512),
        ),
    ),
    EvaluationStep(
        "retrieval",
        "sentences",
        "find images by sentences and sentences by images, with regions and phrases",
        "evaluation.retrieval.sentences:sentences",
        (
            *OF_CUES,
            StepOption("alpha", "weight of the whole image", kind=float, default=ALPHA),
            StepOption("gamma", "power of the number of phrases", kind=float, default=GAMMA),
        ),
    ),
)
