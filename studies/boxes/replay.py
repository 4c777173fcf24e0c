"""The paper's loop, the belief policy and majorities of whole answers on images that real people annotated."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean, median
from typing import Any

from annotation.rules.box import Box, iou
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.settings import Settings
from simulation.predict.crew import Qualified, QualifiedCrew
from simulation.predict.play_image import annotate_image
from simulation.score import box_matches
from simulation.simulate import SECONDS
from simulation.view import COVERED
from studies.boxes.real_answers import RealImage, RealPeople, known_answers, known_drawings
from studies.whole_campaign.campaign_cost import CampaignImage, campaign_images
from studies.whole_campaign.own_settings import OwnSettings

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
    said: list[float] = field(default_factory=list)
    """The confidence of each image that has one."""
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
        """Return the means: seconds an image, FP + FN an image, shares from 0 to 1; None where nothing was measured."""
        means: dict[str, Sequence[float]] = {
            "seconds": self.seconds,
            "error": self.errors,
            "right": self.right,
            "said": self.said,
            "review": self.review,
            "iou": [overlap >= TIGHT for overlap in self.overlaps],
        }
        return {"policy": self.policy} | {name: fmean(values) if values else None for name, values in means.items()}


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
    progress, judgments = annotate_image(bed.subject, bed.gold, own.settings, people, crew, draw)
    (chain,) = progress.chains.values()
    outcome.add([box.box for box in progress.accepted(chain.name)], image.gold, review=chain.review is not None)
    outcome.seconds.append(sum(SECONDS[task] * count for task, count in judgments.items()))
    if chain.box_confidence is not None:
        outcome.said.append(chain.box_confidence)
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
