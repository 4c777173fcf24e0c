"""Items of a source [paper Shekhar, Dataset]: targets, their foils, and one of them for each caption."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.foil.item import Item
from evaluation.foil.making.caption_words import bare, pieces_of, tags_of
from evaluation.foil.making.foils import Foils, shown_words
from evaluation.foil.making.hardest import CaptionLoss, hardest
from evaluation.foil.making.lexicon import Lexicon, Word
from evaluation.foil.making.pairs import Pair
from evaluation.foil.making.replace import replaced
from evaluation.foil.making.sample import Stock, drawn
from evaluation.foil.making.source import Source
from evaluation.foil.making.targets import Target, is_salient, targets_of
from evaluation.work import Work


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
    for (image, number, caption), own in zip(rows, tags, strict=True):
        pieces = pieces_of(caption)
        if targets := targets_of(pieces, own, lexicon):
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
                chances = [one for one in chances if one.foils]
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
            part=self.images[caption.image],
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
