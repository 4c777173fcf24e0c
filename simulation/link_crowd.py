"""Virtual workers for link questions: `PerfectLinks` answers like gold, `LinkCrowd` with the errors of table 2.

No figure that they produce was measured with people. Every random draw is a stable hash of the seed and its purpose,
so that an answer depends neither on the order of the questions nor on mention numbers or database ids.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from itertools import combinations
from statistics import NormalDist, fmean

from annotation.rules.transitivity import LinkMention, can_corefer, reading_order
from workers.rules.share import logit, sigmoid

WORKERS = 587
PAIR_SD, MENTION_SD, WORKER_SD = 0.9, 1.3, 0.7
MISLEADING_TEXT = 0.6
LARGEST_LOGIT = logit(0.45)
"""The largest difficulty of a pair, without the worker's term: gold is itself a consensus."""

Image = tuple[str, Sequence[LinkMention], Mapping[int, Hashable]]
"""The image's key, its mentions, and the gold chain of each mention number."""

STANDARD = NormalDist()


class PerfectLinks:
    """A crowd that always gives the gold answer. `like`: see `LinkCrowd`."""

    def __init__(self, images: Iterable[Image], like: Callable[[str], str] = str) -> None:
        self._gold = {key: gold for key, _, gold in images}
        self._like = like

    def answer(self, image: str, a: int, b: int, worker: int = 0) -> bool:
        """Tell whether the two mentions have the same gold chain. Every worker gives this answer."""
        gold = self._gold[self._like(image)]
        return gold[a] == gold[b]

    def mean_error(self, worker: int) -> float:
        """Return the share of wrong answers of this worker: none."""
        return 0.0


class LinkCrowd:
    """The crowd `paper`: 587 workers who err more on hard pairs, on vague mentions and on misleading words.

    The two error rates, 0 to 1, hold over all pairs of the images that can corefer. `like`: returns the key of the one
    of these images whose phrases and chains an image shares, so that any number of images takes the memory of these.
    """

    def __init__(
        self,
        images: Iterable[Image],
        seed: int,
        *,
        false_negative: float = 0.047,
        false_positive: float = 0.0492,
        like: Callable[[str], str] = str,
    ) -> None:
        images = list(images)
        self._seed = seed
        self._mean = (false_negative + false_positive) / 2
        self._like = like
        self._gold = PerfectLinks(images, like)
        self._mentions = {(key, mention.number): mention for key, mentions, _ in images for mention in mentions}
        self._biases = self._worker_biases()
        difficulties: dict[bool, list[float]] = {True: [], False: []}
        for key, a, b in _admissible(images):
            difficulties[self._gold.answer(key, a, b)].append(self._difficulty(key, a, b))
        self._intercepts = {
            True: intercept(difficulties[True], false_negative),
            False: intercept(difficulties[False], false_positive),
        }

    def answer(self, image: str, a: int, b: int, worker: int) -> bool:
        """Tell whether a worker (0 to 586) says that two mentions corefer; the same every time and in either order."""
        truth = self._gold.answer(image, a, b)
        draw = self._uniform("answer", *self._pair_key(image, a, b), worker)
        return truth != (draw < self.error(image, a, b, worker))

    def error(self, image: str, a: int, b: int, worker: int) -> float:
        """Return the probability that this worker is wrong on this pair. Raises ValueError for an unknown worker."""
        if not 0 <= worker < WORKERS:
            raise ValueError(f"Worker {worker}: the crowd has workers 0 to {WORKERS - 1}.")
        truth = self._gold.answer(image, a, b)
        error = self._intercepts[truth] + self._difficulty(image, a, b)
        return sigmoid(min(error, LARGEST_LOGIT) + self._biases[worker])

    def mean_error(self, worker: int) -> float:
        """Return about the share of wrong answers, 0 to 1, of this worker over all pairs."""
        return sigmoid(logit(self._mean) + self._biases[worker])

    def _difficulty(self, image: str, a: int, b: int) -> float:
        one, another = self._mention(image, a), self._mention(image, b)
        vague = sum(self._normal("mention", image, *reading_order(mention)) for mention in (one, another))
        misleads = (one.head == another.head) != self._gold.answer(image, a, b)
        pair = self._normal("pair", *self._pair_key(image, a, b))
        return PAIR_SD * pair + MENTION_SD / math.sqrt(2) * vague + MISLEADING_TEXT * misleads

    def _pair_key(self, image: str, a: int, b: int) -> tuple[str, int, int, int, int]:
        first, second = sorted(reading_order(self._mention(image, number)) for number in (a, b))
        return image, *first, *second

    def _mention(self, image: str, number: int) -> LinkMention:
        return self._mentions[self._like(image), number]

    def _worker_biases(self) -> list[float]:
        drawn = [WORKER_SD * self._normal("worker", worker) for worker in range(WORKERS)]
        mean = fmean(drawn)
        return [bias - mean for bias in drawn]

    def _normal(self, *key: str | int) -> float:
        return STANDARD.inv_cdf(self._uniform(*key))

    def _uniform(self, *key: str | int) -> float:
        return stable_uniform(self._seed, *key)


def stable_uniform(*key: str | int) -> float:
    """Return a number between 0 and 1, both excluded, that depends only on the key, on every machine."""
    digest = blake2b(repr(key).encode(), digest_size=8).digest()
    return (int.from_bytes(digest) // 2**12 + 0.5) / 2**52


def intercept(difficulties: Sequence[float], rate: float) -> float:
    """Return the intercept for which the mean error over these pairs and all workers is `rate`, by bisection."""
    if not difficulties:
        return logit(rate)
    low, high = -30.0, 30.0
    for _ in range(40):
        middle = (low + high) / 2
        mean = fmean(_mean_error(round(100 * min(middle + difficulty, LARGEST_LOGIT))) for difficulty in difficulties)
        low, high = (middle, high) if mean < rate else (low, middle)
    return (low + high) / 2


def _admissible(images: Iterable[Image]) -> Iterator[tuple[str, int, int]]:
    for key, mentions, _ in images:
        for one, another in combinations(mentions, 2):
            if can_corefer(one, another):
                yield key, one.number, another.number


WORKER_TERMS = [WORKER_SD * STANDARD.inv_cdf((step + 0.5) / 50) for step in range(50)]


@cache
def _mean_error(hundredths: int) -> float:
    """Return the mean error of all workers on a pair of this logit, given in hundredths so that few are computed."""
    return fmean(sigmoid(hundredths / 100 + bias) for bias in WORKER_TERMS)
