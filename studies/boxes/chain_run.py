"""One simulated chain: what workers answer, what the boxes truly show, and what the chain ends with."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from pipeline.rules.boxing.box_belief import BoxAnswer
from pipeline.rules.boxing.box_prior import DEFAULT, BoxPrior
from pipeline.rules.boxing.look_ahead import SECONDS
from pipeline.rules.tasks import box_coverage, box_quality, box_requirement
from pipeline.rules.tasks.task import Task
from studies.boxes.world import Chain, Worker, World, chance_of_error


@dataclass
class ChainRun:
    """A chain on its way: every answer that workers gave, and the truth that they saw."""

    world: World
    chain: Chain
    workers: Sequence[Worker]
    random: Random
    prior: BoxPrior = DEFAULT
    """Of the service; workers' shifts are counted from its errors."""
    judgments: Counter[str] = field(default_factory=Counter)
    answers: list[BoxAnswer] = field(default_factory=list)
    entity: list[int | None] = field(default_factory=list)
    """By the number of a box, the entity it shows; None: a bad box."""
    ended: str = ""
    """"complete", "non-visual" or "review"."""
    kept: tuple[int, ...] = ()
    """The boxes that the chain ended with."""
    confidence: float = 0.0

    @property
    def seconds(self) -> float:
        """Worker-seconds, at the paper's seconds for a question."""
        return sum(SECONDS[Task(f"box_{task}")] * number for task, number in self.judgments.items())

    @property
    def right(self) -> bool:
        """Whether the chain ended exactly right: every entity has one box, and there is no other box."""
        if self.ended == "complete":
            shown = [self.entity[box] for box in self.kept]
            return self.chain.boxes > 0 and None not in shown and len(set(shown)) == len(shown) == self.chain.boxes
        return self.ended == "non-visual" and not self.chain.boxes

    def end(self, how: str, kept: Sequence[int] = (), confidence: float = 0.0) -> None:
        self.ended, self.kept, self.confidence = how, tuple(kept), confidence

    def missing(self, shown: Sequence[int]) -> list[int]:
        """Return the entities that no shown box covers."""
        there = {self.entity[box] for box in shown}
        return [one for one in range(self.chain.boxes) if one not in there]

    def require(self) -> int:
        """Ask whether a box is required. Returns 1, 2 or 3."""
        worker, wrong = self._asked("requirement")
        right = box_requirement.Answer.BOX if self.chain.boxes else box_requirement.Answer.SCENE
        others = [one for one in (1, 2, 3) if one != right]
        said = self.random.choice(others) if wrong else int(right)
        self.answers.append(BoxAnswer(Task.BOX_REQUIREMENT, said, worker.shift("requirement", self.prior)))
        return said

    def draw(self, shown: Sequence[int]) -> int | None:
        """Ask to draw a box beside the shown ones. Returns its number; None: the worker says that none is missing."""
        worker, wrong = self._asked("drawing")
        missing = self.missing(shown)
        box: int | None = None
        if wrong:
            none = missing and self.random.random() < self.world.none_though_missing
            box = None if none else self._add(None)
        elif missing:
            box = self._add(self.random.choice(missing))
        self.answers.append(BoxAnswer(Task.BOX_DRAWING, None, worker.shift("drawing", self.prior), box, tuple(shown)))
        return box

    def judge(self, box: int, shown: Sequence[int]) -> bool:
        """Ask whether a box is good beside the others that are shown."""
        worker, wrong = self._asked("quality")
        others = {self.entity[one] for one in shown if one != box}
        good = (self.entity[box] is not None and self.entity[box] not in others) != wrong
        said = box_quality.Answer.GOOD if good else box_quality.Answer.BAD
        self.answers.append(
            BoxAnswer(Task.BOX_QUALITY, said.value, worker.shift("quality", self.prior), box, tuple(shown))
        )
        return good

    def cover(self, shown: Sequence[int]) -> bool:
        """Ask whether all required boxes are there."""
        worker, wrong = self._asked("coverage")
        there = (not self.missing(shown)) != wrong
        said = box_coverage.Answer.ALL_THERE if there else box_coverage.Answer.MORE_NEEDED
        self.answers.append(
            BoxAnswer(Task.BOX_COVERAGE, said.value, worker.shift("coverage", self.prior), None, tuple(shown))
        )
        return there

    def _add(self, entity: int | None) -> int:
        self.entity.append(entity)
        return len(self.entity) - 1

    def _asked(self, task: str) -> tuple[Worker, bool]:
        """Choose a worker, and whether the answer is wrong."""
        self.judgments[task] += 1
        worker = self.random.choice(self.workers)
        return worker, self.random.random() < chance_of_error(self.world, task, worker.bias[task] + self.chain.hard)
