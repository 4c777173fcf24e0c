"""Trust that is learned [beyond paper 3]: how often labels of a checked data set are wrong, by type and task.

Learned from the estimate of all wrong labels, and not from what people were asked about: that is the doubtful ones.
"""

from collections.abc import Sequence
from dataclasses import replace

from belief.boxes.box_prior import BoxPrior
from pipeline.checking.label_evidence import LabelEvidence, NewLabel
from pipeline.checking.wrong_share import wrong_shares

SHARE_DIGITS = 4


def with_wrong_shares(
    prior: BoxPrior, images: Sequence[tuple[Sequence[LabelEvidence], Sequence[NewLabel]]]
) -> BoxPrior:
    """Return the prior with the shares of labels with wrong mentions, and with wrong boxes. `images`: as there."""
    if not any(labels for labels, _ in images):
        return prior
    found = {}
    for kind, share in wrong_shares(images).items():
        if share.labels:
            right = max(1 - share.mentions.share, 1e-9)
            boxes = min(share.boxes.share / right, 1.0)
            found[kind] = round(share.mentions.share, SHARE_DIGITS), round(boxes, SHARE_DIGITS)
    return replace(prior, wrong=found)
