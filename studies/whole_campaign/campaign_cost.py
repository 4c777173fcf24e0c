"""Whole campaigns in memory [paper 3]: the time that workers need for an image, and what comes out right."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, NamedTuple

from annotation.rules.states import ImageState
from belief.boxes.fit_box_prior import FinishedChain
from belief.habits import KnownDrawing
from belief.known_answers import KnownAnswers
from belief.learned import LearnedState
from belief.links.fit_known import LinkedImage, fit_known
from belief.links.link_prior import DEFAULT, LinkPrior
from belief.links.refit_from_answers import JudgedGroup
from exchange.checks import words_of
from exchange.dataset import DatasetImage
from exchange.import_image import gold_of
from pipeline.checking.label_evidence import ChainLabel, LabelEvidence, NewLabel, label_evidence_of, same_boxes
from pipeline.learning.learn import ChainEvidence, LinkEvidence, learn
from pipeline.learning.refit import images_before_refit, judged_in
from pipeline.policies.adaptive_links import LINK_SECONDS
from pipeline.policies.box_evidence import finished_chains
from pipeline.policies.compose import adaptive_links, engine_of
from pipeline.protocol.image.merging import final_chain, final_confidence
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from simulation.compare_strategies import further_candidates
from simulation.crowd import paper
from simulation.predict.subject import Subject
from simulation.programs import AssumedErrors
from simulation.score import SimulationScore, score_boxes, score_chains
from simulation.simulate import SECONDS
from simulation.view import TrueImage
from studies.command import with_spread
from studies.linking.adaptive_frontier import Known, folds_of, joins_of_others
from studies.linking.calibration import Said, calibration_table
from studies.whole_campaign.programs import NO_PROGRAMS, AtWork, Programs


@dataclass(slots=True)
class OwnSettings:
    """The settings of a campaign, and the finished images that they are learned from."""

    settings: Settings
    known: Sequence[KnownAnswers] = ()
    """Answers to the project's known questions about boxes."""
    drawings: Sequence[KnownDrawing] = ()
    """The boxes that were drawn for known questions."""
    images: int = 0
    """The images that were merged."""
    chains: list[FinishedChain] = field(default_factory=list)
    linked: list[ImageProgress] = field(default_factory=list)
    """The images whose links were answered."""
    known_labels: list[tuple[list[LabelEvidence], list[NewLabel]]] = field(default_factory=list)
    """Of each finished image of a data set that is checked."""
    given: LearnedState = field(init=False)
    """Learned before the campaign began."""

    def __post_init__(self) -> None:
        self.given = self.settings.learned

    def learn(self, progress: ImageProgress, labels: Sequence[ChainLabel] = ()) -> None:
        """Take an image that was played to its end, and refit what is due.

        `labels`: those of the data set that is checked.
        """
        self._learn_links(progress)
        self._learn_boxes(progress, labels)

    def _learn_links(self, progress: ImageProgress) -> None:
        if progress.votes:
            self.linked.append(progress)
        if len(self.linked) >= images_before_refit(self.settings, Task.COREFERENCE_LINK):
            policy, groups, images = adaptive_links(self.settings), list[JudgedGroup](), list[LinkedImage]()
            for one in self.linked:
                groups += judged_in(one, self.settings)
                images += policy.linked(one, [chain.mentions for chain in one.chains.values()])
            self._take(LinkEvidence(groups, len(self.linked), images))

    def _learn_boxes(self, progress: ImageProgress, labels: Sequence[ChainLabel]) -> None:
        if progress.state is not ImageState.MERGED:
            return
        self.images += 1
        engine = engine_of(self.settings)
        families = engine.families_in(Task.BOX_QUALITY)
        self.chains += finished_chains(progress, families, engine.box_rules.prior)
        if self.settings.reference_set:
            self.known_labels.append(label_evidence_of(progress, labels, self.settings))
        if self.images >= images_before_refit(self.settings, Task.BOX_QUALITY):
            known = self.known, self.drawings, self.known_labels
            self._take(ChainEvidence(self.chains, self.images, *known))

    def _take(self, evidence: LinkEvidence | ChainEvidence) -> None:
        learned = learn(self.settings, self.settings.learned, evidence, self.given)
        self.settings = replace(self.settings, learned=learned)


WAYS: Mapping[str, dict[str, Any]] = {
    "greedy plus, all verified": {"strategy": "greedy plus", "verify_below": 1.0},
    "adaptive, verified below 0.95": {"strategy": "adaptive", "verify_below": 0.95},
}
"""The ways to ask that are always compared: settings of a project."""


class CampaignImage(NamedTuple):
    """One image to annotate."""

    subject: Subject
    gold: TrueImage

    def known(self) -> Known:
        """Return the mentions, and the gold chain of each."""
        return self.subject.for_links(), [self.gold.chain_of[mention.number].name for mention in self.subject.mentions]


def campaign_images(images: Iterable[DatasetImage]) -> list[CampaignImage]:
    """Return the images whose phrases all have a gold chain and a type."""
    return [
        CampaignImage(_subject(image), TrueImage.make(image.name, image.width, image.height, gold_of(image)))
        for image in images
        if image.mentions and all(mention.chain is not None and mention.types for mention in image.mentions)
    ]


def _subject(image: DatasetImage) -> Subject:
    mentions = tuple(
        MentionProgress(
            number, mention.caption, mention.start, mention.end, list(mention.types), words_of(image, mention)
        )
        for number, mention in enumerate(image.mentions)
    )
    return Subject(image.name, image.width, image.height, mentions)


@dataclass(slots=True)
class Campaign:
    """The cost and the yield of one way to ask on the images of one fold."""

    way: str
    fold: int
    seed: int
    images: int = 0
    judgments: Counter[Task] = field(default_factory=Counter)
    further: int = 0
    """Candidates of sweeps, the first of each left out."""
    each: list[float] = field(default_factory=list)
    """People's seconds for each image, in the order of the images."""
    score: SimulationScore = field(default_factory=SimulationScore)
    boxed: int = 0
    """Chains, before merging, with exactly the boxes of their gold chain: one to one, at an IOU of 0.5."""
    chains: list[Said] = field(default_factory=list)
    """The confidence of each released chain that has one, and whether gold has this chain."""
    boxes: list[Said] = field(default_factory=list)
    """The confidence of each chain's boxes that have one, and whether they are right."""

    def figures(self) -> dict[str, float]:
        """Return seconds and judgments an image by task, and percentages."""
        seconds = {task: SECONDS[task] * self.judgments[task] / self.images for task in PROTOCOL_TASKS}
        seconds[Task.COREFERENCE_LINK] += LINK_SECONDS.further_candidate * self.further / self.images
        chains, merged, boxes = self.score.chains, self.score.merged_chains, self.score.merged_boxes
        return {
            "seconds": sum(seconds.values()),
            "seconds, later half": fmean(self.each[len(self.each) // 2 :]),
            **{f"{task.value} seconds": value for task, value in seconds.items()},
            **{f"{task.value} judgments": self.judgments[task] / self.images for task in PROTOCOL_TASKS},
            "exact chains %": _percent(chains.matched, chains.gold),
            "merged chains %": _percent(merged.matched, merged.gold),
            "chains with right boxes %": _percent(self.boxed, chains.found),
            "boxes that are right %": _percent(boxes.matched, boxes.found),
            "gold boxes found %": _percent(boxes.matched, boxes.gold),
            "chains in review %": _percent(self.score.review.total(), chains.found),
        }


def settings_of(values: Mapping[str, Any], prior: LinkPrior | None) -> Settings:
    """Return a project's settings; a way that brings no prior of its own gets this one.

    Raises ValueError that names an unknown setting or a wrong value.
    """
    settings = Settings.from_json(dict(values))
    if prior is None or Task.COREFERENCE_LINK not in engine_of(settings).weighed or settings.learned.links != DEFAULT:
        return settings
    return replace(settings, learned=replace(settings.learned, links=prior))


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
    for fold, (inside, outside) in enumerate(folds_of(bed, folds, images, seed)):
        others = [one.known() for one in outside]
        prior = replace(fit_known(others), joins=joins_of_others(others)) if gold else None
        for number in range(seed, seed + seeds):
            crowd = paper([(one.gold, one.subject.for_links()) for one in inside], 1000 * number + fold)
            for way, values in ways.items():
                campaign, own = Campaign(way, fold, number), OwnSettings(settings_of(values, prior))
                at_work = AtWork(programs, crowd, [image.gold for image in inside], number)
                for place, image in enumerate(inside):
                    draw = random.Random(f"campaign {number} {fold} {place}")
                    played, judgments = at_work.annotate(place, image.subject, image.gold, own.settings, draw)
                    _add(campaign, played, judgments, image.gold)
                    own.learn(played)
                    done()
                yield campaign


def _add(campaign: Campaign, progress: ImageProgress, judgments: Counter[Task], gold: TrueImage) -> None:
    campaign.images += 1
    campaign.judgments += judgments
    further = further_candidates(progress)
    campaign.further += further
    campaign.each.append(
        LINK_SECONDS.further_candidate * further + sum(SECONDS[task] * number for task, number in judgments.items())
    )
    score_chains(campaign.score, progress, gold)
    score_boxes(campaign.score, progress, gold)
    _add_confidences(campaign, progress, gold)


def _add_confidences(campaign: Campaign, progress: ImageProgress, gold: TrueImage) -> None:
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


def _has_its_boxes(progress: ImageProgress, name: int, gold: TrueImage) -> bool:
    """Return whether a finished chain has the boxes of its representative's gold chain, and no others."""
    chain = progress.chains[name]
    if chain.review is not None:
        return False
    return same_boxes([box.box for box in progress.accepted(name)], gold.chain_of[chain.representative].boxes)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def cost_table(found: Sequence[Campaign]) -> str:
    """Return a line for each figure and a column for each way to ask."""
    ways = list(dict.fromkeys(one.way for one in found))
    rows = {way: [one.figures() for one in found if one.way == way] for way in ways}
    width = max(map(len, rows[ways[0]][0])) + 2
    lines = [" " * width + "".join(f"{way:>32}" for way in ways)]
    for name in rows[ways[0]][0]:
        cells = (with_spread([one[name] for one in rows[way]], 2) for way in ways)
        lines.append(f"{name:<{width}}" + "".join(f"{cell:>32}" for cell in cells))
    return "\n".join(lines)


BAND_FIGURES = ("seconds", "merged chains %", "chains with right boxes %")


def band_lines(found: Sequence[Campaign], assumed: AssumedErrors) -> str:
    """Return a line for each way to ask with the figures that a band is given for, and the errors that are assumed."""
    lines = []
    for way in dict.fromkeys(one.way for one in found):
        rows = [one.figures() for one in found if one.way == way]
        figures = (f"{name} {with_spread([row[name] for row in rows])}" for name in BAND_FIGURES)
        lines.append(f"errors {assumed.described}: {way}: {', '.join(figures)}")
    return "\n".join(lines)


def confidence_tables(found: Sequence[Campaign]) -> str:
    """Compare the confidence of released chains and of their boxes with gold, for each way that has any."""
    tables = []
    for way in dict.fromkeys(one.way for one in found):
        own = [one for one in found if one.way == way]
        for what, cases in (
            ("chains", [case for one in own for case in one.chains]),
            ("boxes", [case for one in own for case in one.boxes]),
        ):
            if cases:
                tables.append(f"{way}: {what} of released chains\n{calibration_table(cases)}")
    return "\n\n".join(tables)
