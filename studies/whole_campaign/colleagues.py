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

from annotation.rules.box import Box, iou
from pipeline.rules.linking.transitivity import LinkMention, groups
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks import box_coverage, box_quality, box_requirement, coreference_link
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.box_crowd import right_answer
from simulation.crowd import Crowd
from simulation.link_crowd import stable_uniform
from simulation.predict.crew import Qualified, QualifiedCrew
from simulation.view import COVERED, GoldImage, KnownView, View

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
                box = missing.pop(draw.randrange(len(missing))) if right else _bad(draw, image, chain.boxes)
                rows += ([mention, *box] for mention in chain.mentions)
        return rows


def _bad(draw: Random, image: GoldImage, boxes: Sequence[Box]) -> Box:
    """Return a box of an eighth to a half of the image's sides that shows none of the chain's entities."""
    while True:
        width, height = (max(1, int(side * draw.uniform(0.125, 0.5))) for side in (image.width, image.height))
        x, y = draw.randrange(image.width - width + 1), draw.randrange(image.height - height + 1)
        made = Box(x, y, x + width, y + height)
        if all(iou(made, box) < COVERED for box in boxes):
            return made


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

    def crew(self, settings: ProtocolSettings) -> "CrewWithJuror":
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
        right = _right(view)
        if self._is_blind(view, right):
            return box_quality.Answer.GOOD.value
        state = "" if view.task is Task.COREFERENCE_LINK else self._shown(view)
        draw = stable_uniform(self._seed, "juror", view.image.key, view.task.value, str(view.subject), state)
        return _other(view.task, right) if draw < self._programs.wrong(self.number) else right

    def _shown(self, view: View) -> str:
        return str(sorted(tuple(box.box) for box in view.progress.accepted(view.chain.name)))

    def _is_blind(self, view: View, right: object) -> bool:
        if view.task is not Task.BOX_QUALITY or right != box_quality.Answer.BAD.value:
            return False
        box = view.progress.boxes[view.subject[1]]
        return box.proposed and stable_uniform(self._seed, "blind", view.image.key, box.number) < self._programs.blind


def _right(view: View) -> object:
    if view.task is not Task.COREFERENCE_LINK:
        return right_answer(view)
    one, other = (view.image.chain_of[number].name for number in view.subject)
    return (coreference_link.Answer.SAME if one == other else coreference_link.Answer.DIFFERENT).value


def _other(task: Task, right: object) -> object:
    match task:
        case Task.COREFERENCE_LINK:
            same, different = coreference_link.Answer.SAME.value, coreference_link.Answer.DIFFERENT.value
            return different if right == same else same
        case Task.BOX_QUALITY:
            good, bad = box_quality.Answer.GOOD.value, box_quality.Answer.BAD.value
            return bad if right == good else good
        case Task.BOX_COVERAGE:
            there, more = box_coverage.Answer.ALL_THERE.value, box_coverage.Answer.MORE_NEEDED.value
            return more if right == there else there
    box = box_requirement.Answer.BOX.value
    return box_requirement.Answer.NO_BOX.value if right == box else box


class CrewWithJuror(QualifiedCrew):
    """Workers, and before them the juror, if the settings know one."""

    def __init__(self, tasks: Mapping[Task, Qualified], settings: ProtocolSettings) -> None:
        super().__init__(tasks, {})
        self._settings = settings
        self.by_juror: Counter[Task] = Counter()
        """The questions that the juror answered."""

    def pick(self, task: Task, barred: Collection[int], draw: Random) -> int | None:
        if JUROR not in barred and self._settings.is_juror(JUROR, task):
            self.by_juror[task] += 1
            return JUROR
        return super().pick(task, barred, draw)
