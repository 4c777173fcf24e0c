"""Values that the paper prints [paper Shekhar, Results], to stand beside ours. Shares are percentages."""

from evaluation.foil.making.lexicon import TEST, TRAIN

COMPOSITION = {TRAIN: (197_788, 65_697, 395_576, 256), TEST: (99_480, 32_150, 198_960, 216)}
"""Data points, images, captions and pairs of each part."""
TASK_1 = {
    "blind": (55.62, 86.20, 25.04),
    "cnn_lstm": (61.07, 89.16, 32.98),
    "lstm_norm_i": (63.26, 92.02, 34.51),
    "hie_co_att": (64.14, 91.89, 36.38),
    "ic_wang": (42.21, 38.98, 45.44),
    "human_majority": (92.89, 91.24, 94.52),
    "human_unanimity": (76.32, 73.73, 78.90),
}
"""Accuracy overall, on right captions, and on foils."""
TASK_2 = {
    "chance": (23.25, 15.87),
    "lstm_norm_i": (26.32, 24.25),
    "hie_co_att": (38.79, 33.69),
    "ic_wang": (27.59, 23.32),
}
"""Accuracy among the nouns and among all content words."""
TASK_2_HUMAN = {"human_majority": 97.00, "human_unanimity": 73.60}
TASK_3 = {"chance": 1.38, "lstm_norm_i": 4.7, "hie_co_att": 4.21, "ic_wang": 22.16}
