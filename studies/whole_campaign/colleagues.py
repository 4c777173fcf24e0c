"""Made-up programs: a proposer of boxes, and a juror that judges them. No figure of theirs was measured.

The proposer proposes as many boxes as a chain needs in half of the chains, else as many as another chain needs; a share
of all its boxes is good. It may also predict chains: it puts a share of the phrases into their gold chains, and each
other one into another gold chain of its group or into one of its own, all equally likely. The juror is wrong with a
fixed chance, drawn once for a state; if it is blind, it calls a bad box of the proposer good with a chance of its own,
drawn once a box.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from annotation.rules.transitivity import LinkMention, groups
from pipeline.policies.engine import engine_of
from pipeline.protocol.tasks import box_quality
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from simulation.box_crowd import right_answer
from simulation.crowd import Crowd
from simulation.link_crowd import stable_uniform
from simulation.predict.crew import Qualified, QualifiedCrew
from simulation.simulated_juror import SimulatedJuror
from simulation.simulated_proposer import bad_box
from simulation.view import GoldImage, KnownView, View

PROPOSER, JUROR = 900_001, 900_002
"""Their numbers as workers."""


@dataclass(frozen=True)
class Programs:
    """The programs of a campaign; all shares are from 0 to 1."""

    good: float | None = None
    """The share of good boxes of the proposer; None: it proposes none."""
    wrong: Callable[[int], float] | None = None
    """The juror's share of wrong answers by the place of the image; None: there is no juror."""
    blind: float = 0.0
    """The share of the proposer's bad boxes that the juror calls good, besides."""
    placed: float | None = None
    """The share of the phrases that the proposer puts into their gold chains; None: it predicts no chains."""


NO_PROGRAMS = Programs()


def settings_for(programs: Programs, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a project's settings with these programs at work."""
    predicts = programs.good is not None or programs.placed is not None
    at_work = {"proposals": predicts, "jurors": [] if programs.wrong is None else [JUROR]}
    return {**values, **at_work} if predicts or programs.wrong else dict(values)


class Proposer:
    """A program that predicts boxes for every chain of the images."""

    def __init__(self, images: Sequence[GoldImage], good: float, seed: int) -> None:
        draw = Random(f"{seed} proposer")
        counts = [len(chain.boxes) for image in images for chain in image.chains]
        self._numbers = {
            (image.key, chain.name): len(chain.boxes) if draw.random() < 0.5 else draw.choice(counts)
            for image in images
            for chain in image.chains
        }
        every = [(self._numbers[image.key, one.name], len(one.boxes)) for image in images for one in image.chains]
        can_be_good = sum(min(pair) for pair in every)
        self._right = min(1.0, good * sum(number for number, _ in every) / can_be_good) if can_be_good else 0.0
        self._seed = seed

    def rows(self, image: GoldImage) -> list[list[int]]:
        """Return what it predicts for the image: [mention, x0, y0, x1, y1] for each box and phrase of its chain."""
        draw, rows = Random(f"{self._seed} proposer {image.key}"), list[list[int]]()
        for chain in image.chains:
            missing = list(chain.boxes)
            for _ in range(self._numbers[image.key, chain.name]):
                right = missing and draw.random() < self._right
                box = missing.pop(draw.randrange(len(missing))) if right else bad_box(draw, image, chain.boxes)
                rows += ([mention, *box] for mention in chain.mentions if box)
        return rows


def predicted_chains(image: GoldImage, mentions: Sequence[LinkMention], placed: float, seed: int) -> list[list[int]]:
    """Return the chains that the proposer predicts for the image, `placed` of the phrases in their gold chains."""
    chains: dict[tuple[int, str], list[int]] = defaultdict(list)
    for group in groups(mentions):
        first, names = group[0].number, {image.chain_of[one.number].name for one in group}
        draw = Random(f"{seed} chains {image.key} {first}")
        for one in group:
            own = image.chain_of[one.number].name
            wrong = [*sorted(names - {own}), f"alone {one.number}"]
            chains[first, own if draw.random() < placed else draw.choice(wrong)].append(one.number)
    return list(chains.values())


class AtWork:
    """A crowd with the programs beside it. The juror answers first what it may answer."""

    def __init__(self, programs: Programs, crowd: Crowd, images: Sequence[GoldImage], seed: int) -> None:
        self._programs, self._crowd, self._seed = programs, crowd, seed
        good = programs.good
        self._proposer = None if good is None else Proposer(images, good, seed)
        self.number = 0
        """The place of the image that is played."""

    def crew(self, settings: Settings) -> "CrewWithJuror":
        return CrewWithJuror({task: Qualified(list(range(self._crowd.workers))) for task in PROTOCOL_TASKS}, settings)

    def proposed(self, image: GoldImage, mentions: Sequence[LinkMention] = ()) -> dict[int, dict[str, Any]]:
        """Return what the proposer predicts for the image, as it is in an entry. `mentions`: those to put in chains."""
        found: dict[str, Any] = {"boxes": self._proposer.rows(image)} if self._proposer else {}
        if self._programs.placed is not None:
            found["chains"] = predicted_chains(image, mentions, self._programs.placed, self._seed)
        return {PROPOSER: found} if found else {}

    def answer(self, view: View | KnownView, worker: int) -> object:
        """Return the answer of a worker or of the juror."""
        if worker != JUROR:
            return self._crowd.answer(view, worker)
        assert self._programs.wrong is not None and isinstance(view, View)
        if self._is_blind(view):
            return box_quality.Answer.GOOD.value
        return SimulatedJuror("juror", self._programs.wrong(self.number)).answer(view, self._seed)

    def _is_blind(self, view: View) -> bool:
        if view.task is not Task.BOX_QUALITY or right_answer(view) != box_quality.Answer.BAD.value:
            return False
        box = view.progress.boxes[view.subject[1]]
        return box.proposed and stable_uniform(self._seed, "blind", view.image.key, box.number) < self._programs.blind


class CrewWithJuror(QualifiedCrew):
    """Workers, and before them the juror, if the settings know one."""

    def __init__(self, tasks: Mapping[Task, Qualified], settings: Settings) -> None:
        super().__init__(tasks, {})
        self._settings = settings
        self.by_juror: Counter[Task] = Counter()
        """The questions that the juror answered."""

    def pick(self, task: Task, barred: Collection[int], draw: Random) -> int | None:
        if JUROR not in barred and engine_of(self._settings).is_juror(JUROR, task):
            self.by_juror[task] += 1
            return JUROR
        return super().pick(task, barred, draw)
