"""The comparison of two copies counts right boxes of all final ones, and found ones of all true ones."""

from collections import Counter

from campaign.predictions.measure.outcome import ImageOutcome, compare
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from simulation.score import Counts


def outcome(*, drawn: int, found: int, matched: int, review: int) -> ImageOutcome:
    answers = Counter({Task.BOX_DRAWING: drawn, Task.COREFERENCE_LINK: 4, Task.CHAIN_VERIFICATION: 1})
    boxes = Counts(gold=5, found=found, matched=matched)
    return ImageOutcome(answers, boxes, Counts(gold=4, found=9, matched=3), review)


def test_each_figure_is_a_sum_over_the_images_of_a_copy() -> None:
    without = {name: outcome(drawn=10, found=8, matched=4, review=0) for name in "ab"}
    with_it = {name: outcome(drawn=5, found=6, matched=3, review=1) for name in "ab"}
    figures = compare(without, with_it, ProtocolSettings())
    sides = {name: (figure["without"], figure["with"]) for name, figure in figures.items()}
    assert sides == {
        **{"answers": (30, 20), "linking": (10, 10), "boxing": (20, 10), "cents": (0, 0), "review": (0, 2)},
        "hours": (round(2 * (268 + 30 + 19) / 3600, 4), round(2 * (134 + 30 + 19) / 3600, 4)),
        **{"boxes_right": ([8, 16], [6, 12]), "boxes_found": ([8, 10], [6, 10]), "chains_exact": ([6, 8], [6, 8])},
    }
    assert figures["answers"]["change"] == [-0.33333] * 3 and figures["boxes_found"]["change"] == [-0.2] * 3
