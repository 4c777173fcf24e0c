"""The options of steps that fit a region-phrase model."""

from evaluation.localization.embedding.cca import RIDGE
from evaluation.localization.embedding.features_of_step import FEATURES
from evaluation.localization.embedding.sample_pairs import REGIONS
from evaluation.localization.embedding.vectors_of_step import SIZE, VECTORS
from evaluation.localization.picture_files import PICTURES
from evaluation.localization.proposals.regions_of_step import OPTIONS as OF_REGIONS
from evaluation.step import Option

OPTIONS = (
    Option(
        "fit", "an export to fit on; without it one half of the images is fitted on, the other scored", is_file=True
    ),
    PICTURES,
    *OF_REGIONS,
    FEATURES,
    Option("captions", "captions to train word vectors on, in Flickr30k's token format", is_file=True),
    VECTORS,
    SIZE,
    Option("components", "centres of the codebook; the paper has 30", kind=int, default=10),
    Option("outputs", "dimensions of the shared space, at most; the paper has 4096", kind=int, default=4096),
    Option("ridge", "ridge of the CCA, as a share of the mean variance", kind=float, default=RIDGE),
    Option("exemplars", "regions of each phrase to learn from, at most", kind=int, default=REGIONS),
)
