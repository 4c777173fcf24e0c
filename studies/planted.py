"""Errors planted in real annotations, a check of them in memory, and how many of them it finds."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, pairwise
from random import Random
from typing import Any

from annotation.rules.box import Box
from annotation.rules.states import NonVisual
from annotation.rules.transitivity import can_corefer
from belief.boxes.box_prior import DEFAULT as DEFAULT_BOXES
from belief.learned import LearnedState
from belief.links.link_prior import DEFAULT as DEFAULT_LINKS
from pipeline.checking.begin_check import MAX_AUDIT_RATE, box_prior_of, link_prior_of, to_check
from pipeline.checking.doubt import ExpectedWrong, doubts_of, expected_wrong
from pipeline.checking.label_evidence import ChainLabel, label_evidence_of, labels_now, labels_of_source, same_boxes
from pipeline.checking.reasons import boxes_shown
from pipeline.checking.wrong_share import wrong_shares
from pipeline.learning.vectors_of_phrases import make_vectors
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import BOX_TASKS, Task
from pipeline.settings.settings import Settings
from runtime.intervals import IntervalEstimate
from simulation.crowd import paper
from simulation.predict.subject import Subject, right_in, waiting
from simulation.simulate import SECONDS
from simulation.spoiled_image import OF_BOXES, OF_PHRASES, PlantedKind, Wronged
from simulation.view import TrueChain, TrueImage
from studies.whole_campaign.campaign_cost import OwnSettings
from studies.whole_campaign.programs import MODEL, PROPOSER, AtWork, Programs

EDGES = (0.0, 0.03, 0.06, 0.1, 0.2, 0.4, 1.0)
"""Doubts in which calibration is shown apart: from each of these to the next."""


@dataclass(slots=True)
class Calibration:
    """Labels with their doubt, 0 to 1, and whether they are truly wrong."""

    told: list[tuple[float, bool]] = field(default_factory=list)

    @property
    def expected(self) -> ExpectedWrong:
        return expected_wrong(doubt for doubt, _ in self.told)

    @property
    def wrong(self) -> int:
        return sum(wrong for _, wrong in self.told)

    def by_doubt(self) -> list[tuple[float, float, ExpectedWrong, int]]:
        """Return for each part of the doubts its ends, the labels expected to be wrong, and those that are."""
        found = []
        for low, high in pairwise(EDGES):
            own = Calibration([one for one in self.told if low <= one[0] < high or one[0] == high == 1])
            if own.told:
                found.append((low, high, own.expected, own.wrong))
        return found

    def add(self, progress: ImageProgress, gold: TrueImage, settings: Settings) -> None:
        """Add the labels of an image as it stands."""
        right = {tuple(sorted(chain.mentions)): chain for chain in gold.chains}
        for doubt in doubts_of(progress, settings):
            chains = [chain for chain in progress.chains.values() if doubt.chain in (chain.name, chain.merged_into)]
            own = tuple(sorted(number for chain in chains for number in chain.mentions))
            boxes = {box for chain in chains for box in boxes_shown(progress, chain, settings)}
            self.told.append((doubt.chances.doubt, own not in right or not same_boxes(list(boxes), right[own].boxes)))


SEVERAL, NONE = 0.20, 0.15
LEAST_SIDE = 12
"""Pixels of the side that is divided, for each part."""


def made_gold(image: TrueImage, seed: int) -> TrueImage:
    """Return the image with divided and missing boxes; the same arguments give the same boxes."""
    draw = Random(f"{seed} made gold {image.key}")
    return replace(image, chains=tuple(_made(chain, draw) for chain in image.chains))


def _made(chain: TrueChain, draw: Random) -> TrueChain:
    rng, parts, scene = draw.random(), draw.choice([2, 3]), draw.random() < 0.5
    if rng < NONE:
        return replace(chain, boxes=(), scene=scene)
    if rng < NONE + SEVERAL and chain.boxes:
        return replace(chain, boxes=_divided(chain.boxes[0], parts), scene=False)
    return replace(chain, scene=chain.scene and not chain.boxes)


def _divided(box: Box, parts: int) -> tuple[Box, ...]:
    """Return boxes side by side along the longer side; one for a box that is too small."""
    wide = box.x1 - box.x0 >= box.y1 - box.y0
    first, last = (box.x0, box.x1) if wide else (box.y0, box.y1)
    parts = max(1, min(parts, (last - first) // LEAST_SIDE))
    edges: Sequence[int] = [first + (last - first) * place // parts for place in range(parts + 1)]
    pairs = pairwise(edges)
    return tuple(Box(a, box.y0, b, box.y1) if wide else Box(box.x0, a, box.x1, b) for a, b in pairs)


SOURCE = 900_003
"""The number of the source as a program."""


def settings_of(values: Mapping[str, Any], programs: Programs) -> Settings:
    """Return the settings of a project that checks a data set with these programs at work."""
    model_annotators = [] if programs.wrong is None else [MODEL]
    return to_check(
        Settings.from_json({"model_annotators": model_annotators, "check_audit_rate": MAX_AUDIT_RATE, **values}), SOURCE
    )


def with_vectors(images: Sequence[Wronged]) -> list[Wronged]:
    """Return the images with a vector of each phrase, as imports keep them. Raises ValueError without the package."""
    given = iter(make_vectors([mention.text for image in images for mention in image.mentions]))
    return [
        replace(image, mentions=tuple(replace(mention, vector=next(given)) for mention in image.mentions))
        for image in images
    ]


def taught_by(images: Sequence[Wronged], learned: LearnedState) -> LearnedState:
    """Return what is learned already, with priors that the data set itself teaches, with its errors, for defaults."""
    labelled = [(image.mentions, image.labels) for image in images]
    links = link_prior_of(labelled) if learned.links == DEFAULT_LINKS else learned.links
    boxes = box_prior_of(labelled) if learned.boxes == DEFAULT_BOXES else learned.boxes
    return replace(learned, links=links, boxes=boxes)


def said_by(image: Wronged) -> dict[str, Any]:
    """Return what the source says of an image, as it is in an entry."""
    return {
        "boxes": [[number, *box] for label in image.labels for box in label.boxes for number in label.mentions],
        "chains": [list(label.mentions) for label in image.labels],
        "flags": {
            str(number): (NonVisual.SCENE if label.scene else NonVisual.NO_BOX).value
            for label in image.labels
            if not label.boxes
            for number in label.mentions
        },
    }


def labels_of(image: Wronged) -> list[ChainLabel]:
    said = said_by(image)
    return labels_of_source(said["boxes"], said["chains"], said["flags"], range(len(image.mentions)))


@dataclass(slots=True)
class Checked:
    """The counts of a check."""

    images: int = 0
    planted: Counter[PlantedKind] = field(default_factory=Counter)
    found: Counter[PlantedKind] = field(default_factory=Counter)
    chains: int = 0
    chains_asked: int = 0
    """With at least one person's answer to a box task."""
    pairs: int = 0
    judgments: Counter[Task] = field(default_factory=Counter)
    right: int = 0
    """Gold chains that the source had right."""
    made_wrong: int = 0
    made_wrong_phrases: int = 0
    waits: int = 0
    """Right labels that wait for an expert: a corrected set has them as the source does."""
    before: Calibration = field(default_factory=Calibration)
    after: Calibration = field(default_factory=Calibration)
    ends: list[tuple[Wronged, ImageProgress]] = field(default_factory=list)
    """The images as the check left them."""
    learned: Settings | None = None
    """The settings after the last image."""

    def figures(self) -> dict[str, float]:
        """Return shares from 0 to 1, and people's seconds an image."""
        return {
            "found of phrases": _share(self.found, self.planted, OF_PHRASES),
            "found of boxes": _share(self.found, self.planted, OF_BOXES),
            "links asked": self.judgments[Task.COREFERENCE_LINK] / self.pairs,
            "chains asked": self.chains_asked / self.chains,
            "made wrong": self.made_wrong / self.right,
            "made wrong, phrases": self.made_wrong_phrases / self.right,
            "waits": self.waits / self.right,
            "seconds an image": sum(SECONDS[task] * judgment for task, judgment in self.judgments.items())
            / self.images,
        }


def _share(found: Counter[PlantedKind], planted: Counter[PlantedKind], kinds: Sequence[PlantedKind]) -> float:
    every = sum(planted[kind] for kind in kinds)
    return sum(found[kind] for kind in kinds) / every if every else 0.0


def check(
    images: Sequence[Wronged],
    settings: Settings,
    programs: Programs,
    seed: int,
    done: Callable[[], object] = lambda: None,
) -> Checked:
    """Let a simulated crowd check the images, and count what it finds. `done` is called after each image."""
    crowd = paper([(image.gold, [mention.for_links() for mention in image.mentions]) for image in images], 1000 * seed)
    at_work = AtWork(programs, crowd, [image.gold for image in images], seed)
    own, found = OwnSettings(settings), Checked()
    for place, image in enumerate(images):
        draw, said = random.Random(f"check {seed} {place}"), {SOURCE: said_by(image)}
        before = partial(found.before.add, gold=image.gold, settings=own.settings)
        given = place, _subject(image), image.gold, own.settings, draw
        progress, judgments = at_work.annotate(*given, said, before)
        found.after.add(progress, image.gold, own.settings)
        found.judgments += judgments
        _add(found, image, progress)
        found.ends.append((image, progress))
        own.learn(progress, labels_of(image))
        done()
    found.learned = own.settings
    return found


def from_nothing(
    images: Sequence[Wronged],
    settings: Settings,
    programs: Programs,
    seed: int,
    done: Callable[[], object] = lambda: None,
) -> float:
    """Return the people's seconds an image if the images are annotated without the data set that is checked.

    The priors stay, though they come from it: what is saved is not counted twice.
    """
    usual = Settings()
    alone = replace(settings, reference_set=0, link_stop=usual.link_stop, box_sure=usual.box_sure)
    crowd = paper([(image.gold, [mention.for_links() for mention in image.mentions]) for image in images], 1000 * seed)
    at_work = AtWork(programs, crowd, [image.gold for image in images], seed)
    own, judgments = OwnSettings(alone), Counter[Task]()
    for place, image in enumerate(images):
        draw = random.Random(f"check {seed} {place}")
        progress, given = at_work.annotate(place, _subject(image), image.gold, own.settings, draw)
        judgments += given
        own.learn(progress)
        done()
    return sum(SECONDS[task] * number for task, number in judgments.items()) / len(images)


def _subject(image: Wronged) -> Subject:
    return Subject(image.gold.key, image.gold.width, image.gold.height, image.mentions)


def _add(found: Checked, image: Wronged, progress: ImageProgress) -> None:
    found.images += 1
    links = [mention.for_links()._replace(reference_rank=0) for mention in progress.mentions.values()]
    found.pairs += sum(can_corefer(one, other) for one, other in combinations(links, 2))
    for chain in progress.chains.values():
        found.chains += 1
        found.chains_asked += any(
            answer.task in BOX_TASKS and answer.worker is not None and answer.worker < PROPOSER and answer.counts
            for answer in chain.answers
        )
    labels, waits = labels_now(progress), waiting(progress)
    ends, gold = {label.mentions for label in labels}, image.gold.chains
    whole = {one.name: tuple(sorted(one.mentions)) in ends for one in gold}
    right = dict(zip(whole, right_in(image.gold, labels, waits), strict=True))
    for error in image.errors:
        found.planted[error.kind] += 1
        found.found[error.kind] += all((whole if error.kind in OF_PHRASES else right)[name] for name in error.chains)
    touched = {name for error in image.errors for name in error.chains}
    for unspoiled in (one for one in gold if one.name not in touched):
        waited = whole[unspoiled.name] and not waits.isdisjoint(unspoiled.mentions)
        found.right += 1
        found.waits += waited
        found.made_wrong += not waited and not right[unspoiled.name]
        found.made_wrong_phrases += not whole[unspoiled.name]


def estimates(checked: Checked) -> list[dict[str, Any]]:
    """Return a row for the labels before the check, and one for those after it: shares from 0 to 1."""
    if checked.learned is None:
        return []
    known, before, after = [], list[bool](), list[bool]()
    for image, progress in checked.ends:
        labels = labels_of(image)
        known.append(label_evidence_of(progress, labels, checked.learned))
        before += wrong(labels, image.gold)
        after += wrong(labels_now(progress), image.gold)
    found = wrong_shares(known)[""]
    return [_row("wrong before", before, found.before), _row("wrong after", after, found.after)]


def wrong(labels: Sequence[ChainLabel], gold: TrueImage) -> list[bool]:
    """Return of each label whether it has other mentions than every gold chain, or other boxes than its own."""
    boxes = {tuple(sorted(chain.mentions)): chain.boxes for chain in gold.chains}
    return [label.mentions not in boxes or not same_boxes(label.boxes, boxes[label.mentions]) for label in labels]


def _row(of: str, truth: Sequence[bool], found: IntervalEstimate) -> dict[str, Any]:
    share = sum(truth) / len(truth)
    return {
        "of": of,
        "truth": share,
        "estimate": found.value,
        "least": found.low,
        "most": found.high,
        "inside": found.holds(share),
    }
