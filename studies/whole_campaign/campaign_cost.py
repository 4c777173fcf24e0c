"""Whole campaigns in memory [paper 3]: the time that workers need for an image, and what comes out right.

Mentions, chains and boxes are real, workers simulated. Every way to ask gets the same images and the same workers; the
link prior comes from images outside the fold. Under *belief* the box prior begins with the default, and follows the
fold's own finished chains as in the service.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipeline.rules.image.merging import final_chain, final_confidence
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.crowd import paper
from simulation.predict.play_image import annotate_image
from simulation.score import Score, match_boxes, score_boxes, score_chains
from simulation.simulate import SECONDS
from simulation.view import GoldImage
from studies.linking.calibration import Said
from studies.linking.known import fit_known
from studies.whole_campaign.campaign_images import CampaignImage
from studies.whole_campaign.colleagues import NO_PROGRAMS, AtWork, Programs
from studies.whole_campaign.own_boxes import OwnBoxes

WAYS: Mapping[str, dict[str, Any]] = {
    "greedy plus, all verified": {"strategy": "greedy plus", "verify_below": 1.0},
    "adaptive, verified below 0.95": {"strategy": "adaptive", "verify_below": 0.95},
}
"""The ways to ask that are always compared: settings of a project."""


@dataclass(slots=True)
class Campaign:
    """The cost and the yield of one way to ask on the images of one fold."""

    way: str
    fold: int
    seed: int
    images: int = 0
    judgments: Counter[Task] = field(default_factory=Counter)
    score: Score = field(default_factory=Score)
    boxed: int = 0
    """Chains, before merging, with exactly the boxes of their gold chain: one to one, at an IOU of 0.5."""
    chains: list[Said] = field(default_factory=list)
    """The confidence of each released chain that has one, and whether gold has this chain."""
    boxes: list[Said] = field(default_factory=list)
    """The confidence of each chain's boxes that have one, and whether they are right."""

    def figures(self) -> dict[str, float]:
        """Return seconds and judgments an image by task, and percentages."""
        seconds = {task: SECONDS[task] * self.judgments[task] / self.images for task in PROTOCOL_TASKS}
        chains, merged, boxes = self.score.chains, self.score.merged_chains, self.score.merged_boxes
        return {
            "seconds": sum(seconds.values()),
            **{f"{task.value} seconds": value for task, value in seconds.items()},
            **{f"{task.value} judgments": self.judgments[task] / self.images for task in PROTOCOL_TASKS},
            "exact chains %": _percent(chains.matched, chains.gold),
            "merged chains %": _percent(merged.matched, merged.gold),
            "chains with right boxes %": _percent(self.boxed, chains.found),
            "boxes that are right %": _percent(boxes.matched, boxes.found),
            "gold boxes found %": _percent(boxes.matched, boxes.gold),
            "chains in review %": _percent(self.score.review.total(), chains.found),
        }


def settings_of(values: Mapping[str, Any], prior: LinkPrior | None) -> ProtocolSettings:
    """Return a project's settings; a way that brings no prior of its own gets this one.

    Raises ValueError that names an unknown setting or a wrong value.
    """
    settings = ProtocolSettings.from_json(dict(values))
    if prior is None or settings.strategy is not Strategy.ADAPTIVE or settings.link_prior:
        return settings
    return replace(settings, link_prior=prior.to_json())


def campaigns(
    bed: Sequence[CampaignImage],
    ways: Mapping[str, Mapping[str, Any]],
    *,
    folds: int = 5,
    images: int = 100,
    seeds: int = 1,
    seed: int = 0,
    gold: bool = True,
    programs: Programs = NO_PROGRAMS,
    done: Callable[[], object] = lambda: None,
) -> Iterator[Campaign]:
    """Yield the campaign of each fold, seed and way. `gold`: fit the link prior on the images outside the fold.

    `programs`: at work beside the crowd, at no cost.

    `done` is called after each image. Raises ValueError for settings that are wrong, and if the images are too few.
    """
    for values in ways.values():
        settings_of(values, None)
    if min(folds, images, seeds) < 1:
        raise ValueError("Give at least one fold, one image and one seed.")
    if len(bed) < folds * images or (gold and len(bed) == images):
        raise ValueError(f"{len(bed)} images are too few for {folds} folds of {images} and a prior from others.")
    shuffled = random.Random(f"folds {seed}").sample(list(bed), len(bed))
    for fold in range(folds):
        inside = shuffled[fold * images : (fold + 1) * images]
        outside = [*shuffled[: fold * images], *shuffled[(fold + 1) * images :]]
        prior = fit_known(one.known() for one in outside) if gold else None
        for number in range(seed, seed + seeds):
            crowd = paper([(one.gold, one.subject.for_links()) for one in inside], 1000 * number + fold)
            for way, values in ways.items():
                campaign, own = Campaign(way, fold, number), OwnBoxes(settings_of(values, prior))
                at_work = AtWork(programs, crowd, inside, number)
                for place, image in enumerate(inside):
                    draw = random.Random(f"campaign {number} {fold} {place}")
                    at_work.number = place
                    own.learn(_add(campaign, image, own.settings, at_work, draw))
                    done()
                yield campaign


def _add(
    campaign: Campaign, image: CampaignImage, settings: ProtocolSettings, at_work: AtWork, draw: random.Random
) -> ImageProgress:
    progress, judgments = annotate_image(
        image.subject, image.gold, settings, at_work, at_work.crew(settings), draw, at_work.proposed(image.gold)
    )
    campaign.images += 1
    campaign.judgments += judgments - at_work.answered
    at_work.answered.clear()
    score_chains(campaign.score, progress, image.gold)
    score_boxes(campaign.score, progress, image.gold)
    _add_confidences(campaign, progress, image.gold)
    return progress


def _add_confidences(campaign: Campaign, progress: ImageProgress, gold: GoldImage) -> None:
    wanted = {frozenset(chain.mentions) for chain in gold.chains}
    released: dict[int, set[int]] = {}
    for name, chain in progress.chains.items():
        released.setdefault(final_chain(progress, name), set()).update(chain.mentions)
        right = _has_its_boxes(progress, name, gold)
        campaign.boxed += right
        if chain.box_confidence is not None:
            campaign.boxes.append(Said(gold.key, chain.box_confidence, right))
    for name, mentions in released.items():
        confidence = final_confidence(progress, name)
        if confidence is not None:
            campaign.chains.append(Said(gold.key, confidence, mentions in wanted))


def _has_its_boxes(progress: ImageProgress, name: int, gold: GoldImage) -> bool:
    """Return whether a finished chain has the boxes of its representative's gold chain, and no others."""
    chain = progress.chains[name]
    if chain.review is not None:
        return False
    found, wanted = [box.box for box in progress.accepted(name)], list(gold.chain_of[chain.representative].boxes)
    matched, _ = match_boxes(found, wanted)
    return matched == len(found) == len(wanted)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
