"""Simulated workers of one project for the study of signals: honest ones like the crowd `paper`, and six bad kinds."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TypeVar

from simulation.link_crowd import LARGEST_LOGIT, MENTION_SD, PAIR_SD, WORKER_SD, intercept
from workers.rules.share import logit, sigmoid
from workers.rules.signals.near_boxes import Drawn
from workers.rules.signals.one_button import Judged

LINK_SECONDS, DRAWING_SECONDS = 7.5, 26.8
"""Average seconds of one question [paper table 3]."""
TASK_SECONDS = {
    "coreference_link": LINK_SECONDS,
    "chain_verification": 19.0,
    "box_requirement": 8.1,
    "box_drawing": DRAWING_SECONDS,
    "box_quality": 11.0,
    "box_coverage": 9.1,
}
BOX_TASKS = ("box_drawing", "box_quality", "box_coverage")
HASTE, HASTE_SD, BATCH = 0.5, 0.2, 5
SECONDS_SD, WORKER_SECONDS_SD = 0.6, 0.3
EDGE_SD = 0.03
QUALITY_OF_DRAWING = 0.824
CARELESS_LOGIT = 2.0
"""The logit of a careless worker, whose links are wrong in about 21 % of cases instead of 5 %."""
KNOWN, STOCK = 0.2, 100
"""The share of verification questions, and the size of their stock. No worker gets one of them twice."""
DAY, DAYS = 86400.0, 14
HARD_SD = math.hypot(PAIR_SD, MENTION_SD)
SIZES = ((500, 375), (375, 500), (500, 333), (333, 500), (500, 400))
STANDARD = NormalDist()
Pixels = tuple[int, int, int, int]
Area = tuple[float, float, float, float]
Size = tuple[int, int]
T = TypeVar("T")


@dataclass(slots=True)
class Account:
    """One worker's links with their seconds and times, and boxes with the question of each."""

    worker: int
    links: list[Judged] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    drawn: list[tuple[int, Drawn]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Truth:
    """The right answer to a link question, and its difficulty as a logit added to the intercept."""

    same: bool
    hard: float


class World:
    """The questions of one simulated project and the workers who answer them; a seed gives the same world again.

    `same` is the share of link questions whose right answer is "same". It differs between images by a normal
    distribution of standard deviation 1 on the logit. An assignment of ten questions stays in one image, so that
    neighbouring answers are alike.
    """

    def __init__(self, seed: str, *, same: float = 0.25, error: float = 0.048) -> None:
        self.rng = random.Random(f"signals {seed}")
        self._same = logit(same)
        difficulties = [HARD_SD * STANDARD.inv_cdf((step + 0.5) / 200) for step in range(200)]
        self._intercept = intercept(difficulties, error)
        self._ids = iter(range(1, 10**9))
        self._stock = [(question, self._truth(same)) for question in range(STOCK)]
        self._boxes = [(question, self._picture()) for question in range(STOCK)]
        self._next_question = iter(range(STOCK, 10**9))
        self._workers = iter(range(1, 10**9))

    def _truth(self, same: float) -> Truth:
        return Truth(self.rng.random() < same, self.rng.gauss(0, HARD_SD))

    def _picture(self) -> tuple[Size, Area]:
        """Draw an image's size and a box in it, with log-uniform sides from an eighth to all of the image's."""
        width, height = size = self.rng.choice(SIZES)
        w, h = (side * math.exp(self.rng.uniform(math.log(1 / 8), 0)) for side in size)
        x, y = self.rng.uniform(0, width - w), self.rng.uniform(0, height - h)
        return size, (x, y, x + w, y + h)

    def account(self) -> Account:
        """Make a worker without answers."""
        return Account(next(self._workers))

    def _asked(self, count: int, stock: list[tuple[int, T]], fresh: Callable[[], T]) -> Iterator[tuple[int, T, bool]]:
        unseen = self.rng.sample(stock, len(stock))
        for _ in range(count):
            if unseen and self.rng.random() < KNOWN:
                yield *unseen.pop(), True
            else:
                yield next(self._next_question), fresh(), False

    # --- Link questions

    def answer_links(self, count: int, *, pace: float = 1.0, bias: float | None = None) -> Account:
        """Make an honest worker with `count` answers. `pace` multiplies the seconds; `bias` is the worker's logit."""
        made = self.account()
        bias = self.rng.gauss(0, WORKER_SD) if bias is None else bias
        speed = self.rng.gauss(0, WORKER_SECONDS_SD)
        places = iter(range(count))
        shares = [sigmoid(self._same + self.rng.gauss(0, 1)) for _ in range(count // 10 + 1)]
        for question, truth, known in self._asked(count, self._stock, lambda: self._truth(shares[next(places) // 10])):
            wrong = self.rng.random() < sigmoid(min(self._intercept + truth.hard, LARGEST_LOGIT) + bias)
            right = _word(truth.same)
            made.links.append(
                Judged(next(self._ids), made.worker, question, _word(truth.same != wrong), right if known else None)
            )
            made.seconds.append(pace * self._seconds(LINK_SECONDS, speed))
        self._clock(made)
        return made

    def answer_tasks(self, count: int, *, hasty: bool = False) -> dict[str, list[float]]:
        """Return the seconds of `count` answers, a batch of one task after another. A hasty worker takes box tasks."""
        speed = self.rng.gauss(0, WORKER_SECONDS_SD)
        made: dict[str, list[float]] = {}
        for place in range(count):
            if place % BATCH == 0:
                task = self.rng.choice(BOX_TASKS if hasty else tuple(TASK_SECONDS))
            haste = HASTE * math.exp(self.rng.gauss(0, HASTE_SD))
            made.setdefault(task, []).append(haste if hasty else self._seconds(TASK_SECONDS[task], speed))
        return made

    def _seconds(self, average: float, speed: float) -> float:
        middle = math.log(average) - (SECONDS_SD**2 + WORKER_SECONDS_SD**2) / 2
        return math.exp(self.rng.gauss(middle + speed, SECONDS_SD))

    def _clock(self, made: Account) -> None:
        """Give the answers times: spells of about 25 answers between 8 and 22 o'clock, at the worker's usual hour."""
        usual, left = self.rng.uniform(9, 21), 0
        time = 0.0
        for seconds in made.seconds:
            if left == 0:
                left = max(5, round(self.rng.gauss(25, 10)))
                hour = min(max(self.rng.gauss(usual, 2), 8), 22)
                time = DAY * self.rng.randrange(DAYS) + 3600 * hour
            time, left = time + seconds, left - 1
            made.times.append(time)

    def press_one_button(self, made: Account, *, word: str, share: float = 1.0, since: float = 0.0) -> None:
        """Change answers to `word` with probability `share`, from the part `since` (0 to 1) of the answers on."""
        first = round(since * len(made.links))
        made.links[first:] = [
            one._replace(answer=word) if self.rng.random() < share else one for one in made.links[first:]
        ]

    # --- Two accounts

    def second_account(self, first: Account, *, share: float, bias: float, in_turn: bool) -> Account:
        """Make an account that repeats the first one's answers with probability `share`, where both are asked.

        Its other answers err by `bias`. With `in_turn`, each of its spells begins at most half a minute after a spell
        of the first account ends.
        """
        made = self.answer_links(len(first.links), bias=bias)
        theirs = {one.question: one.answer for one in first.links}
        made.links = [
            one._replace(answer=theirs[one.question]) if one.question in theirs and self.rng.random() < share else one
            for one in made.links
        ]
        if in_turn:
            made.times = self._after(first.times, made.seconds)
        return made

    def _after(self, times: list[float], seconds: list[float]) -> list[float]:
        ends = [
            time for time, following in zip(times, [*times[1:], math.inf], strict=True) if abs(following - time) > 600
        ]
        each = max(1, math.ceil(len(seconds) / len(ends)))
        made: list[float] = []
        for place, taken in enumerate(seconds):
            begins = place % each == 0
            made.append(
                (ends[place // each] + self.rng.uniform(5, 30) if begins else made[-1]) + (0 if begins else taken)
            )
        return made

    def begin_together(self, first: Account, other: Account) -> None:
        """Make two honest people of one office: their spells begin within half a minute of each other."""
        breaks = [0, *(n for n in range(1, len(first.times)) if abs(first.times[n] - first.times[n - 1]) > 600)]
        starts = {place: first.times[place] + self.rng.uniform(0, 30) for place in breaks}
        time = 0.0
        for place, taken in enumerate(other.seconds):
            time = starts.get(place, time + taken)
            other.times[place] = time

    # --- Boxes

    def draw(self, count: int) -> Account:
        """Make an honest worker with `count` boxes: right ones off by 3 % of the side, wrong ones half or shifted."""
        made = self.account()
        bias = self.rng.gauss(0, WORKER_SD)
        wrong = sigmoid(logit(1 - QUALITY_OF_DRAWING) + bias)
        for question, (size, area), _ in self._asked(count, self._boxes, self._picture):
            box = self._drawn(area, size, wrong=self.rng.random() < wrong)
            made.drawn.append((question, Drawn(next(self._ids), made.worker, question, box, size)))
        return made

    def _drawn(self, area: Area, size: Size, *, wrong: bool) -> Pixels:
        x0, y0, x1, y1 = area
        w, h = x1 - x0, y1 - y0
        if wrong and self.rng.random() < 0.5:
            x1 = x0 + w / 2
        elif wrong:
            x0, y0, x1, y1 = x0 + w / 2, y0 + h / 2, x1 + w / 2, y1 + h / 2
        edges = [
            edge + EDGE_SD * side * self.rng.gauss(0, 1)
            for edge, side in zip((x0, y0, x1, y1), (w, h, w, h), strict=True)
        ]
        return inside(edges, size)

    def copy_own(self, made: Account, share: float, numbers: int = 3) -> None:
        """Let the worker repeat a few own boxes, at most one pixel off."""
        kept = [drawn.box for _, drawn in made.drawn[:numbers]]
        self._replace(made, share, lambda drawn: self.rng.choice(kept))

    def copy_whole(self, made: Account, share: float) -> None:
        """Let the worker draw the whole picture, at most one pixel off."""
        self._replace(made, share, lambda drawn: (0, 0, *drawn.size))

    def copy_from(self, made: Account, source: Account, share: float) -> None:
        """Let the worker copy another worker's boxes of other pictures, one after another."""
        boxes = iter([drawn.box for _, drawn in source.drawn] * 2)
        self._replace(made, share, lambda drawn: next(boxes))

    def copy_same_questions(self, made: Account, source: Account, share: float) -> None:
        """Let the worker copy another worker's box of the same question, where both are asked."""
        theirs = {question: drawn.box for question, drawn in source.drawn}
        made.drawn = [
            (question, drawn._replace(box=self._off_a_pixel(theirs[question], drawn.size)))
            if question in theirs and self.rng.random() < share
            else (question, drawn)
            for question, drawn in made.drawn
        ]

    def _replace(self, made: Account, share: float, box: Callable[[Drawn], Pixels]) -> None:
        made.drawn = [
            (question, drawn._replace(box=self._off_a_pixel(box(drawn), drawn.size)))
            if self.rng.random() < share
            else (question, drawn)
            for question, drawn in made.drawn
        ]

    def _off_a_pixel(self, box: Pixels, size: Size) -> Pixels:
        return inside([edge + self.rng.choice((0, 0, 0, 1)) for edge in box], size)


def inside(edges: list[float], size: Size) -> Pixels:
    """Round to whole pixels, inside the image, at least 1 x 1."""
    x0, y0 = (min(max(round(edge), 0), side - 1) for edge, side in zip(edges[:2], size, strict=True))
    x1, y1 = (min(max(round(edge), low + 1), side) for edge, low, side in zip(edges[2:], (x0, y0), size, strict=True))
    return x0, y0, x1, y1


def _word(same: bool) -> str:
    return "same" if same else "different"
