"""The values of the paper's tables 3 and 4, shown beside those of a project."""

from pipeline.rules.settings.protocol import BATCH, MINIMUM, USUAL_SECONDS
from pipeline.rules.tasks.task import PROTOCOL_TASKS

TRUSTED = (587, 239, 684, 334, 347, 624)
QUALITY = (0.906, 0.906, 0.884, 0.824, 0.880, 0.892)
REJECTED: tuple[float | str, ...] = (0.02, 0.02, "≪ 1%", 0.383, 0.527, 0.354)
"""As the paper prints them."""
TABLE_3 = {
    task: (BATCH[task], USUAL_SECONDS[task], trusted, quality, MINIMUM[task], rejected)
    for task, trusted, quality, rejected in zip(PROTOCOL_TASKS, TRUSTED, QUALITY, REJECTED, strict=True)
}
"""Questions per assignment, seconds, trusted workers, their quality, the minimum, and the share rejected."""
TABLE_4 = {
    "people": (59_766, 3.17, 1.95),
    "clothing": (42_380, 1.76, 1.44),
    "body parts": (12_809, 1.50, 1.42),
    "animals": (5_086, 3.63, 1.44),
    "vehicles": (5_561, 2.77, 1.21),
    "instruments": (1_827, 2.85, 1.61),
    "scene": (46_919, 2.03, 0.62),
    "other": (82_098, 1.94, 1.04),
    "total": (244_035, 2.10, 1.13),
}
"""Chains, mentions per chain, boxes per chain."""
