"""CCA at the paper's size: 18,000 numbers a phrase, 4,096 a region, with planted dimensions to find again."""

import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from evaluation.localization.embedding.cca import fit_cca
from evaluation.localization.embedding.moments import Chunk

CHUNK = 2_048
NOISE = 0.25


@dataclass(frozen=True, slots=True)
class Size:
    """The size of both views."""

    rows: int = 20_480
    x: int = 18_000
    y: int = 4_096
    outputs: int = 4_096
    planted: int = 256


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of the fit without drawing the data, the highest memory of the process, and the planted dimensions."""

    seconds: float
    peak_bytes: int
    found: int
    """Planted dimensions whose pairs correlate by 0.5 or more on 1,000 new rows, of the first `planted` ones."""
    lowest: float
    """The lowest correlation on new rows among the first `planted` ones."""


def measure_cca(size: Size, seed: int = 0, said: Callable[[str], object] = lambda words: None) -> Measured:
    """Fit on drawn rows and look at new ones. Memory is that of the whole process, so measure in a fresh one."""
    lot = np.random.default_rng(seed)
    maps = [
        lot.standard_normal((size.planted, count), dtype=np.float32) / np.float32(np.sqrt(count))
        for count in (size.x, size.y)
    ]
    drawing = 0.0

    def draw(rows: int) -> Chunk:
        hidden = 2 * lot.standard_normal((rows, size.planted), dtype=np.float32)
        views = []
        for each in maps:
            view = lot.standard_normal((rows, each.shape[1]), dtype=np.float32)
            view *= NOISE
            view += hidden @ each
            views.append(view)
        return views[0], views[1]

    def chunks() -> Iterator[Chunk]:
        nonlocal drawing
        for done in range(0, size.rows, CHUNK):
            before = time.perf_counter()
            chunk = draw(min(CHUNK, size.rows - done))
            drawing += time.perf_counter() - before
            yield chunk
            said(f"{min(done + CHUNK, size.rows):,} of {size.rows:,} rows")

    start = time.perf_counter()
    found = fit_cca(chunks(), size.outputs)
    seconds = time.perf_counter() - start - drawing
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    x, y = draw(1_000)
    count = size.planted
    left, right = (x - found.mean_x) @ found.map_x[:, :count], (y - found.mean_y) @ found.map_y[:, :count]
    held_out = np.array([np.corrcoef(one, other)[0, 1] for one, other in zip(left.T, right.T, strict=True)])
    return Measured(seconds, peak, int((held_out >= 0.5).sum()), float(held_out.min()))
