"""Random numbers of torch by a seed and a use, which leave all others as they were."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from evaluation.optional import need

torch = need("torch", "training a language model")


@contextmanager
def seeded(seed: int, use: str) -> Iterator[None]:
    """Draw from numbers of this seed and use inside the block."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(np.random.SeedSequence([seed, *use.encode()]).generate_state(1)[0]))
        yield
