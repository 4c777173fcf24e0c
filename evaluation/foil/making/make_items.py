"""Items of a source [paper Shekhar, Dataset]: targets, their foils, and one of them for each caption."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.foil.item import Item
from evaluation.foil.making.caption_words import bare, pieces_of, tags_of
from evaluation.foil.making.exchange import Foils, Target, is_salient, replaced, shown_words, targets_of
from evaluation.foil.making.lexicon import TRAIN, Lexicon, Pair, Word
from evaluation.foil.making.losses import CaptionLoss, hardest
from evaluation.foil.making.source import Source
from evaluation.work import Work

FREQUENCY, UNIFORM = "frequency", "uniform"
SAMPLING = (FREQUENCY, UNIFORM)


class Stock:
    """The foils that are left to draw, by word and number; without limits if sampling is uniform [beyond the paper].

    A word that is often a foil and seldom a target tells a model that sees no image which captions are wrong. By
    frequency, each word is drawn in proportion to how often it still has to be drawn, so that it becomes a foil at most
    as often as it is a target; a caption whose foils are all used up is left out.
    """

    def __init__(self, sampling: str) -> None:
        self.is_limited = sampling == FREQUENCY
        self._left: defaultdict[tuple[str, bool], float] = defaultdict(float)

    def add(self, targets: Sequence[tuple[Word, bool]]) -> None:
        """Add the possible targets of a caption, each with whether it is a plural: together they are one target."""
        for word, plural in targets:
            self._left[word.word, plural] += 1 / len(targets)

    def weights(self, foils: Sequence[Word], *, plural: bool) -> np.ndarray:
        """Return how often each foil is left; 1 for each if sampling is uniform."""
        if not self.is_limited:
            return np.ones(len(foils))
        return np.array([max(0.0, self._left[foil.word, plural]) for foil in foils])

    def take(self, foil: Word, *, plural: bool) -> None:
        """Count one that was drawn."""
        self._left[foil.word, plural] -= 1


def drawn(weights: np.ndarray, rng: np.random.Generator) -> int:
    """Return a place in proportion to its weight. Raises ValueError if no weight is above 0."""
    return int(rng.choice(len(weights), p=weights / weights.sum()))


@dataclass(frozen=True)
class Marked:
    """A caption with targets. `number`: its place among the captions of its image."""

    image: str
    number: int
    pieces: list[str]
    targets: list[Target]


@dataclass
class Losses:
    """Losses of one caption: of the original, of all its foils, and of the one that was kept."""

    original: float
    foils: list[float]
    kept: float


@dataclass
class Made:
    """The items, and how many captions came how far."""

    items: list[Item] = field(default_factory=list)
    reached: Counter[str] = field(default_factory=Counter)
    losses: list[Losses] = field(default_factory=list)


def marked_captions(work: Work, source: Source, lexicon: Lexicon) -> list[Marked]:
    """Return the captions that have a target, in their order. Raises MissingExtra without the tagger."""
    rows = [
        (image, number, caption)
        for image, captions in source.captions.items()
        for number, caption in enumerate(captions)
        if any(bare(piece) in lexicon.by_form for piece in pieces_of(caption))
    ]
    tags = work.progress(tags_of(caption for _, _, caption in rows), "tagging captions", len(rows))
    found = []
    for (image, number, caption), tag in zip(rows, tags, strict=True):
        pieces = pieces_of(caption)
        if targets := targets_of(pieces, tag, lexicon):
            found.append(Marked(image, number, pieces, targets))
    return found


@dataclass(frozen=True)
class Chance:
    """A salient target of a caption with its foils, of which there is at least one."""

    target: Target
    foils: list[Word]


@dataclass(frozen=True)
class Maker:
    """Makes items. `pairs`, `images`: the part of each. `loss`: mines the hardest foil; None: foils are drawn."""

    source: Source
    lexicon: Lexicon
    pairs: Mapping[Pair, str]
    images: Mapping[str, str]
    sampling: str
    loss: CaptionLoss | None = None

    def make(self, marked: Sequence[Marked], rng: np.random.Generator) -> Made:
        """Return at most one item for each caption, in the order of the captions."""
        made = Made()
        chances = self._chances(marked, made)
        stocks = {part: Stock(self.sampling) for part in set(self.images.values())}
        for caption, own in chances:
            stocks[self.images[caption.image]].add([(one.target.word, one.target.plural) for one in own])
        found: dict[int, Item] = {}
        # In any fixed order, the captions at the end would find the stock empty.
        for place in rng.permutation(len(chances)).tolist():
            caption, own = chances[place]
            stock = stocks[self.images[caption.image]]
            chosen = self._drawn(own, stock, rng) if self.loss is None else self._hardest(made, caption, own, stock)
            if chosen is not None:
                target, foil = chosen
                stock.take(foil, plural=target.plural)
                found[place] = self._item(caption, target, foil)
        made.items = [found[place] for place in sorted(found)]
        return made

    def _chances(self, marked: Sequence[Marked], made: Made) -> list[tuple[Marked, list[Chance]]]:
        parts = set(self.pairs.values())
        foils = {part: Foils(self.lexicon, [pair for pair, own in self.pairs.items() if own == part]) for part in parts}
        found = []
        for image, captions in _by_image(marked):
            own = self.source.captions[image]
            said = [[bare(piece) for piece in pieces_of(caption)] for caption in own]
            shown = shown_words(own, self.source.categories.get(image, ()), self.lexicon)
            allowed = foils.get(self.images[image], Foils(self.lexicon, ()))
            for caption in captions:
                salient = [target for target in caption.targets if is_salient(target.word, said)]
                chances = [Chance(target, allowed.of(caption.pieces, target, shown)) for target in salient]
                chances = [chance for chance in chances if chance.foils]
                made.reached.update({"salient": bool(salient), "with_foil": bool(chances)})
                if chances:
                    found.append((caption, chances))
        return found

    def _drawn(self, own: Sequence[Chance], stock: Stock, rng: np.random.Generator) -> tuple[Target, Word] | None:
        chance = own[int(rng.integers(len(own)))]
        weights = stock.weights(chance.foils, plural=chance.target.plural)
        return (chance.target, chance.foils[drawn(weights, rng)]) if weights.sum() else None

    def _hardest(self, made: Made, caption: Marked, own: Sequence[Chance], stock: Stock) -> tuple[Target, Word] | None:
        assert self.loss is not None
        every = [
            (one.target, word)
            for one in own
            for word, weight in zip(one.foils, stock.weights(one.foils, plural=one.target.plural), strict=True)
            if weight
        ]
        if not every:
            return None
        texts = [_bare_words(caption.pieces), *(_bare_words(_foil(caption, *one)) for one in every)]
        original, *losses = self.loss.losses(caption.image, texts)
        best = hardest(losses)
        made.losses.append(Losses(original, losses, losses[best]))
        return every[best]

    def _item(self, caption: Marked, target: Target, foil: Word) -> Item:
        return Item(
            item=f"{caption.image}#{caption.number}",
            image=caption.image,
            caption=" ".join(caption.pieces),
            foil=" ".join(_foil(caption, target, foil)),
            place=target.place,
            target=target.word.word,
            foil_word=foil.word,
            super_category=target.word.super_category,
            part="train" if self.images[caption.image] == TRAIN else "test",
        )


def _foil(caption: Marked, target: Target, foil: Word) -> list[str]:
    form = foil.form(plural=target.plural)
    assert form is not None  # Foils.of gives words that have the form
    return replaced(caption.pieces, target.place, form)


def _bare_words(pieces: Sequence[str]) -> list[str]:
    return [word for piece in pieces if (word := bare(piece))]


def _by_image(marked: Sequence[Marked]) -> Iterator[tuple[str, list[Marked]]]:
    found: dict[str, list[Marked]] = {}
    for caption in marked:
        found.setdefault(caption.image, []).append(caption)
    yield from found.items()
