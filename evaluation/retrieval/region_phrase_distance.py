"""Region-phrase distance [paper 4.2, equation 4]: how well an image's best regions fit all phrases of a sentence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

GAMMA = 1.5


def region_phrase_distances(
    best: NDArray[Any], sentences: Sequence[Sequence[int]], gamma: float = GAMMA
) -> NDArray[np.float64]:
    """Return sum / L ** gamma over the L phrases of each sentence, for each image: shape (sentences, images).

    `best`: the least distance of any region, shape (phrases, images); sentences hold rows of it, repeated ones
    repeated. The distance of a sentence without phrases is 1 (decided: it tells nothing).
    """
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    columns = np.array([row for sentence in sentences for row in sentence], dtype=np.int64)
    shape = (len(sentences), len(best))
    sums = csr_matrix((np.ones(len(columns)), columns, np.concatenate([[0], np.cumsum(lengths)])), shape=shape) @ best
    divided = np.asarray(sums, dtype=np.float64) / np.maximum(lengths, 1)[:, None] ** gamma
    divided[lengths == 0] = 1
    return divided
