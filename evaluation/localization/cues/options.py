"""The options of the step `cues`."""

from evaluation.localization.embedding.options import OPTIONS as OF_EMBEDDING
from evaluation.step import Option

OPTIONS = (
    *OF_EMBEDDING,
    Option("detectors", "softmax scores of detectors for the regions, as .npz", is_file=True),
    Option("detector_words", "the head nouns of each detector's class, in place of ours for PASCAL", is_file=True),
    Option("colors", "softmax scores of the eleven colours for the regions, as .npz", is_file=True),
    Option("paper_weights", "take the paper's weights of size instead of fitting them", is_flag=True),
)
