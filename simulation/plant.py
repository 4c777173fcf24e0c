"""Planted errors: labels of a data set made wrong in the ways that audits report, in a stated share of its chains.

An error touches one gold chain, or two if phrases change their chain. No chain is touched twice. Errors of phrases keep
the two rules of links, so that no rule finds them without an answer.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from annotation.rules.box import Box, iou
from annotation.rules.mention_type import MentionType
from pipeline.rules.progress.mention_progress import MentionProgress
from simulation.view import COVERED, GoldChain, GoldImage


class Kind(StrEnum):
    """Kinds of planted errors."""

    MERGED = "two chains merged"
    SPLIT = "a chain split"
    MISPLACED = "a phrase in the wrong chain"
    SHIFTED = "a box shifted by a third"
    LARGE = "a box too large by half"
    ELSEWHERE = "a box around the wrong thing"
    MISSING = "a box of several missing"
    EXTRA = "a box too many"
    NEEDLESS = "a box though none is due"
    FORGOTTEN = "no box though one is due"
    TYPE = "a wrong type"


OF_PHRASES = (Kind.MERGED, Kind.SPLIT, Kind.MISPLACED)
OF_BOXES = (Kind.SHIFTED, Kind.LARGE, Kind.ELSEWHERE, Kind.MISSING, Kind.EXTRA, Kind.NEEDLESS, Kind.FORGOTTEN)
SHARES: Mapping[Kind, float] = {
    Kind.MERGED: 0.08,
    Kind.SPLIT: 0.10,
    Kind.MISPLACED: 0.12,
    Kind.SHIFTED: 0.14,
    Kind.LARGE: 0.12,
    Kind.ELSEWHERE: 0.12,
    Kind.MISSING: 0.07,
    Kind.EXTRA: 0.07,
    Kind.NEEDLESS: 0.05,
    Kind.FORGOTTEN: 0.05,
    Kind.TYPE: 0.08,
}
"""The share of each kind among the errors, as far as the images have room for it."""
WRONG = 0.12
"""The share of gold chains that an error touches."""


@dataclass(frozen=True, slots=True)
class Label:
    """A chain as the data set has it."""

    mentions: tuple[int, ...]
    boxes: tuple[Box, ...]
    scene: bool = False


@dataclass(frozen=True, slots=True)
class Planted:
    """One error: the gold chains that it touches, by name."""

    kind: Kind
    chains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wronged:
    """An image, its gold, and what the data set says of it."""

    gold: GoldImage
    mentions: tuple[MentionProgress, ...]
    """With the types of the data set."""
    labels: tuple[Label, ...]
    errors: tuple[Planted, ...]


def plant(
    images: Sequence[tuple[GoldImage, tuple[MentionProgress, ...]]],
    seed: int,
    wrong: float = WRONG,
    shares: Mapping[Kind, float] = SHARES,
) -> list[Wronged]:
    """Return the images with errors in this share of all gold chains; the same arguments give the same errors."""
    draw = Random(f"{seed} planted")
    made = [_Image(gold, mentions, draw) for gold, mentions in images]
    wanted = round(wrong * sum(len(gold.chains) for gold, _ in images))
    touched = 0
    for kind in _kinds(draw, shares):
        if touched >= wanted:
            break
        places = draw.sample(range(len(made)), min(len(made), TRIES))
        touched += next((found for place in places if (found := made[place].spoil(kind))), 0)
    return [one.done() for one in made]


TRIES = 200


def _kinds(draw: Random, shares: Mapping[Kind, float]) -> Iterator[Kind]:
    names, weights = list(shares), list(shares.values())
    for _ in range(1_000_000):
        yield draw.choices(names, weights)[0]


class _Image:
    """One image whose labels are being spoiled."""

    def __init__(self, gold: GoldImage, mentions: tuple[MentionProgress, ...], draw: Random) -> None:
        self.gold, self.draw = gold, draw
        self.mentions = {one.number: one for one in mentions}
        self.free = [chain for chain in gold.chains if chain.mentions]
        self.labels = {one.name: Label(one.mentions, one.boxes, one.scene) for one in self.free}
        self.errors: list[Planted] = []

    def done(self) -> Wronged:
        return Wronged(self.gold, tuple(self.mentions.values()), tuple(self.labels.values()), tuple(self.errors))

    def spoil(self, kind: Kind) -> int:
        """Plant one error and return the number of chains that it touches; 0 if there is no room for it."""
        for chain in self.draw.sample(self.free, len(self.free)):
            if touched := HOW[kind](self, chain):
                self.errors.append(Planted(kind, tuple(one.name for one in touched)))
                self.free = [one for one in self.free if one not in touched]
                return len(touched)
        return 0

    # --- phrases ---

    def merge(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        for other in self._others(chain):
            if self._may_be_one((*chain.mentions, *other.mentions)):
                larger, smaller = sorted((chain, other), key=lambda one: -len(one.mentions))
                self.labels[larger.name] = replace(
                    self.labels[larger.name], mentions=tuple(sorted((*chain.mentions, *other.mentions)))
                )
                del self.labels[smaller.name]
                return chain, other
        return ()

    def split(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        if len(chain.mentions) < 2:
            return ()
        mentions = self.draw.sample(chain.mentions, len(chain.mentions))
        cut = self.draw.randrange(1, len(mentions))
        for number, part in enumerate((mentions[:cut], mentions[cut:])):
            name = chain.name if not number else f"{chain.name} split"
            self.labels[name] = Label(tuple(sorted(part)), chain.boxes, chain.scene)
        return (chain,)

    def misplace(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        if len(chain.mentions) < 2:
            return ()
        for number in self.draw.sample(chain.mentions, len(chain.mentions)):
            for other in self._others(chain):
                if self._may_be_one((number, *other.mentions)):
                    left = tuple(one for one in chain.mentions if one != number)
                    self.labels[chain.name] = replace(self.labels[chain.name], mentions=left)
                    joined = tuple(sorted((*other.mentions, number)))
                    self.labels[other.name] = replace(self.labels[other.name], mentions=joined)
                    return chain, other
        return ()

    def _others(self, chain: GoldChain) -> list[GoldChain]:
        others = [one for one in self.free if one is not chain]
        return self.draw.sample(others, len(others))

    def _may_be_one(self, numbers: Sequence[int]) -> bool:
        found = [self.mentions[number] for number in numbers]
        captions = {one.caption for one in found}
        first, *rest = (set(one.types) for one in found)
        return len(captions) == len(found) and bool(first.intersection(*rest))

    # --- boxes ---

    def _with(self, chain: GoldChain, change: Callable[[list[Box]], list[Box] | None]) -> tuple[GoldChain, ...]:
        boxes = change(list(chain.boxes))
        if boxes is None or tuple(boxes) == chain.boxes:
            return ()
        self.labels[chain.name] = replace(self.labels[chain.name], boxes=tuple(boxes), scene=False)
        return (chain,)

    def shift(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        def change(boxes: list[Box]) -> list[Box] | None:
            if not boxes:
                return None
            place = self.draw.randrange(len(boxes))
            one = boxes[place]
            way = self.draw.choice([(1, 1), (1, -1), (-1, 1), (-1, -1)])
            dx, dy = (round(side * sign / 3) for side, sign in zip(_sides(one), way, strict=True))
            moved = self._inside(one.x0 + dx, one.y0 + dy, one.x1 + dx, one.y1 + dy)
            if moved is None or any(iou(moved, box) >= COVERED for box in chain.boxes):
                return None
            boxes[place] = moved
            return boxes

        return self._with(chain, change)

    def enlarge(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        def change(boxes: list[Box]) -> list[Box] | None:
            if not boxes:
                return None
            place = self.draw.randrange(len(boxes))
            one = boxes[place]
            width, height = _sides(one)
            grown = self._inside(one.x0 - width / 4, one.y0 - height / 4, one.x1 + width / 4, one.y1 + height / 4)
            if grown is None or any(iou(grown, box) >= COVERED for box in chain.boxes):
                return None
            boxes[place] = grown
            return boxes

        return self._with(chain, change)

    def aim_elsewhere(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        def change(boxes: list[Box]) -> list[Box] | None:
            wrong = self._box_of_another(chain)
            if not boxes or wrong is None:
                return None
            boxes[self.draw.randrange(len(boxes))] = wrong
            return boxes

        return self._with(chain, change)

    def leave_out(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        def change(boxes: list[Box]) -> list[Box] | None:
            if len(boxes) < 2:
                return None
            del boxes[self.draw.randrange(len(boxes))]
            return boxes

        return self._with(chain, change)

    def add(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        def change(boxes: list[Box]) -> list[Box] | None:
            wrong = self._box_of_another(chain)
            return [*boxes, wrong] if boxes and wrong else None

        return self._with(chain, change)

    def box_needlessly(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        def change(boxes: list[Box]) -> list[Box] | None:
            wrong = self._box_of_another(chain)
            return [wrong] if not boxes and wrong else None

        return self._with(chain, change)

    def forget(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        return self._with(chain, lambda boxes: [] if boxes else None)

    def _box_of_another(self, chain: GoldChain) -> Box | None:
        """Return a box of another chain that shows nothing of this one."""
        every = [box for other in self.gold.chains if other is not chain for box in other.boxes]
        fitting = [box for box in every if all(iou(box, own) < COVERED for own in chain.boxes)]
        return self.draw.choice(fitting) if fitting else None

    def _inside(self, x0: float, y0: float, x1: float, y1: float) -> Box | None:
        left, top = max(0, round(x0)), max(0, round(y0))
        right, bottom = min(self.gold.width, round(x1)), min(self.gold.height, round(y1))
        return Box(left, top, right, bottom) if right > left and bottom > top else None

    # --- types ---

    def retype(self, chain: GoldChain) -> tuple[GoldChain, ...]:
        number = self.draw.choice(chain.mentions)
        mention = self.mentions[number]
        wrong = self.draw.choice([kind.value for kind in MentionType if kind.value not in mention.types])
        self.mentions[number] = replace(mention, types=[wrong])
        return (chain,)


def _sides(box: Box) -> tuple[int, int]:
    return box.x1 - box.x0, box.y1 - box.y0


HOW: Mapping[Kind, Callable[[_Image, GoldChain], tuple[GoldChain, ...]]] = {
    Kind.MERGED: _Image.merge,
    Kind.SPLIT: _Image.split,
    Kind.MISPLACED: _Image.misplace,
    Kind.SHIFTED: _Image.shift,
    Kind.LARGE: _Image.enlarge,
    Kind.ELSEWHERE: _Image.aim_elsewhere,
    Kind.MISSING: _Image.leave_out,
    Kind.EXTRA: _Image.add,
    Kind.NEEDLESS: _Image.box_needlessly,
    Kind.FORGOTTEN: _Image.forget,
    Kind.TYPE: _Image.retype,
}
