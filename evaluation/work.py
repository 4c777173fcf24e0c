"""The things that a step is given: data, options, seed, progress, and results kept from an interrupted run."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from tqdm import tqdm

from evaluation.partial_results import PartialResults
from evaluation.reading.digest import digest_of

Item = TypeVar("Item")
Progress = Callable[[int, int, str], object]
"""Called with what is done, what there is in all (0: unknown), and words."""


@dataclass
class Work:
    """The input of a step."""

    data: Path | None
    options: Mapping[str, Any]
    seed: int = 0
    kept: PartialResults = field(default_factory=PartialResults)
    told: Progress | None = None
    """A listener to the progress, instead of a bar on the terminal."""
    inputs: dict[str, str] = field(default_factory=dict)
    """The digest of each input that was read, by its role: "data", "predictions"."""

    @property
    def export(self) -> Path:
        """The path of the data. Only for steps that need data."""
        assert self.data is not None
        return self.data

    def file(self, option: str) -> Path | None:
        """Return the path that the option names, and note its digest. None if the option is not given."""
        path = self.options.get(option)
        if path is None:
            return None
        self.inputs[option] = digest_of(Path(path))
        return Path(path)

    def rng(self, use: str = "") -> np.random.Generator:
        """Return random numbers by the seed and the use: another use never shifts them."""
        return np.random.default_rng([self.seed, *use.encode()])

    def progress(self, items: Iterable[Item], words: str, total: int | None = None) -> Iterator[Item]:
        """Yield the items and show how many are done."""
        count = total if total is not None else len(items) if isinstance(items, Sized) else 0
        if self.told is None:
            yield from tqdm(items, desc=words, total=count or None, disable=None, leave=False)
            return
        every = max(1, count // 100)
        for done, item in enumerate(items):
            if done % every == 0:
                self.told(done, count, words)
            yield item

    def say(self, words: str) -> None:
        """Tell of a part that is done: a line on the error output, or to the listener."""
        if self.told is None:
            tqdm.write(words, file=sys.stderr)
        else:
            self.told(0, 0, words)
