"""Real people's boxes, replayed to the box tasks: the paper's loop, the belief policy, majorities."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import fmean, median
from typing import Any

from annotation.rules.box import Box, iou
from belief.habits import KnownDrawing
from belief.known_answers import KnownAnswers
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.split_captions import joined_caption
from pipeline.protocol.tasks.answers import drawing
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from simulation.crowd import stable_uniform
from simulation.predict.crew import Qualified, QualifiedCrew
from simulation.predict.play_image import ImagePlay
from simulation.score import box_matches, match_boxes
from simulation.simulate import SECONDS
from simulation.view import COVERED, KnownView, View
from studies.command import csv_rows
from studies.linking.calibration import Said, gap_interval
from studies.whole_campaign.campaign_cost import CampaignImage, OwnSettings, campaign_images

WIDTH, HEIGHT = 1280, 720
"""The size of every image, in pixels."""
PHRASE = ("the", "pedestrians")


@dataclass(frozen=True)
class RealImage:
    """One image with its gold boxes and the boxes of each worker who answered."""

    name: str
    gold: tuple[Box, ...]
    drawn: Mapping[int, tuple[Box, ...]]

    def as_dataset(self) -> DatasetImage:
        """Return the image with a chain of its own, whose boxes are the gold."""
        mention = DatasetMention(0, 0, len(PHRASE), ("people",), "1")
        boxes = tuple(DatasetBox(box, ("1",)) for box in self.gold)
        chain = DatasetChain("1", scene=not boxes)
        return DatasetImage(self.name, WIDTH, HEIGHT, (joined_caption(PHRASE),), (mention,), (chain,), boxes)


def read_real_images(folder: Path) -> list[RealImage]:
    """Read answers.csv, boxes.csv and gold.csv. Raises ValueError, which names the file, if one cannot be read."""
    drawn: dict[str, dict[int, list[Box]]] = defaultdict(dict)
    gold: dict[str, list[Box]] = defaultdict(list)
    for row in _rows(folder / "answers.csv", ("image", "worker")):
        drawn[row["image"]][int(row["worker"])] = []
    for row in _rows(folder / "boxes.csv", ("image", "worker", "x0", "y0", "x1", "y1")):
        drawn[row["image"]].setdefault(int(row["worker"]), []).append(_box(row))
    for row in _rows(folder / "gold.csv", ("image", "x0", "y0", "x1", "y1")):
        gold[row["image"]].append(_box(row))
    return [
        RealImage(name, tuple(gold[name]), {worker: tuple(boxes) for worker, boxes in sorted(answers.items())})
        for name, answers in sorted(drawn.items())
    ]


def _rows(file: Path, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    for line, row in csv_rows(file, columns, "answers.csv, boxes.csv and gold.csv"):
        try:
            yield {name: str(float(row[name])) if name[0] in "xy" else row[name] for name in columns}
        except (TypeError, ValueError):
            raise ValueError(f"{file}, line {line}: write numbers in x0 to y1.") from None


def _box(row: Mapping[str, str]) -> Box:
    """Round to whole pixels inside the image; a click without a drag becomes one pixel."""
    x0, y0, x1, y1 = (round(float(row[edge])) for edge in ("x0", "y0", "x1", "y1"))
    left, top = min(max(x0, 0), WIDTH - 1), min(max(y0, 0), HEIGHT - 1)
    return Box(left, top, min(max(x1, left + 1), WIDTH), min(max(y1, top + 1), HEIGHT))


def known_answers(image: RealImage, seed: int) -> Iterator[KnownAnswers]:
    """Ask all workers of the image whether all boxes are there: once all of the gold, and once all but one."""
    asked = [image.gold]
    if image.gold:
        hidden = int(stable_uniform(seed, "hidden", image.name) * len(image.gold))
        asked.append((*image.gold[:hidden], *image.gold[hidden + 1 :]))
    for shown in asked:
        said = [match_boxes(shown, list(own))[0] == len(own) for own in image.drawn.values()]
        right = said.count(shown == image.gold)
        yield KnownAnswers(right, len(said) - right)


def known_drawings(image: RealImage) -> Iterator[KnownDrawing]:
    """Yield what each worker drew of the image's gold."""
    for worker, own in image.drawn.items():
        for _, drawn, true in box_matches(own, image.gold):
            yield KnownDrawing(worker, own[drawn], image.gold[true])


class RealPeople:
    """Workers by their numbers in the files. Each answers about the images in which they drew."""

    def __init__(self, images: Sequence[RealImage], seed: int) -> None:
        self._drawn = {image.name: image.drawn for image in images}
        self._seed = seed

    def answer(self, view: View | KnownView, worker: int) -> object:
        """Return the answer that follows from the worker's own boxes. The seed decides which missing one is drawn."""
        own = list(self._drawn[view.image.key][worker])
        match view.task:
            case Task.BOX_REQUIREMENT:
                return (RequirementAnswer.BOX if own else RequirementAnswer.NO_BOX).value
            case Task.BOX_DRAWING:
                missing = [box for box in own if not any(iou(box, one) >= COVERED for one in view.boxes)]
                draw = stable_uniform(self._seed, "which", view.image.key, view.number, worker)
                return drawing(missing[int(draw * len(missing))] if missing else None)
            case Task.BOX_QUALITY:
                assert isinstance(view, View)
                judged = view.progress.boxes[view.subject[1]].box
                more = match_boxes([*view.boxes, judged], own)[0] > match_boxes(view.boxes, own)[0]
                return (BoxQualityAnswer.GOOD if more else BoxQualityAnswer.BAD).value
            case Task.BOX_COVERAGE:
                all_there = match_boxes(view.boxes, own)[0] == len(own)
                return (CoverageAnswer.ALL_THERE if all_there else CoverageAnswer.MORE_NEEDED).value
            case _:
                raise ValueError(f"{view.task.label} was not asked of these people.")


KNOWN = 0.1
"""The share of the images that are known questions: a project learns from them, and nobody annotates them."""
TIGHT = 0.7
"""The IOU at which a box is tight."""


@dataclass(slots=True)
class Outcome:
    """The kept boxes of one policy on all images and seeds, held against gold."""

    policy: str
    seconds: list[float] = field(default_factory=list)
    """Workers' seconds for each image; empty for a majority, whose answers were timed otherwise."""
    errors: list[int] = field(default_factory=list)
    """False and missing boxes of each image."""
    right: list[bool] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    """The confidence of each image that has one, and whether it is right."""
    review: list[bool] = field(default_factory=list)
    overlaps: list[float] = field(default_factory=list)
    """The IOU with gold of each kept box that matches one."""

    def add(self, kept: Sequence[Box], gold: Sequence[Box], *, review: bool = False) -> None:
        """Hold the kept boxes of an image against its gold."""
        matches = box_matches(kept, gold)
        errors = len(kept) + len(gold) - 2 * len(matches)
        self.errors.append(errors)
        self.right.append(not errors and not review)
        self.review.append(review)
        self.overlaps += [overlap for overlap, _, _ in matches]

    def row(self) -> dict[str, Any]:
        """Return the means: seconds an image, FP + FN an image, shares from 0 to 1; None where nothing was measured.

        And the interval of the share that is right less the confidence, in points.
        """
        means: dict[str, Sequence[float]] = {
            "seconds": self.seconds,
            "error": self.errors,
            "right": self.right,
            "said": [case.chance for case in self.said],
            "review": self.review,
            "iou": [overlap >= TIGHT for overlap in self.overlaps],
        }
        row: dict[str, Any] = {name: fmean(values) if values else None for name, values in means.items()}
        return {"policy": self.policy} | row | {"gap": gap_interval(self.said) if self.said else None}


def split(images: Sequence[RealImage], seed: int) -> tuple[list[RealImage], list[RealImage]]:
    """Return the images that are asked about, in their order, and those that are known questions."""
    order = random.Random(f"order {seed}").sample(list(images), len(images))
    asked = len(order) - int(KNOWN * len(order))
    return order[:asked], order[asked:]


def replay(
    images: Sequence[RealImage],
    policies: Mapping[str, Settings],
    seeds: Sequence[int],
    done: Callable[[], object] = lambda: None,
) -> list[Outcome]:
    """Let the workers of each image answer, policy by policy; each seed has its own order of images and workers."""
    beds = dict(
        zip((image.name for image in images), campaign_images(image.as_dataset() for image in images), strict=True)
    )
    found = []
    for policy, settings in policies.items():
        outcome = Outcome(policy)
        for seed in seeds:
            asked, others = split(images, seed)
            known = [answer for image in others for answer in known_answers(image, seed)]
            drawings = [drawing for image in others for drawing in known_drawings(image)]
            people, own = RealPeople(images, seed), OwnSettings(settings, known, drawings)
            for image in asked:
                _annotate(outcome, image, beds[image.name], people, own, random.Random(f"replay {seed} {image.name}"))
                done()
        found.append(outcome)
    return found


def _annotate(
    outcome: Outcome, image: RealImage, bed: CampaignImage, people: RealPeople, own: OwnSettings, draw: random.Random
) -> None:
    crew = QualifiedCrew({task: Qualified(list(image.drawn)) for task in PROTOCOL_TASKS}, {})
    progress, judgments = ImagePlay(bed.subject, bed.gold, own.settings, people, crew, draw).annotate()
    (chain,) = progress.chains.values()
    outcome.add([box.box for box in progress.accepted(chain.name)], image.gold, review=chain.review is not None)
    outcome.seconds.append(sum(SECONDS[task] * count for task, count in judgments.items()))
    if chain.box_confidence is not None:
        outcome.said.append(Said(image.name, chain.box_confidence, outcome.right[-1]))
    own.learn(progress)


def majority(images: Sequence[RealImage], size: int, seeds: Sequence[int]) -> Outcome:
    """Keep the boxes that most of `size` whole answers have: of each the median edges of those that drew it."""
    outcome = Outcome(f"majority of {size}")
    for seed in seeds:
        for image in split(images, seed)[0]:
            chosen = random.Random(f"majority {seed} {image.name}").sample(list(image.drawn), size)
            groups = same_boxes([image.drawn[worker] for worker in chosen])
            outcome.add([median_box(group) for group in groups if 2 * len(group) > size], image.gold)
    return outcome


def same_boxes(answers: Sequence[Sequence[Box]]) -> list[list[Box]]:
    """Put boxes of different answers together, those that overlap most first, at an IOU of 0.5 and one an answer."""
    boxes = [(number, box) for number, answer in enumerate(answers) for box in answer]
    group_of = {place: [place] for place in range(len(boxes))}
    pairs = [(iou(boxes[a][1], boxes[b][1]), a, b) for a, b in combinations(range(len(boxes)), 2)]
    for overlap, a, b in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        first, second = group_of[a], group_of[b]
        if overlap < COVERED:
            break
        if first is not second and not {boxes[one][0] for one in first} & {boxes[one][0] for one in second}:
            first += second
            group_of |= dict.fromkeys(second, first)
    return [[boxes[one][1] for one in group] for group in {id(group): group for group in group_of.values()}.values()]


def median_box(boxes: Sequence[Box]) -> Box:
    """Return the box of the median edges."""
    return Box(*(round(median(edge)) for edge in zip(*boxes, strict=True)))
