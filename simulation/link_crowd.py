"""Virtual workers who answer link questions: `PerfectLinks` as gold says, `LinkCrowd` with the errors of table 2.

No figure made with them was measured with people. Every draw comes from a stable hash of the seed and of what it is
for, so an answer depends neither on the order of the questions nor on mention numbers or database ids.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from itertools import combinations
from statistics import NormalDist, fmean

from pipeline.rules.linking.transitivity import LinkMention, can_corefer, reading_order

WORKERS = 587
PAIR_SD, MENTION_SD, WORKER_SD = 0.9, 1.3, 0.7
MISLEADING_TEXT = 0.6
LARGEST_LOGIT = math.log(0.45 / 0.55)
"""No pair is harder than this before the worker's term: gold is itself a consensus."""

Image = tuple[str, Sequence[LinkMention], Mapping[int, Hashable]]
"""The image's key, its mentions, and the gold chain of each mention number."""

STANDARD = NormalDist()


class PerfectLinks:
    """Every answer is the gold one."""

    def __init__(self, images: Iterable[Image]) -> None:
        self._gold = {key: gold for key, _, gold in images}

    def answer(self, image: str, a: int, b: int, worker: int = 0) -> bool:
        """Whether the two mention numbers have one gold chain, whoever is asked."""
        return self._gold[image][a] == self._gold[image][b]


class LinkCrowd:
    """The crowd `paper`: 587 workers who err more on hard pairs, on vague mentions and where the words mislead.

    The two error rates, 0 to 1, are those over all pairs of the images that can corefer.
    """

    def __init__(
        self, images: Iterable[Image], seed: int, *, false_negative: float = 0.047, false_positive: float = 0.0492
    ) -> None:
        images = list(images)
        self._seed = seed
        self._gold = PerfectLinks(images)
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
        """Whether worker 0 to 586 says that two mention numbers corefer; the same every time, in either order."""
        truth = self._gold.answer(image, a, b)
        draw = self._uniform("answer", *self._pair_key(image, a, b), worker)
        return truth != (draw < self.error(image, a, b, worker))

    def error(self, image: str, a: int, b: int, worker: int) -> float:
        """The probability that this worker answers this pair wrongly."""
        if not 0 <= worker < WORKERS:
            raise ValueError(f"Worker {worker}: the crowd has workers 0 to {WORKERS - 1}.")
        truth = self._gold.answer(image, a, b)
        logit = self._intercepts[truth] + self._difficulty(image, a, b)
        return sigmoid(min(logit, LARGEST_LOGIT) + self._biases[worker])

    def _difficulty(self, image: str, a: int, b: int) -> float:
        one, another = self._mentions[image, a], self._mentions[image, b]
        vague = sum(self._normal("mention", image, *reading_order(mention)) for mention in (one, another))
        misleads = (one.head == another.head) != self._gold.answer(image, a, b)
        pair = self._normal("pair", *self._pair_key(image, a, b))
        return PAIR_SD * pair + MENTION_SD / math.sqrt(2) * vague + MISLEADING_TEXT * misleads

    def _pair_key(self, image: str, a: int, b: int) -> tuple[str, int, int, int, int]:
        first, second = sorted(reading_order(self._mentions[image, number]) for number in (a, b))
        return image, *first, *second

    def _worker_biases(self) -> list[float]:
        drawn = [WORKER_SD * self._normal("worker", worker) for worker in range(WORKERS)]
        mean = fmean(drawn)
        return [bias - mean for bias in drawn]

    def _normal(self, *key: str | int) -> float:
        return STANDARD.inv_cdf(self._uniform(*key))

    def _uniform(self, *key: str | int) -> float:
        return stable_uniform(self._seed, *key)


def stable_uniform(*key: str | int) -> float:
    """A number between 0 and 1 (neither) that depends on the key alone: the same on every machine, in every run."""
    digest = blake2b(repr(key).encode(), digest_size=8).digest()
    return (int.from_bytes(digest) // 2**12 + 0.5) / 2**52


def intercept(difficulties: Sequence[float], rate: float) -> float:
    """The number that makes the mean error over these pairs and all workers `rate`, found by bisection."""
    if not difficulties:
        return math.log(rate / (1 - rate))
    low, high = -30.0, 30.0
    for _ in range(40):
        middle = (low + high) / 2
        mean = fmean(_mean_error(round(100 * min(middle + one, LARGEST_LOGIT))) for one in difficulties)
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
    """Over the workers, for a pair of this logit; in steps of 0.01, so that bisection needs few of them."""
    return fmean(sigmoid(hundredths / 100 + bias) for bias in WORKER_TERMS)


def sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


AnswerLink = Callable[[str, int, int, int], bool]
"""Image key, two mention numbers, worker: do they corefer? What both crowds offer as `answer`."""
