"""Made workers for the study of signals: honest ones as the crowd `paper`, and bad ones of six kinds. All simulated."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TypeVar

from simulation.link_crowd import LARGEST_LOGIT, MENTION_SD, PAIR_SD, WORKER_SD, intercept, sigmoid
from workers.rules.signals.near_boxes import Drawn
from workers.rules.signals.one_button import Judged

LINK_SECONDS, DRAWING_SECONDS = 7.5, 26.8
"""Averages of one question [paper table 3]."""
SECONDS_SD, WORKER_SECONDS_SD = 0.6, 0.3
EDGE_SD = 0.03
QUALITY_OF_DRAWING = 0.824
CARELESS_LOGIT = 2.0
"""A worker's own term: about 21 % of the links are wrong, of a usual worker's 5 %."""
KNOWN, STOCK = 0.2, 100
"""The share of verification questions, and how many there are; nobody gets one twice."""
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
    """A worker's work on both tasks; `seconds` by judgment, `drawn` with the question of each box."""

    worker: int
    links: list[Judged] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    drawn: list[tuple[int, Drawn]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Truth:
    """A link question: whether it is "same", and how hard, as a logit beside the intercept."""

    same: bool
    hard: float


class World:
    """The questions of one project and who answers them; one seed, one world.

    `same`: the share of link questions whose right answer is "same". It differs between images (normal of sd 1 on the
    logit), and an assignment of ten stays in one image, so that neighbouring answers are alike.
    """

    def __init__(self, seed: str, *, same: float = 0.25, error: float = 0.048) -> None:
        self.rng = random.Random(f"signals {seed}")
        self._same = math.log(same / (1 - same))
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
        """An image's size and the box of one thing in it: sides log-uniform from an eighth to all of the image's."""
        width, height = size = self.rng.choice(SIZES)
        w, h = (side * math.exp(self.rng.uniform(math.log(1 / 8), 0)) for side in size)
        x, y = self.rng.uniform(0, width - w), self.rng.uniform(0, height - h)
        return size, (x, y, x + w, y + h)

    def account(self) -> Account:
        """A worker who has done nothing yet."""
        return Account(next(self._workers))

    def _asked(self, count: int, stock: list[tuple[int, T]], fresh: Callable[[], T]) -> Iterator[tuple[int, T, bool]]:
        unseen = self.rng.sample(stock, len(stock))
        for _ in range(count):
            if unseen and self.rng.random() < KNOWN:
                yield *unseen.pop(), True
            else:
                yield next(self._next_question), fresh(), False

    # --- link questions

    def answer_links(self, count: int, *, pace: float = 1.0, bias: float | None = None) -> Account:
        """An honest worker with `count` answers; `pace` multiplies the seconds, `bias` is the worker's own logit."""
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

    def _seconds(self, average: float, speed: float) -> float:
        middle = math.log(average) - (SECONDS_SD**2 + WORKER_SECONDS_SD**2) / 2
        return math.exp(self.rng.gauss(middle + speed, SECONDS_SD))

    def _clock(self, made: Account) -> None:
        """Spells of about forty answers between 8 and 22 o'clock, each worker with hours of their own."""
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
        """From the part `since` on, the answer becomes `word` with this probability."""
        first = round(since * len(made.links))
        made.links[first:] = [
            one._replace(answer=word) if self.rng.random() < share else one for one in made.links[first:]
        ]

    # --- two accounts

    def second_account(self, first: Account, *, share: float, bias: float, in_turn: bool) -> Account:
        """Another account that hands in the first one's answers, with this probability, where both are asked.

        Elsewhere it errs by `bias`. `in_turn`: each spell begins half a minute or less after one of the first ends.
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
        """Two honest people of one office: their spells begin within half a minute of each other."""
        breaks = [0, *(n for n in range(1, len(first.times)) if abs(first.times[n] - first.times[n - 1]) > 600)]
        starts = {place: first.times[place] + self.rng.uniform(0, 30) for place in breaks}
        time = 0.0
        for place, taken in enumerate(other.seconds):
            time = starts.get(place, time + taken)
            other.times[place] = time

    # --- boxes

    def draw(self, count: int) -> Account:
        """An honest worker with `count` boxes: right ones off by 3 % of the side, wrong ones half or shifted."""
        made = self.account()
        bias = self.rng.gauss(0, WORKER_SD)
        wrong = sigmoid(math.log((1 - QUALITY_OF_DRAWING) / QUALITY_OF_DRAWING) + bias)
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
        """The same few boxes again and again, a pixel off at most."""
        kept = [drawn.box for _, drawn in made.drawn[:numbers]]
        self._replace(made, share, lambda drawn: self.rng.choice(kept))

    def copy_whole(self, made: Account, share: float) -> None:
        """The whole picture, a pixel off at most."""
        self._replace(made, share, lambda drawn: (0, 0, *drawn.size))

    def copy_from(self, made: Account, source: Account, share: float) -> None:
        """Another worker's boxes of other pictures, one after another."""
        boxes = iter([drawn.box for _, drawn in source.drawn] * 2)
        self._replace(made, share, lambda drawn: next(boxes))

    def copy_same_questions(self, made: Account, source: Account, share: float) -> None:
        """Another worker's box of the same question, wherever both are asked."""
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
    """In whole pixels, in the image, at least 1 x 1."""
    x0, y0 = (min(max(round(edge), 0), side - 1) for edge, side in zip(edges[:2], size, strict=True))
    x1, y1 = (min(max(round(edge), low + 1), side) for edge, low, side in zip(edges[2:], (x0, y0), size, strict=True))
    return x0, y0, x1, y1


def _word(same: bool) -> str:
    return "same" if same else "different"
