"""Items [paper Shekhar, Dataset, Salient target, Foil not present]: targets, their foils, and one for each caption."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from evaluation.errors import InputError
from evaluation.foil.item import FoilItem
from evaluation.foil.making.lexicon import TRAIN, Lexicon, LexiconWord, Pair, bare, mentioned, pieces_of, tags_of
from evaluation.reading.caption_file import read_captions
from evaluation.reading.coco import read_instances
from evaluation.reading.picture import Picture
from evaluation.reading.pictures import read_pictures
from evaluation.work import StepWork

BEGIN, END = "<s>", "</s>"


class CaptionLoss(Protocol):
    """A language model that measures captions."""

    def losses(self, image: str, captions: Sequence[Sequence[str]]) -> Sequence[float]:
        """Return the loss of each caption: the mean negative natural logarithm of its words' probabilities.

        `image`: the name of the image, for models that know images. `captions`: bare words.
        """
        ...


def lowest_loss(losses: Sequence[float]) -> int:
    """Return the place of the lowest loss; of equal ones the first."""
    return min(range(len(losses)), key=lambda place: (losses[place], place))


class Trigram:
    """Trigrams of captions with one added to each count. It knows no images."""

    def __init__(self, captions: Iterable[Sequence[str]]) -> None:
        self._trigrams: Counter[tuple[str, str, str]] = Counter()
        self._contexts: Counter[tuple[str, str]] = Counter()
        known = {END}
        for caption in captions:
            known.update(caption)
            for trigram in _trigrams(caption):
                self._trigrams[trigram] += 1
                self._contexts[trigram[:2]] += 1
        self._size = len(known) + 1  # and one for all words that are not known

    def losses(self, image: str, captions: Sequence[Sequence[str]]) -> list[float]:
        """Return the mean negative natural logarithm of the probabilities of each caption's words and its end."""
        return [self._loss(caption) for caption in captions]

    def _loss(self, caption: Sequence[str]) -> float:
        found = [self._probability(trigram) for trigram in _trigrams(caption)]
        return -sum(map(math.log, found)) / len(found)

    def _probability(self, trigram: tuple[str, str, str]) -> float:
        return (self._trigrams[trigram] + 1) / (self._contexts[trigram[:2]] + self._size)


def _trigrams(caption: Sequence[str]) -> list[tuple[str, str, str]]:
    padded = [BEGIN, BEGIN, *caption, END]
    return list(zip(padded, padded[1:], padded[2:], strict=False))


MIN_CAPTIONS_WITH_WORD = 2
"""Captions of an image that have a salient word."""
ARTICLES = ("a", "an")
_LIKE_A_CONSONANT = ("eu", "ew", "one", "once", "ouija", "uni", "use", "usu", "ute", "ura", "ufo", "ukulele")
_LIKE_A_VOWEL = ("hour", "honest", "honor", "honour", "heir")


@dataclass(frozen=True, slots=True)
class Target:
    """A word at its place in a caption."""

    place: int
    word: LexiconWord
    plural: bool


def targets_of(pieces: Sequence[str], tags: Sequence[str], lexicon: Lexicon) -> list[Target]:
    """Return the nouns of the lexicon that stand in the caption exactly once, in any form, in their order.

    A word within a phrase that means something else ("hot dog") is not a target.
    """
    said = mentioned(" ".join(pieces))
    words = [bare(piece) for piece in pieces]
    other = _in_phrases(words, lexicon)
    found = []
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        entry = lexicon.by_form.get(word)
        if entry is None or not tag.startswith("NN") or place in other:
            continue
        if sum(word in entry.forms for word in said) == 1:
            found.append(Target(place, entry, _is_plural(entry, word, tag)))
    return found


def is_salient(word: LexiconWord, captions: Sequence[Sequence[str]]) -> bool:
    """Tell whether the word, in any form, stands in two or more captions. `captions`: bare words of each caption."""
    return sum(not word.forms.isdisjoint(words) for words in captions) >= MIN_CAPTIONS_WITH_WORD


def _is_plural(entry: LexiconWord, form: str, tag: str) -> bool:
    if entry.singular == entry.plural:
        return tag.endswith("S")
    return form == entry.plural


def _in_phrases(words: Sequence[str], lexicon: Lexicon) -> set[int]:
    found: set[int] = set()
    for phrase in lexicon.phrases:
        length = len(phrase)
        for start in range(len(words) - length + 1):
            if all(
                _same(word, part, lexicon) for word, part in zip(words[start : start + length], phrase, strict=True)
            ):
                found.update(range(start, start + length))
    return found


def _same(word: str, part: str, lexicon: Lexicon) -> bool:
    if word == part:
        return True
    entry = lexicon.by_form.get(word)
    return entry is not None and part in entry.forms


def replaced(pieces: Sequence[str], place: int, form: str) -> list[str]:
    """Return the pieces with the form at the place, in the capitals of the old word and between its punctuation."""
    old = pieces[place]
    at = old.lower().find(bare(old))
    end = at + len(bare(old))
    return [*pieces[:place], f"{old[:at]}{_like(old[at:end], form)}{old[end:]}", *pieces[place + 1 :]]


def fits(pieces: Sequence[str], place: int, target: LexiconWord, foil: LexiconWord, *, plural: bool) -> bool:
    """Tell whether the foil has a form of this number, and whether an article before the place stays right."""
    old, new = target.form(plural=plural), foil.form(plural=plural)
    if old is None or new is None:
        return False
    if place == 0 or bare(pieces[place - 1]) not in ARTICLES:
        return True
    return foil.plural is not None and takes_an(old) == takes_an(new)


def takes_an(word: str) -> bool:
    """Tell whether the article before the word is "an", by its first letters."""
    if word.startswith(_LIKE_A_VOWEL):
        return True
    return word[0] in "aeiou" and not word.startswith(_LIKE_A_CONSONANT)


def _like(old: str, form: str) -> str:
    if old.isupper() and len(old) > 1:
        return form.upper()
    return f"{form[0].upper()}{form[1:]}" if old[0].isupper() else form


@dataclass(frozen=True)
class Foils:
    """The foils of a lexicon, by the pairs that are allowed."""

    lexicon: Lexicon
    allowed: Collection[Pair]

    @cached_property
    def _by_target(self) -> dict[str, list[LexiconWord]]:
        found: dict[str, list[LexiconWord]] = {}
        for target, foil in self.allowed:
            found.setdefault(target, []).append(self.lexicon.by_word[foil])
        return found

    def of(self, pieces: Sequence[str], target: Target, shown: Collection[str]) -> list[LexiconWord]:
        """Return the foils that may stand for the target. `shown`: the words that the image shows."""
        return [
            foil
            for foil in self._by_target.get(target.word.word, ())
            if foil.word not in shown and fits(pieces, target.place, target.word, foil, plural=target.plural)
        ]


def shown_words(captions: Sequence[str], categories: Collection[str], lexicon: Lexicon) -> set[str]:
    """Return the words of the lexicon that an image shows.

    They are named in one of its captions, themselves or by another word for the same thing, or boxes of the image
    have them as their category.
    """
    said = {word for caption in captions for word in mentioned(caption)}
    found = {word.word for word in lexicon.words if not word.signs.isdisjoint(said)}
    return found | {word for category in categories if (word := word_of_category(category, lexicon)) is not None}


def word_of_category(category: str, lexicon: Lexicon) -> str | None:
    """Return the word of a category of boxes, the last one of its name; None for "hot dog", which is no dog."""
    name = tuple(category.lower().split())
    entry = lexicon.by_form.get(name[-1]) if name else None
    return None if entry is None or name in lexicon.phrases else entry.word


@dataclass(frozen=True)
class CaptionSource:
    """Captions by image; the categories of the boxes of each image, empty where they are not known."""

    captions: Mapping[str, list[str]]
    categories: Mapping[str, set[str]]
    pictures: tuple[Picture, ...] = ()
    """The pictures of an export, if the captions come from one."""


def read_source(work: StepWork) -> CaptionSource:
    """Return the captions of `--captions`, or of the export `--data`. Raises InputError."""
    file, instances = work.file("captions"), work.file("instances")
    if (file is None) == (work.data is None):
        raise InputError("Give either --captions, a file of captions, or --data, an export.")
    pictures: tuple[Picture, ...] = ()
    categories: dict[str, set[str]] = {}
    if file is not None:
        captions = read_captions(file)
    else:
        captions = read_captions(work.export)
        pictures = tuple(read_pictures(work.export))
        categories = {picture.name: {name for name, _ in picture.loose} for picture in pictures}
    if instances is not None:
        categories = read_instances(instances)
        if missing := [name for name in captions if name not in categories]:
            raise InputError(
                f"{instances.name} does not list the image {missing[0]!r} of the captions ({len(missing):,} of "
                f"{len(captions):,} are missing): give the instances of the same images, or leave --instances out."
            )
    return CaptionSource(captions, categories, pictures)


FREQUENCY, UNIFORM = "frequency", "uniform"
SAMPLING = (FREQUENCY, UNIFORM)


class FoilSupply:
    """The foils that are left to draw, by word and number; without limits if sampling is uniform [beyond the paper].

    A word that is often a foil and seldom a target tells a model that sees no image which captions are wrong. By
    frequency, each word is drawn in proportion to how often it still has to be drawn, so that it becomes a foil at most
    as often as it is a target; a caption whose foils are all used up is left out.
    """

    def __init__(self, sampling: str) -> None:
        self.is_limited = sampling == FREQUENCY
        self._left: defaultdict[tuple[str, bool], float] = defaultdict(float)

    def add(self, targets: Sequence[tuple[LexiconWord, bool]]) -> None:
        """Add the possible targets of a caption, each with whether it is a plural: together they are one target."""
        for word, plural in targets:
            self._left[word.word, plural] += 1 / len(targets)

    def weights(self, foils: Sequence[LexiconWord], *, plural: bool) -> np.ndarray:
        """Return how often each foil is left; 1 for each if sampling is uniform."""
        if not self.is_limited:
            return np.ones(len(foils))
        return np.array([max(0.0, self._left[foil.word, plural]) for foil in foils])

    def take(self, foil: LexiconWord, *, plural: bool) -> None:
        """Count one that was drawn."""
        self._left[foil.word, plural] -= 1


def drawn(weights: np.ndarray, rng: np.random.Generator) -> int:
    """Return a place in proportion to its weight. Raises ValueError if no weight is above 0."""
    return int(rng.choice(len(weights), p=weights / weights.sum()))


@dataclass(frozen=True)
class CaptionTargets:
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
    chosen: float


@dataclass
class MadeItems:
    """The items, and how many captions came how far."""

    items: list[FoilItem] = field(default_factory=list)
    reached: Counter[str] = field(default_factory=Counter)
    losses: list[Losses] = field(default_factory=list)


def marked_captions(work: StepWork, source: CaptionSource, lexicon: Lexicon) -> list[CaptionTargets]:
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
            found.append(CaptionTargets(image, number, pieces, targets))
    return found


@dataclass(frozen=True)
class Chance:
    """A salient target of a caption with its foils, of which there is at least one."""

    target: Target
    foils: list[LexiconWord]


@dataclass(frozen=True)
class Maker:
    """Makes items. `pairs`, `images`: the part of each. `loss`: mines the hardest foil; None: foils are drawn."""

    source: CaptionSource
    lexicon: Lexicon
    pairs: Mapping[Pair, str]
    images: Mapping[str, str]
    sampling: str
    loss: CaptionLoss | None = None

    def make(self, marked: Sequence[CaptionTargets], rng: np.random.Generator) -> MadeItems:
        """Return at most one item for each caption, in the order of the captions."""
        made = MadeItems()
        chances = self._chances(marked, made)
        stocks = {part: FoilSupply(self.sampling) for part in set(self.images.values())}
        for caption, options in chances:
            stocks[self.images[caption.image]].add([(option.target.word, option.target.plural) for option in options])
        found: dict[int, FoilItem] = {}
        # In any fixed order, the captions at the end would find the stock empty.
        for place in rng.permutation(len(chances)).tolist():
            caption, options = chances[place]
            stock = stocks[self.images[caption.image]]
            chosen = (
                self._drawn(options, stock, rng) if self.loss is None else self._hardest(made, caption, options, stock)
            )
            if chosen is not None:
                target, foil = chosen
                stock.take(foil, plural=target.plural)
                found[place] = FoilItem(
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
        made.items = [found[place] for place in sorted(found)]
        return made

    def _chances(self, marked: Sequence[CaptionTargets], made: MadeItems) -> list[tuple[CaptionTargets, list[Chance]]]:
        parts = set(self.pairs.values())
        foils = {
            part: Foils(self.lexicon, [pair for pair, part_of_pair in self.pairs.items() if part_of_pair == part])
            for part in parts
        }
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

    def _drawn(
        self, own: Sequence[Chance], supply: FoilSupply, rng: np.random.Generator
    ) -> tuple[Target, LexiconWord] | None:
        chance = own[int(rng.integers(len(own)))]
        weights = supply.weights(chance.foils, plural=chance.target.plural)
        return (chance.target, chance.foils[drawn(weights, rng)]) if weights.sum() else None

    def _hardest(
        self, made: MadeItems, caption: CaptionTargets, own: Sequence[Chance], supply: FoilSupply
    ) -> tuple[Target, LexiconWord] | None:
        assert self.loss is not None
        every = [
            (chance.target, word)
            for chance in own
            for word, weight in zip(
                chance.foils, supply.weights(chance.foils, plural=chance.target.plural), strict=True
            )
            if weight
        ]
        if not every:
            return None
        texts = [_bare_words(caption.pieces), *(_bare_words(_foil(caption, *replacement)) for replacement in every)]
        original, *losses = self.loss.losses(caption.image, texts)
        best = lowest_loss(losses)
        made.losses.append(Losses(original, losses, losses[best]))
        return every[best]


def _foil(caption: CaptionTargets, target: Target, foil: LexiconWord) -> list[str]:
    form = foil.form(plural=target.plural)
    assert form is not None  # Foils.of gives words that have the form
    return replaced(caption.pieces, target.place, form)


def _bare_words(pieces: Sequence[str]) -> list[str]:
    return [word for piece in pieces if (word := bare(piece))]


def _by_image(marked: Sequence[CaptionTargets]) -> Iterator[tuple[str, list[CaptionTargets]]]:
    found: dict[str, list[CaptionTargets]] = {}
    for caption in marked:
        found.setdefault(caption.image, []).append(caption)
    yield from found.items()
