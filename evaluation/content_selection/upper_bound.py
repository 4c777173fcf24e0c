"""Upper bound [paper Wang 5]: each description of an image scored against the others, as people choose boxes."""

from collections.abc import Collection, Sequence

import numpy as np

from evaluation.content_selection.score import Score, score


def upper_bound(gold: Sequence[Collection[str]]) -> Score | None:
    """Return the mean P, R and F of an image's descriptions; None if fewer than two refer to boxes.

    P, R and F are taken of each description and then averaged: by symmetry P and R are equal.
    """
    if len(gold) < 2:
        return None
    each = [score([*gold[:i], *gold[i + 1 :]], own) for i, own in enumerate(gold)]
    p, r, f = np.mean(np.array(each), axis=0)
    return Score(float(p), float(r), float(f))
