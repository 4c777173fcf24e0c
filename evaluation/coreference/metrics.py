"""Metrics of coreference: their counts of an image, and precision, recall and F of added counts."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from evaluation.coreference.b_cubed import b_cubed
from evaluation.coreference.blanc import different_links, same_links
from evaluation.coreference.ceaf import ceaf_entities, ceaf_mentions
from evaluation.coreference.chains import Chains, Pair
from evaluation.coreference.counts import Counts
from evaluation.coreference.lea import lea
from evaluation.coreference.muc import muc


def exact(gold: Chains, response: Chains) -> Counts:
    """Return the chains that both sides have with exactly the same mentions."""
    both = len({*gold} & {*response})
    return Counts(both, len(response), both, len(gold))


METRICS: Mapping[str, Sequence[Callable[[Chains, Chains], Counts]]] = {
    "MUC": (muc,),
    "B3": (b_cubed,),
    "CEAFm": (ceaf_mentions,),
    "CEAFe": (ceaf_entities,),
    "BLANC": (same_links, different_links),
    "LEA": (lea,),
    "exact": (exact,),
}
"""A metric of several kinds of counts is the mean of what each gives."""
KINDS = [(name, kind) for name, kinds in METRICS.items() for kind in kinds]
OF_CONLL = ("MUC", "B3", "CEAFe")
"""The metrics whose F make up the average of the CoNLL tasks [Pradhan and others 2012]."""
CONLL = "CoNLL"
COLUMNS = (*(f"{name}.{part}" for name in METRICS for part in "PRF"), CONLL)


def counts_of(pair: Pair) -> np.ndarray:
    """Return the counts of an image, of shape (kinds, 4)."""
    return np.array([kind(*pair) for _, kind in KINDS], dtype=float)


def scores(counts: np.ndarray) -> np.ndarray:
    """Return the figures in percent, of shape (..., COLUMNS).

    `counts`: of shape (..., kinds, 4), added up over images. A figure is NaN where neither side has anything of which
    it could be a share: MUC, if there is no chain of two mentions.
    """
    right, of = counts[..., [0, 2]], counts[..., [1, 3]]
    share = np.divide(right, of, out=np.zeros_like(of), where=of > 0)
    total = share.sum(axis=-1)
    middle = np.divide(2 * share.prod(axis=-1), total, out=np.zeros_like(total), where=total > 0)
    every = np.concatenate([share, middle[..., None]], axis=-1)
    every[(of == 0).all(axis=-1)] = np.nan
    names = np.array([name for name, _ in KINDS])
    with np.errstate(invalid="ignore"):
        found = {name: _mean(every[..., names == name, :]) for name in METRICS}
    conll = np.mean([found[name][..., 2] for name in OF_CONLL], axis=0)
    together = np.concatenate([*found.values(), conll[..., None]], axis=-1)
    percent: np.ndarray = 100 * together
    return percent


def _mean(kinds: np.ndarray) -> np.ndarray:
    """Return the mean over the kinds, of shape (..., 3). A kind of which there is nothing is left out."""
    there = ~np.isnan(kinds)
    number = there.sum(axis=-2)
    total = np.where(there, kinds, 0).sum(axis=-2)
    mean: np.ndarray = np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)
    return mean
