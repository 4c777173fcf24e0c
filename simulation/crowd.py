"""Crowds: virtual workers who answer from gold, with the errors of the paper's Table 3 or none."""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from itertools import combinations
from statistics import NormalDist, fmean

from annotation.rules.box import Box, iou
from annotation.rules.transitivity import LinkMention, can_corefer, reading_order
from pipeline.protocol.tasks.answers import CHOICES, drawing
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.chain_verification import VerificationAnswer
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer
from pipeline.protocol.tasks.task import Task
from simulation.view import COVERED, KnownView, TrueImage, View
from workers.rules.score import logit, sigmoid

WORKERS = 587
PAIR_SD, MENTION_SD, WORKER_SD = 0.9, 1.3, 0.7
MISLEADING_TEXT = 0.6
MISREAD = 0.5
"""The correlation of a worker's errors about the candidates of one sweep, as a normal copula: who misreads a phrase
misreads it beside all of them. In real whole answers about passages (`studies real_links`) two errors of one worker
about a phrase fall together twice as often as those of two workers, which is a correlation of .4 to .5."""
MISSED_IN_LIST = 0.3
"""The power of the number of candidates by which the odds of a miss grow: of twelve they are doubled."""
LARGEST_LOGIT = logit(0.45)
"""The largest difficulty of a pair, without the worker's term: gold is itself a consensus."""

Image = tuple[str, Sequence[LinkMention], Mapping[int, Hashable]]
"""The image's key, its mentions, and the gold chain of each mention number."""

STANDARD = NormalDist()


class LinkCrowd:
    """The crowd `paper`: 587 workers who err more on hard pairs, on vague mentions and on misleading words.

    The two error rates, 0 to 1, hold over all pairs of the images that can corefer.
    """

    def __init__(
        self,
        images: Iterable[Image],
        seed: int,
        *,
        false_negative: float = 0.047,
        false_positive: float = 0.0492,
    ) -> None:
        images = list(images)
        self._seed = seed
        self._mean = (false_negative + false_positive) / 2
        self._gold = {key: gold for key, _, gold in images}
        self._mentions = {(key, mention.number): mention for key, mentions, _ in images for mention in mentions}
        self._biases = self._worker_biases()
        difficulties: dict[bool, list[float]] = {True: [], False: []}
        for key, a, b in _admissible(images):
            difficulties[self._same(key, a, b)].append(self._difficulty(key, a, b))
        self._intercepts = {
            True: intercept(difficulties[True], false_negative),
            False: intercept(difficulties[False], false_positive),
        }

    def answer(self, image: str, a: int, b: int, worker: int) -> bool:
        """Tell whether a worker (0 to 586) says that two mentions corefer; the same every time and in either order."""
        truth = self._same(image, a, b)
        draw = self._uniform("answer", *self._pair_key(image, a, b), worker)
        return truth != (draw < self.error(image, a, b, worker))

    def sweep(self, image: str, a: int, candidates: Sequence[int], worker: int) -> list[int]:
        """Return the candidates that a worker (0 to 586) touches as the same as a mention."""
        misread = math.sqrt(MISREAD) * self._normal("sweep", image, *reading_order(self._mentions[image, a]), worker)
        touched = []
        for candidate in candidates:
            truth, pair = self._same(image, a, candidate), self._pair_key(image, a, candidate)
            harder = truth * MISSED_IN_LIST * math.log(len(candidates))
            draw = STANDARD.cdf(misread + math.sqrt(1 - MISREAD) * self._normal("touch", *pair, worker))
            if truth != (draw < sigmoid(logit(self.error(image, a, candidate, worker)) + harder)):
                touched.append(candidate)
        return touched

    def error(self, image: str, a: int, b: int, worker: int) -> float:
        """Return the probability that this worker is wrong on this pair. Raises ValueError for an unknown worker."""
        if not 0 <= worker < WORKERS:
            raise ValueError(f"Worker {worker}: the crowd has workers 0 to {WORKERS - 1}.")
        truth = self._same(image, a, b)
        error = self._intercepts[truth] + self._difficulty(image, a, b)
        return sigmoid(min(error, LARGEST_LOGIT) + self._biases[worker])

    def mean_error(self, worker: int) -> float:
        """Return about the share of wrong answers, 0 to 1, of this worker over all pairs."""
        return sigmoid(logit(self._mean) + self._biases[worker])

    def _same(self, image: str, a: int, b: int) -> bool:
        """Tell whether the two mentions have the same gold chain."""
        return self._gold[image][a] == self._gold[image][b]

    def _difficulty(self, image: str, a: int, b: int) -> float:
        one, another = self._mentions[image, a], self._mentions[image, b]
        vague = sum(self._normal("mention", image, *reading_order(mention)) for mention in (one, another))
        misleads = (one.head == another.head) != self._same(image, a, b)
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
        for first, another in combinations(mentions, 2):
            if can_corefer(first, another):
                yield key, first.number, another.number


WORKER_TERMS = [WORKER_SD * STANDARD.inv_cdf((step + 0.5) / 50) for step in range(50)]


@cache
def _mean_error(hundredths: int) -> float:
    """Return the mean error of all workers on a pair of this logit, given in hundredths so that few are computed."""
    return fmean(sigmoid(hundredths / 100 + bias) for bias in WORKER_TERMS)


QUALITY = {
    Task.CHAIN_VERIFICATION: 0.906,
    Task.BOX_REQUIREMENT: 0.884,
    Task.BOX_DRAWING: 0.824,
    Task.BOX_QUALITY: 0.880,
    Task.BOX_COVERAGE: 0.892,
}
"""Trusted worker quality [paper table 3]."""
EDGE_SD = 0.03
"""The standard deviation of a drawn edge, in shares of the side."""


def right_answer(view: View | KnownView) -> object:
    """Return the gold answer."""
    if view.task is Task.BOX_DRAWING:
        return drawing(view.missing[0] if view.missing else None)
    if isinstance(view, KnownView):
        return view.truth
    match view.task:
        case Task.COREFERENCE_LINK:
            about, *others = view.subject
            chain = view.image.chain_of[about].name
            same = [other for other in others if view.image.chain_of[other].name == chain]
            return {"same": same} if len(others) > 1 else link_answer(same=bool(same))
        case Task.CHAIN_VERIFICATION:
            gold = {view.image.chain_of[number].name for number in view.chain.mentions}
            return (VerificationAnswer.TRUE if len(gold) == 1 else VerificationAnswer.FALSE).value
        case Task.BOX_REQUIREMENT:
            if view.gold.boxes:
                return RequirementAnswer.BOX.value
            return (RequirementAnswer.SCENE if view.gold.scene else RequirementAnswer.NO_BOX).value
        case Task.BOX_QUALITY:
            drawn = view.progress.boxes[view.subject[1]].box
            good = any(iou(drawn, gold) >= COVERED for gold in view.missing)
            return (BoxQualityAnswer.GOOD if good else BoxQualityAnswer.BAD).value
    return (CoverageAnswer.MORE_NEEDED if view.missing else CoverageAnswer.ALL_THERE).value


def link_answer(*, same: bool) -> str:
    return (CoreferenceAnswer.SAME if same else CoreferenceAnswer.DIFFERENT).value


class BoxCrowd:
    """The crowd `paper`: each task has its quality, and workers differ by a normal distribution on the logit."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._intercepts = {task: intercept([0.0], 1 - quality) for task, quality in QUALITY.items()}

    def answer(self, view: View | KnownView, worker: int) -> object:
        """Answer a question. The answer depends only on the seed, the image, the question's number and the worker."""
        wrong = self._uniform("wrong", view, worker) < self.error(view.task, worker)
        return self.answer_as(view, worker, wrong=wrong)

    def error(self, task: Task, worker: int) -> float:
        """Return the share of wrong answers, 0 to 1, of this worker on a task."""
        bias = WORKER_SD * self._normal("worker", task.value, worker)
        return sigmoid(self._intercepts[task] + bias)

    def answer_as(self, view: View | KnownView, worker: int, *, wrong: bool) -> object:
        """Return the answer of a worker who is wrong, or of one who is right."""
        right = right_answer(view)
        if view.task is Task.BOX_DRAWING:
            return self._draw(view, worker, wrong=wrong)
        if not wrong:
            return right
        choices = [answer for answer in CHOICES[view.task] if answer != right]
        return choices[int(self._uniform("other", view, worker) * len(choices))]

    def _draw(self, view: View | KnownView, worker: int, *, wrong: bool) -> object:
        if not wrong:
            if not view.missing:
                return drawing(None)
            first = view.missing[int(self._uniform("which", view, worker) * len(view.missing))]
            return drawing(self._shaken(view, first, worker))
        aim = self._aim(view)
        kinds = ["half", "shifted", "duplicate"] if view.boxes else ["half", "shifted"]
        kind = kinds[int(self._uniform("kind", view, worker) * len(kinds))]
        if kind == "duplicate":
            return drawing(view.boxes[int(self._uniform("again", view, worker) * len(view.boxes))])
        width, height = aim.x1 - aim.x0, aim.y1 - aim.y0
        if kind == "half":
            return drawing(_inside(view, aim.x0, aim.y0, aim.x0 + width / 2, aim.y1))
        dx, dy = width / 2, height / 2
        return drawing(_inside(view, aim.x0 + dx, aim.y0 + dy, aim.x1 + dx, aim.y1 + dy))

    def _aim(self, view: View | KnownView) -> Box:
        """Return the box that a bad drawing misses: a missing gold box, any gold box, or the middle of the image."""
        if view.missing or view.gold.boxes:
            return (view.missing or view.gold.boxes)[0]
        width, height = view.image.width, view.image.height
        return Box(width // 4, height // 4, max(width // 4 + 1, 3 * width // 4), max(height // 4 + 1, 3 * height // 4))

    def _shaken(self, view: View | KnownView, box: Box, worker: int) -> Box:
        sides = {"x": box.x1 - box.x0, "y": box.y1 - box.y0}

        def moved(edge: str, at: int) -> float:
            return at + EDGE_SD * sides[edge[0]] * STANDARD.inv_cdf(self._uniform(edge, view, worker))

        edges = [moved(edge, at) for edge, at in zip(("x0", "y0", "x1", "y1"), box, strict=True)]
        return _inside(view, *edges)

    def _normal(self, *key: str | int) -> float:
        return STANDARD.inv_cdf(stable_uniform(self._seed, *key))

    def _uniform(self, what: str, view: View | KnownView, worker: int) -> float:
        return stable_uniform(self._seed, what, view.image.key, view.number, worker)


def _inside(view: View | KnownView, x0: float, y0: float, x1: float, y1: float) -> Box:
    """Round to whole pixels, inside the image, at least 1 x 1."""
    left = min(max(round(x0), 0), view.image.width - 1)
    top = min(max(round(y0), 0), view.image.height - 1)
    right = min(max(round(x1), left + 1), view.image.width)
    bottom = min(max(round(y1), top + 1), view.image.height)
    return Box(left, top, right, bottom)


LINK_QUALITY = 0.906
"""Trusted worker quality of coreference links [paper table 3]. Table 2 has fewer errors."""
Images = Iterable[tuple[TrueImage, list[LinkMention]]]


class Crowd:
    """Virtual workers, numbered from 0 to `workers` - 1, who answer every question about the images as gold does."""

    def __init__(self, workers: int = 25) -> None:
        self.workers = workers

    def answer(self, view: View | KnownView, worker: int) -> object:
        return right_answer(view)

    def accuracy(self, task: Task, worker: int) -> float:
        """Return the share of right answers, 0 to 1, that the worker gives in the long run."""
        return 1.0


class PaperCrowd(Crowd):
    """The workers of a crowd of links, who answer the questions of the other tasks as a crowd of boxes does."""

    def __init__(self, links: LinkCrowd, boxes: BoxCrowd) -> None:
        super().__init__(WORKERS)
        self._links, self._boxes = links, boxes

    def answer(self, view: View | KnownView, worker: int) -> object:
        if view.task is not Task.COREFERENCE_LINK:
            return self._boxes.answer(view, worker)
        about, *others = view.subject
        if len(others) > 1:
            return {"same": self._links.sweep(view.image.key, about, others, worker)}
        return link_answer(same=self._links.answer(view.image.key, about, others[0], worker))

    def accuracy(self, task: Task, worker: int) -> float:
        wrong = self._links.mean_error(worker) if task is Task.COREFERENCE_LINK else self._boxes.error(task, worker)
        return 1 - wrong


def perfect(images: Images, seed: int) -> Crowd:
    return Crowd()


def paper(images: Images, seed: int) -> Crowd:
    return PaperCrowd(LinkCrowd(_for_links(images), seed), BoxCrowd(seed))


def table_3(images: Images, seed: int) -> Crowd:
    """Return the crowd `paper` with twice the errors in links: the quality that table 3 has for them."""
    error = 1 - LINK_QUALITY
    links = LinkCrowd(_for_links(images), seed, false_negative=error, false_positive=error)
    return PaperCrowd(links, BoxCrowd(seed))


def _for_links(images: Images) -> list[tuple[str, list[LinkMention], dict[int, str]]]:
    return [
        (image.key, mentions, {number: chain.name for number, chain in image.chain_of.items()})
        for image, mentions in images
    ]


CROWDS = {"perfect": perfect, "paper": paper, "table_3": table_3}
