"""The estimated shares of wrong labels of a check of planted errors, and whether the truth lies in their intervals."""

from collections.abc import Sequence
from typing import Any

from pipeline.checking.label import ChainLabel, labels_now
from pipeline.checking.label_evidence import label_evidence_of, same_boxes
from pipeline.checking.wrong_share import wrong_shares
from runtime.intervals import Estimate
from simulation.view import GoldImage
from studies.planted.check import Checked, labels_of


def estimates(checked: Checked) -> list[dict[str, Any]]:
    """Return a row for the labels before the check, and one for those after it: shares from 0 to 1."""
    if checked.learned is None:
        return []
    known, before, after = [], list[bool](), list[bool]()
    for image, progress in checked.ends:
        labels = labels_of(image)
        known.append(label_evidence_of(progress, labels, checked.learned))
        before += wrong(labels, image.gold)
        after += wrong(labels_now(progress), image.gold)
    found = wrong_shares(known)[""]
    return [_row("wrong before", before, found.before), _row("wrong after", after, found.after)]


def wrong(labels: Sequence[ChainLabel], gold: GoldImage) -> list[bool]:
    """Return of each label whether it has other mentions than every gold chain, or other boxes than its own."""
    boxes = {tuple(sorted(chain.mentions)): chain.boxes for chain in gold.chains}
    return [label.mentions not in boxes or not same_boxes(label.boxes, boxes[label.mentions]) for label in labels]


def _row(of: str, truth: Sequence[bool], found: Estimate) -> dict[str, Any]:
    share = sum(truth) / len(truth)
    return {
        "of": of,
        "truth": share,
        "estimate": found.value,
        "least": found.low,
        "most": found.high,
        "inside": found.holds(share),
    }
