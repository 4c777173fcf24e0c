"""Errors planted in gold, of kinds and in shares as audits report them, and taken back from what a source says."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from random import Random
from typing import NamedTuple

from annotation.rules.box import Box, iou
from annotation.rules.mention_type import NOUN_TYPES
from pipeline.protocol.state.mention_progress import MentionProgress
from simulation.view import COVERED, TrueChain, TrueImage


class PlantedKind(StrEnum):
    """Kinds of planted errors."""

    MERGED = "two chains merged"
    SPLIT = "a chain split"
    MISPLACED = "a phrase in the wrong chain"
    SHIFTED = "a box shifted by a third"
    LARGE = "a box too large by half"
    PART = "a box around a part"
    ELSEWHERE = "a box around the wrong thing"
    SWAPPED = "the boxes of two chains exchanged"
    MISSING = "a box of several missing"
    GROUPED = "one box around several things"
    EXTRA = "a box too many"
    NEEDLESS = "a box though none is due"
    FORGOTTEN = "no box though one is due"
    TYPE = "a wrong type"


REDRAWN = (0.03, 0.08)
"""The shares of a box's sides by which its edges differ where another person draws it."""
PART = 0.45
"""The share of the longer side of a box around a part."""


@dataclass(frozen=True, slots=True)
class Label:
    """A chain as the data set has it."""

    mentions: tuple[int, ...]
    boxes: tuple[Box, ...]
    scene: bool = False


@dataclass(frozen=True, slots=True)
class Planted:
    """One error: the gold chains that it touches, by name."""

    kind: PlantedKind
    chains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wronged:
    """An image, its gold, and what the data set says of it."""

    gold: TrueImage
    mentions: tuple[MentionProgress, ...]
    """With the types of the data set."""
    labels: tuple[Label, ...]
    errors: tuple[Planted, ...]


class SpoiledImage:
    """One image whose labels are being spoiled."""

    def __init__(self, gold: TrueImage, mentions: tuple[MentionProgress, ...], draw: Random) -> None:
        self.gold, self.draw = gold, draw
        self.mentions = {mention.number: mention for mention in mentions}
        self.free = [chain for chain in gold.chains if chain.mentions]
        self.labels = {chain.name: Label(chain.mentions, chain.boxes, chain.scene) for chain in self.free}
        self.errors: list[Planted] = []

    def done(self) -> Wronged:
        return Wronged(self.gold, tuple(self.mentions.values()), tuple(self.labels.values()), tuple(self.errors))

    def spoil(self, kind: PlantedKind, how: "Maker") -> int:
        """Plant one error and return the number of chains that it touches; 0 if there is no room for it."""
        for chain in self.draw.sample(self.free, len(self.free)):
            if touched := how(self, chain):
                self.errors.append(Planted(kind, tuple(chain.name for chain in touched)))
                self.free = [chain for chain in self.free if chain not in touched]
                return len(touched)
        return 0

    # --- phrases ---

    def merge(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        for other in self._others(chain):
            if self._may_be_one((*chain.mentions, *other.mentions)):
                larger, smaller = sorted((chain, other), key=lambda one: -len(one.mentions))
                self.labels[larger.name] = replace(
                    self.labels[larger.name], mentions=tuple(sorted((*chain.mentions, *other.mentions)))
                )
                del self.labels[smaller.name]
                return chain, other
        return ()

    def split(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        """Let two people have made a chain each, whose boxes differ by a few pixels."""
        if len(chain.mentions) < 2:
            return ()
        mentions = self.draw.sample(chain.mentions, len(chain.mentions))
        cut = self.draw.randrange(1, len(mentions))
        for number, part in enumerate((mentions[:cut], mentions[cut:])):
            name = chain.name if not number else f"{chain.name} split"
            boxes = tuple(map(self._redrawn, chain.boxes)) if number else chain.boxes
            self.labels[name] = Label(tuple(sorted(part)), boxes, chain.scene)
        return (chain,)

    def _redrawn(self, box: Box) -> Box:
        """Return the box as another person draws it."""
        width, height = _sides(box)

        def moved(edge: int, side: int) -> float:
            return edge + self.draw.choice((-1, 1)) * self.draw.uniform(*REDRAWN) * side

        edges = moved(box.x0, width), moved(box.y0, height), moved(box.x1, width), moved(box.y1, height)
        return self._inside(*edges) or box

    def misplace(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        if len(chain.mentions) < 2:
            return ()
        for number in self.draw.sample(chain.mentions, len(chain.mentions)):
            for other in self._others(chain):
                if self._may_be_one((number, *other.mentions)):
                    left = tuple(mention for mention in chain.mentions if mention != number)
                    self.labels[chain.name] = replace(self.labels[chain.name], mentions=left)
                    joined = tuple(sorted((*other.mentions, number)))
                    self.labels[other.name] = replace(self.labels[other.name], mentions=joined)
                    return chain, other
        return ()

    def _others(self, chain: TrueChain) -> list[TrueChain]:
        others = [other for other in self.free if other is not chain]
        return self.draw.sample(others, len(others))

    def _may_be_one(self, numbers: Sequence[int]) -> bool:
        found = [self.mentions[number] for number in numbers]
        captions = {mention.caption for mention in found}
        first, *rest = (set(mention.types) for mention in found)
        return len(captions) == len(found) and bool(first.intersection(*rest))

    # --- boxes ---

    def _boxed(self, chain: TrueChain, boxes: Sequence[Box]) -> tuple[TrueChain, ...]:
        self.labels[chain.name] = replace(self.labels[chain.name], boxes=tuple(boxes), scene=False)
        return (chain,)

    def _reshaped(self, chain: TrueChain, edges: Callable[[Box], tuple[float, ...]]) -> tuple[TrueChain, ...]:
        """Give a box of the chain other edges, which cover none of its boxes."""
        if not chain.boxes:
            return ()
        place = self.draw.randrange(len(chain.boxes))
        box = self._inside(*edges(chain.boxes[place]))
        if box is None or _share_a_box([box], chain.boxes):
            return ()
        return self._boxed(chain, _replaced(chain.boxes, place, box))

    def shift(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        def shifted(box: Box) -> tuple[float, ...]:
            way = self.draw.choice([(1, 1), (1, -1), (-1, 1), (-1, -1)])
            dx, dy = (round(side * sign / 3) for side, sign in zip(_sides(box), way, strict=True))
            return box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy

        return self._reshaped(chain, shifted)

    def enlarge(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        return self._reshaped(chain, lambda box: _stretched(box, 1.5))

    def shrink(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        return self._reshaped(chain, lambda box: _stretched(box, 1 / 1.5))

    def cut(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        return self._reshaped(chain, _part)

    def aim_elsewhere(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        wrong = self._box_of_another(chain)
        if not chain.boxes or wrong is None:
            return ()
        return self._boxed(chain, _replaced(chain.boxes, self.draw.randrange(len(chain.boxes)), wrong))

    def swap(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        """Exchange the boxes of two chains of a common type, such as those of two men."""
        for other in self._others(chain):
            alike = self._types(chain) & self._types(other)
            if alike and chain.boxes and other.boxes and not _share_a_box(chain.boxes, other.boxes):
                for label, boxes in ((chain, other.boxes), (other, chain.boxes)):
                    self.labels[label.name] = replace(self.labels[label.name], boxes=boxes)
                return chain, other
        return ()

    def _types(self, chain: TrueChain) -> set[str]:
        return {kind for number in chain.mentions for kind in self.mentions[number].types}

    def group(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        if len(chain.boxes) < 2:
            return ()
        first, second, *others = self.draw.sample(chain.boxes, len(chain.boxes))
        x0, y0, x1, y1 = zip(first, second, strict=True)
        return self._boxed(chain, [Box(min(x0), min(y0), max(x1), max(y1)), *others])

    def leave_out(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        if len(chain.boxes) < 2:
            return ()
        place = self.draw.randrange(len(chain.boxes))
        return self._boxed(chain, chain.boxes[:place] + chain.boxes[place + 1 :])

    def add(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        wrong = self._box_of_another(chain)
        return self._boxed(chain, [*chain.boxes, wrong]) if chain.boxes and wrong else ()

    def box_needlessly(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        wrong = self._box_of_another(chain)
        return self._boxed(chain, [wrong]) if not chain.boxes and wrong else ()

    def forget(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        return self._boxed(chain, []) if chain.boxes else ()

    def _box_of_another(self, chain: TrueChain) -> Box | None:
        """Return a box of another chain that shows nothing of this one."""
        every = [box for other in self.gold.chains if other is not chain for box in other.boxes]
        fitting = [box for box in every if all(iou(box, own_box) < COVERED for own_box in chain.boxes)]
        return self.draw.choice(fitting) if fitting else None

    def _inside(self, x0: float, y0: float, x1: float, y1: float) -> Box | None:
        left, top = max(0, round(x0)), max(0, round(y0))
        right, bottom = min(self.gold.width, round(x1)), min(self.gold.height, round(y1))
        return Box(left, top, right, bottom) if right > left and bottom > top else None

    # --- types ---

    def retype(self, chain: TrueChain) -> tuple[TrueChain, ...]:
        number = self.draw.choice(chain.mentions)
        mention = self.mentions[number]
        wrong = self.draw.choice([kind.value for kind in NOUN_TYPES if kind.value not in mention.types])
        self.mentions[number] = replace(mention, types=[wrong])
        return (chain,)


def _replaced(boxes: Sequence[Box], place: int, box: Box) -> list[Box]:
    return [*boxes[:place], box, *boxes[place + 1 :]]


def _share_a_box(some: Sequence[Box], others: Sequence[Box]) -> bool:
    return any(iou(box, other) >= COVERED for box in some for other in others)


def _sides(box: Box) -> tuple[int, int]:
    return box.x1 - box.x0, box.y1 - box.y0


def _stretched(box: Box, times: float) -> tuple[float, float, float, float]:
    dx, dy = (side * (times - 1) / 2 for side in _sides(box))
    return box.x0 - dx, box.y0 - dy, box.x1 + dx, box.y1 + dy


def _part(box: Box) -> tuple[float, float, float, float]:
    width, height = _sides(box)
    right, bottom = (box.x0 + PART * width, box.y1) if width > height else (box.x1, box.y0 + PART * height)
    return box.x0, box.y0, right, bottom


Maker = Callable[[SpoiledImage, TrueChain], tuple[TrueChain, ...]]


class Planting(NamedTuple):
    """The making of errors of one kind, and their frequency."""

    share: float
    """The share of the kind among the errors, as far as the images have room for it."""
    make: Maker
    undo: Maker | None
    """Makes, of a label with this error, one that may be the truth; None where nothing tells of the error."""


PLANTINGS: Mapping[PlantedKind, Planting] = {
    PlantedKind.MERGED: Planting(0.08, SpoiledImage.merge, SpoiledImage.split),
    PlantedKind.SPLIT: Planting(0.10, SpoiledImage.split, SpoiledImage.merge),
    PlantedKind.MISPLACED: Planting(0.12, SpoiledImage.misplace, SpoiledImage.misplace),
    PlantedKind.SHIFTED: Planting(0.10, SpoiledImage.shift, SpoiledImage.shift),
    PlantedKind.LARGE: Planting(0.08, SpoiledImage.enlarge, SpoiledImage.shrink),
    PlantedKind.PART: Planting(0.06, SpoiledImage.cut, None),
    PlantedKind.ELSEWHERE: Planting(0.08, SpoiledImage.aim_elsewhere, SpoiledImage.aim_elsewhere),
    PlantedKind.SWAPPED: Planting(0.06, SpoiledImage.swap, SpoiledImage.swap),
    PlantedKind.MISSING: Planting(0.07, SpoiledImage.leave_out, SpoiledImage.add),
    PlantedKind.GROUPED: Planting(0.04, SpoiledImage.group, None),
    PlantedKind.EXTRA: Planting(0.06, SpoiledImage.add, SpoiledImage.leave_out),
    PlantedKind.NEEDLESS: Planting(0.04, SpoiledImage.box_needlessly, SpoiledImage.forget),
    PlantedKind.FORGOTTEN: Planting(0.05, SpoiledImage.forget, SpoiledImage.box_needlessly),
    PlantedKind.TYPE: Planting(0.06, SpoiledImage.retype, None),
}
OF_PHRASES = (PlantedKind.MERGED, PlantedKind.SPLIT, PlantedKind.MISPLACED)
OF_BOXES = tuple(kind for kind in PlantedKind if kind not in (*OF_PHRASES, PlantedKind.TYPE))
WRONG = 0.12
"""The share of gold chains that an error touches."""


def plant(
    images: Sequence[tuple[TrueImage, tuple[MentionProgress, ...]]],
    seed: int,
    wrong: float = WRONG,
    kinds: Iterable[PlantedKind] = PlantedKind,
) -> list[Wronged]:
    """Return the images with errors in this share of all gold chains; the same arguments give the same errors."""
    draw = Random(f"{seed} planted")
    made = [SpoiledImage(gold, mentions, draw) for gold, mentions in images]
    wanted = round(wrong * sum(len(gold.chains) for gold, _ in images))
    touched = 0
    for kind in _drawn(draw, kinds):
        if touched >= wanted:
            break
        places = draw.sample(range(len(made)), min(len(made), TRIES))
        touched += next((found for place in places if (found := made[place].spoil(kind, PLANTINGS[kind].make))), 0)
    return [image.done() for image in made]


def undo(labels: TrueImage, mentions: tuple[MentionProgress, ...], draw: Random, wrong: float) -> TrueImage:
    """Return what may be the truth of labels of which this share is wrong, 0 to 1; which, nobody knows."""
    image = SpoiledImage(labels, mentions, draw)
    wanted = sum(draw.random() < wrong for _ in image.free)
    undone = {kind: planting.undo for kind, planting in PLANTINGS.items() if planting.undo}
    for kind in islice(_drawn(draw, undone), TRIES):
        if wanted <= 0:
            break
        wanted -= image.spoil(kind, undone[kind])
    chains = tuple(
        TrueChain(str(place), label.mentions, label.scene, label.boxes)
        for place, label in enumerate(image.labels.values())
    )
    return replace(labels, chains=chains)


TRIES = 200


def _drawn(draw: Random, kinds: Iterable[PlantedKind]) -> Iterator[PlantedKind]:
    names = list(kinds)
    weights = [PLANTINGS[kind].share for kind in names]
    for _ in range(1_000_000):
        yield draw.choices(names, weights)[0]
