"""Wrong share [beyond paper 3]: the share of wrong labels of a checked data set, before and after, with intervals.

What a belief doubts before any person answers need not be as often wrong as it says. People's answers tell: of the
doubtful labels, which they are asked about, and of the others at random. So the doubts are put right by a line between
their logits and those of the truth, under which all answers together are likeliest. An answer counts by its likelihood
ratio, hence a crowd's own errors are allowed for. Images are what is drawn: the labels of one hang together.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.mention_type import NOUN_TYPES
from pipeline.checking.label_evidence import LabelEvidence, NewLabel, SideEvidence
from runtime.intervals import OF_PROGRAMS, IntervalEstimate, wilson

OFFSET_DEVIATION, SLOPE_DEVIATION, TYPE_OFFSET = 0.7, 0.2, 0.4
"""Standard deviations of what is expected of the line: of its offset about 0, of its slope about 1, of each type's own
offset about 0. So few answers leave the doubts as they are, and types much alike.
"""
CROWD_DEVIATION = 0.15
"""The standard deviation, in shares of it, of how much answers say: the crowd's errors are known roughly only."""
NEW_LABEL_DEVIATION = 0.25
"""The standard deviation, in shares of it, of the number of wrong labels among those that the check made."""
ANSWERED_DEVIATION = 0.3
"""The standard deviation, in shares of it, of the doubt that people's answers leave of the labels they are about."""
UNANSWERED_DEVIATION = 0.3
"""The same of the labels that nobody was asked about: little tells of those that look right."""
CONFIRMED_FACTOR = 1.5
"""Answers that confirm mentions say this much more than the belief has it: people are asked about the doubtful ones.

Measured, as the two before, with `python -m studies planted` (simulated workers).
"""
VARIANCE_FACTOR = 2.0
"""Labels of an image are wrong together: a phrase in the wrong chain makes two wrong. So the variance is larger."""
MAX_STEPS, TOLERANCE = 200, 1e-6
"""The most steps to the likeliest line; they end when it moves no further."""
TINY = 1e-9
TYPES = tuple(kind.value for kind in NOUN_TYPES)
Row = NDArray[np.float64]
Mask = NDArray[np.bool_]
NOTHING: Row = np.zeros(0)


class WrongShare(NamedTuple):
    """The share of wrong labels of a data set."""

    labels: int
    """Those of the data set."""
    before: IntervalEstimate
    mentions: IntervalEstimate
    """Of the same labels: those whose mentions are wrong."""
    boxes: IntervalEstimate
    """Of the same labels: those whose mentions are right, and whose boxes are wrong."""
    after: IntervalEstimate
    """Of the labels as they are now."""


class _Side(NamedTuple):
    """One side of all labels, mentions or boxes, with the doubts put right."""

    wrong: Row
    """The chance that each label is wrong in this."""
    moves: Row
    """The chance as it follows from the line [labels, parts of the line]."""
    spread: Row
    """The covariance of the line."""
    left: Row
    """The error of the number of wrong labels that no answer tells, of each label."""


class _Counted(NamedTuple):
    """Wrong labels among some, as far as the answers tell."""

    number: float
    variance: float


def wrong_shares(images: Sequence[tuple[Sequence[LabelEvidence], Sequence[NewLabel]]]) -> dict[str, WrongShare]:
    """Return the shares of all labels, by the name "", and of the labels of each type.

    `images`: of each, what is known of the labels that the data set has of it, and of those that it has now besides.
    """
    labels = [label for labels_of_image, _ in images for label in labels_of_image]
    new = [label for _, besides in images for label in besides]
    cluster = np.array(
        [place for place, (labels_of_image, _) in enumerate(images) for _ in labels_of_image], dtype=np.intp
    )
    types = np.array([[kind in label.types for kind in TYPES] for label in labels], dtype=bool).reshape(-1, len(TYPES))
    now = np.array([np.nan if label.now is None else label.now for label in labels], dtype=np.float64)
    whole = np.array([not label.parted for label in labels], dtype=bool)
    # The second time as if answers said more: the difference is what the crowd's errors leave open.
    sides = []
    for scale in (1.0, 1.0 + CROWD_DEVIATION):
        evidence = [
            label.mentions._replace(ratio=min(label.mentions.ratio, CONFIRMED_FACTOR * label.mentions.ratio))
            for label in labels
        ]
        mentions = _put_right(evidence, types, cluster, scale)
        boxes = _unasked_stay(_put_right([label.boxes for label in labels], types, cluster, scale), labels)
        sides.append((mentions, boxes, _as_now(boxes, now)))

    found = {}
    for name in ("", *TYPES):
        own = np.ones(len(labels), dtype=bool) if not name else types[:, TYPES.index(name)]
        left, of = own & whole, int(own.sum())
        besides = np.array([label.doubt for label in new if not name or name in label.types], dtype=np.float64)
        found[name] = WrongShare(
            labels=of,
            before=_share([_count_either(mentions, boxes, own) for mentions, boxes, _ in sides], of),
            mentions=_share([_count_either(mentions, None, own) for mentions, _, _ in sides], of),
            boxes=_share([_count_second(mentions, boxes, own) for mentions, boxes, _ in sides], of),
            after=_share(
                [_count_either(mentions, boxes, left) for mentions, _, boxes in sides], int(left.sum()), besides
            ),
        )
    return found


def _unasked_stay(boxes: _Side, labels: Sequence[LabelEvidence]) -> _Side:
    """Return the boxes with doubts that are not smaller than before where nobody was asked.

    People are asked about boxes that programs call wrong. That most of those are right tells nothing of the others.
    """
    unasked = np.array([not label.boxes.answered for label in labels], dtype=bool)
    wrong = np.where(unasked, np.maximum(boxes.wrong, [label.boxes.wrong for label in labels]), boxes.wrong)
    return boxes._replace(wrong=wrong, left=np.where(unasked, UNANSWERED_DEVIATION * wrong, boxes.left))


def _put_right(evidence: Sequence[SideEvidence], types: Mask, cluster: NDArray[np.intp], scale: float) -> _Side:
    """Return the chances of being wrong after the doubts are put right by all answers."""
    doubt = np.array([side.doubt for side in evidence])
    ratio = np.exp(scale * np.array([side.ratio for side in evidence]))
    of_type = types / np.maximum(types.sum(axis=1), 1)[:, None]
    rows = np.column_stack((np.ones(len(evidence)), np.log(doubt / (1 - doubt)), of_type))
    guess = np.eye(rows.shape[1])[1]
    weight = np.diag(
        [1 / deviation**2 for deviation in (OFFSET_DEVIATION, SLOPE_DEVIATION, *[TYPE_OFFSET] * len(TYPES))]
    )
    # Labels of which nobody said anything are as likely under every line; with them the steps would be too short.
    telling = ratio != 1
    informative, word, line = rows[telling], ratio[telling], guess
    for _ in range(MAX_STEPS):
        before, wrong = _chances(informative @ line, word)
        score = informative.T @ (wrong - before) - weight @ (line - guess)
        step = np.linalg.solve((informative * (before * (1 - before))[:, None]).T @ informative + weight, score)
        line = line + step
        if float(np.abs(step).max()) < TOLERANCE:
            break
    before, wrong = _chances(rows @ line, ratio)
    bend = (rows * (before * (1 - before) - wrong * (1 - wrong))[:, None]).T @ rows + weight
    scores = np.zeros((int(cluster.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(scores, cluster, rows * (wrong - before)[:, None])
    flat = np.linalg.pinv(bend)
    is_answered = np.array([side.answered for side in evidence], dtype=bool)
    left = np.where(is_answered, ANSWERED_DEVIATION * np.minimum(wrong, 1 - wrong), UNANSWERED_DEVIATION * wrong)
    return _Side(wrong, rows * (wrong * (1 - wrong))[:, None], flat @ (scores.T @ scores + weight) @ flat, left)


def _chances(logits: Row, ratio: Row) -> tuple[Row, Row]:
    """Return the chances of being wrong before people's answers, and after them."""
    before = 1 / (1 + np.exp(-logits))
    return before, before * ratio / (1 - before + before * ratio)


def _as_now(boxes: _Side, now: Row) -> _Side:
    """Return the boxes as they are now. `now`: of changed ones the chance that they are wrong, else not a number."""
    same = np.isnan(now)
    return _Side(np.where(same, boxes.wrong, now), np.where(same[:, None], boxes.moves, 0.0), boxes.spread, boxes.left)


# --- Counts ---


def _count_either(one: _Side, other: _Side | None, own: Mask) -> _Counted:
    """Count the labels that are wrong in one or the other; without another, in one."""
    first = one.wrong[own]
    second = np.zeros(len(first)) if other is None else other.wrong[own]
    wrong = 1 - (1 - first) * (1 - second)
    moved = [_moved(one, own, 1 - second)] + ([] if other is None else [_moved(other, own, 1 - first)])
    left = float(one.left[own].sum()) + (0.0 if other is None else float(other.left[own].sum()))
    return _counted(wrong, [*moved, left**2])


def _count_second(one: _Side, other: _Side, own: Mask) -> _Counted:
    """Count the labels that are right in one, and wrong in the other."""
    first, second = one.wrong[own], other.wrong[own]
    moved = [_moved(one, own, -second), _moved(other, own, 1 - first)]
    return _counted((1 - first) * second, [*moved, float(other.left[own].sum()) ** 2])


def _counted(wrong: Row, moved: Sequence[float]) -> _Counted:
    return _Counted(float(wrong.sum()), VARIANCE_FACTOR * float((wrong * (1 - wrong)).sum()) + sum(moved))


def _moved(side: _Side, own: Mask, weight: Row) -> float:
    """Return the variance that the line of a side brings into a sum of its chances by weight."""
    moves = (weight[:, None] * side.moves[own]).sum(axis=0)
    return float(moves @ side.spread @ moves)


def _share(counts: Sequence[_Counted], of: int, besides: Row = NOTHING) -> IntervalEstimate:
    """Return the share of wrong labels. `counts`: as answers say, and as if they said more. `besides`: more doubts."""
    first, second = counts
    variance = first.variance + (second.number - first.number) ** 2
    variance += (
        VARIANCE_FACTOR * float((besides * (1 - besides)).sum()) + (NEW_LABEL_DEVIATION * float(besides.sum())) ** 2
    )
    return _interval(first.number + float(besides.sum()), variance**0.5, of + len(besides))


def _interval(number: float, error: float, of: int) -> IntervalEstimate:
    """Return the share of a number with Wilson's interval, for as many labels as would leave this error."""
    if not of:
        return IntervalEstimate(0.0, 0.0, 1.0)
    share = min(max(number / of, TINY), 1 - TINY)
    labels = share * (1 - share) * (of / max(error, TINY)) ** 2
    return wilson(share * labels, labels, OF_PROGRAMS)
