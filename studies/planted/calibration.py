"""Calibration of doubts: labels that are expected to be wrong against those that are, before and after a check."""

from dataclasses import dataclass, field
from itertools import pairwise

from pipeline.checking.doubt import ExpectedWrong, doubts_of, expected_wrong
from pipeline.checking.reasons import boxes_shown
from pipeline.protocol.state.progress import ImageProgress
from pipeline.settings.settings import Settings
from simulation.score import same_boxes
from simulation.view import GoldImage

EDGES = (0.0, 0.03, 0.06, 0.1, 0.2, 0.4, 1.0)
"""Doubts in which calibration is shown apart: from each of these to the next."""


@dataclass(slots=True)
class Calibration:
    """Labels with their doubt, 0 to 1, and whether they are truly wrong."""

    told: list[tuple[float, bool]] = field(default_factory=list)

    @property
    def expected(self) -> ExpectedWrong:
        return expected_wrong(doubt for doubt, _ in self.told)

    @property
    def wrong(self) -> int:
        return sum(wrong for _, wrong in self.told)

    def by_doubt(self) -> list[tuple[float, float, ExpectedWrong, int]]:
        """Return for each part of the doubts its ends, the labels expected to be wrong, and those that are."""
        found = []
        for low, high in pairwise(EDGES):
            own = Calibration([one for one in self.told if low <= one[0] < high or one[0] == high == 1])
            if own.told:
                found.append((low, high, own.expected, own.wrong))
        return found

    def add(self, progress: ImageProgress, gold: GoldImage, settings: Settings) -> None:
        """Add the labels of an image as it stands."""
        right = {tuple(sorted(chain.mentions)): chain for chain in gold.chains}
        for doubt in doubts_of(progress, settings):
            chains = [chain for chain in progress.chains.values() if doubt.chain in (chain.name, chain.merged_into)]
            own = tuple(sorted(number for chain in chains for number in chain.mentions))
            boxes = {box for chain in chains for box in boxes_shown(progress, chain, settings)}
            self.told.append((doubt.chances.doubt, own not in right or not same_boxes(list(boxes), right[own].boxes)))
