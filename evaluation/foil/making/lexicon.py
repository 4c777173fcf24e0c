"""Lexicon [paper Shekhar, Dataset, Composition]: the words of captions that may be exchanged, given or of an export."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np

from evaluation.errors import InputError, need
from evaluation.language import lemma, tagged
from evaluation.reading.picture import Picture

_BARE = re.compile(r"[^\W_](?:.*[^\W_])?")
_LETTERS = re.compile(r"[^\W\d_]+")


def pieces_of(caption: str) -> list[str]:
    """Return the pieces between spaces, punctuation included."""
    return caption.split()


def bare(piece: str) -> str:
    """Return the piece in lower case without punctuation at its ends; empty for punctuation alone."""
    found = _BARE.search(piece.lower())
    return found.group() if found else ""


def mentioned(caption: str) -> list[str]:
    """Return all runs of letters in lower case: "the dog's cat-flap" has the, dog, s, cat and flap."""
    return _LETTERS.findall(caption.lower())


def tags_of(captions: Iterable[str]) -> Iterator[list[str]]:
    """Yield the Penn Treebank tag of each piece of each caption, by its bare word; that of a sign if it has none.

    Raises MissingExtra without spaCy or its model.
    """
    split: list[list[list[str]]] = []

    def fed() -> Iterator[list[str]]:
        for caption in captions:
            split.append([_parts(piece) for piece in pieces_of(caption)])
            yield [part for parts in split[-1] for part in parts]

    for words in tagged(fed()):
        tags = iter([tag for _, tag in words])
        own = []
        for parts in split.pop(0):
            found = [next(tags) for _ in parts]
            own.append(next((tag for part, tag in zip(parts, found, strict=True) if bare(part)), found[0]))
        yield own


def _parts(piece: str) -> list[str]:
    """Return the signs before, the word, and the signs behind, as the tagger knows them."""
    found = _BARE.search(piece)
    if found is None:
        return [piece]
    parts = (piece[: found.start()], found.group(), piece[found.end() :])
    return [part for part in parts if part]


COCO_WORDS = Path(__file__).with_name("coco_words.txt")
NOT, ALIKE = "not", "alike"
"""Lines that are no super-category: phrases whose words are not targets; words that are not foils of each other."""
_ENTRY = re.compile(r"(?P<singular>[^\W_]*)(?P<slash>/)?(?P<plural>[^\W_]*)(?P<also>(?:\+[^\W_]+)*)")
Thing = TypeVar("Thing", bound=Hashable)
Pair = tuple[str, str]
"""Target and foil, as words of the lexicon."""
TRAIN, TEST = "train", "test"
TRAIN_PAIRS, TEST_PAIRS = 256, 216
"""The numbers of pairs in the paper's parts; other lexicons are split in this proportion."""
TRAIN_IMAGES, TEST_IMAGES = 65_697, 32_150


@dataclass(frozen=True)
class LexiconWord:
    """A word. `singular`, `plural`: its forms in lower case, None if it has no such form."""

    word: str
    super_category: str
    singular: str | None
    plural: str | None
    also: frozenset[str] = frozenset()
    """Other words for the same thing. Where a caption has one of them, the word is not a foil."""

    def form(self, *, plural: bool) -> str | None:
        """Return the form of this number."""
        return self.plural if plural else self.singular

    @cached_property
    def forms(self) -> frozenset[str]:
        """The one or two forms."""
        return frozenset(form for form in (self.singular, self.plural) if form)

    @cached_property
    def signs(self) -> frozenset[str]:
        """The forms and the other words for the thing."""
        return self.forms | self.also


@dataclass(frozen=True)
class Lexicon:
    """Words in the order of their file."""

    words: tuple[LexiconWord, ...]
    phrases: tuple[tuple[str, ...], ...] = ()
    """Phrases whose words are not targets: "hot dog" is no dog."""
    alike: tuple[frozenset[str], ...] = field(default=())
    """Words that can name the same thing: none is a foil of another."""

    @cached_property
    def by_form(self) -> dict[str, LexiconWord]:
        """The word of each form."""
        return {form: word for word in self.words for form in word.forms}

    @cached_property
    def by_word(self) -> dict[str, LexiconWord]:
        """The words by their names."""
        return {word.word: word for word in self.words}

    def text(self) -> str:
        """Return the lexicon as a file that `read_lexicon` reads."""
        lines: dict[str, list[str]] = {}
        for word in self.words:
            lines.setdefault(word.super_category, []).append(_entry(word))
        rows = [f"{name}: {' '.join(entries)}" for name, entries in lines.items()]
        rows += [f"{ALIKE}: {' '.join(sorted(group))}" for group in self.alike]
        if self.phrases:
            rows.append(f"{NOT}: {', '.join(' '.join(phrase) for phrase in self.phrases)}")
        return "".join(f"{row}\n" for row in rows)


def read_lexicon(path: Path) -> Lexicon:
    """Return the lexicon of a file. Raises InputError, which names the line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, IsADirectoryError) as error:
        raise InputError(f"{path} is not a file of text in UTF-8: give a lexicon.") from error
    words: list[LexiconWord] = []
    phrases: list[tuple[str, ...]] = []
    alike: list[tuple[str, frozenset[str]]] = []
    for where, name, entries in named_lines(text, path.name):
        if name == NOT:
            phrases += [tuple(phrase.lower().split()) for phrase in entries.split(",") if phrase.strip()]
        elif name == ALIKE:
            alike.append((where, frozenset(entries.lower().split())))
        else:
            words += [_word(entry, name, where) for entry in entries.lower().split()]
    _check(words, path.name)
    known = {word.word for word in words}
    for where, group in alike:
        if unknown := sorted(group - known):
            raise InputError(f"{where}: {unknown[0]!r} is not a word of the lexicon: write it into a super-category.")
    return Lexicon(tuple(words), tuple(phrases), tuple(group for _, group in alike))


def regular_plural(singular: str) -> str:
    """Return the plural by the spelling alone: "bus" is "buses", "pony" is "ponies"."""
    if re.search(r"(s|x|z|ch|sh)$", singular):
        return f"{singular}es"
    return f"{singular[:-1]}ies" if re.search(r"[^aeiou]y$", singular) else f"{singular}s"


def named_lines(text: str, file: str) -> Iterator[tuple[str, str, str]]:
    """Yield place, name and contents of each line NAME: CONTENTS. Raises InputError for a line of another form."""
    for number, line in enumerate(text.splitlines(), start=1):
        row = line.partition("#")[0].strip()
        if row:
            name, colon, entries = row.partition(":")
            where = f"{file}, line {number}"
            if not colon or not name.strip() or not entries.strip():
                raise InputError(f"{where}: a super-category, a colon and words are expected.")
            yield where, name.strip(), entries


def _word(entry: str, super_category: str, where: str) -> LexiconWord:
    found = _ENTRY.fullmatch(entry)
    if found is None or not (found["singular"] or found["plural"]):
        raise InputError(f"{where}: {entry!r} is none of word, word/plural, word/, /plural, each with +other words.")
    singular, plural = found["singular"] or None, found["plural"] or None
    if singular and not found["slash"]:
        plural = regular_plural(singular)
    also = frozenset(found["also"].split("+")[1:])
    return LexiconWord(singular or plural or "", super_category, singular, plural, also)


def _check(words: Sequence[LexiconWord], file: str) -> None:
    if not words:
        raise InputError(f"{file} holds no words: write a super-category, a colon and words on each line.")
    seen: dict[str, LexiconWord] = {}
    for word in words:
        for form in sorted(word.forms):
            if form in seen:
                raise InputError(
                    f"{file}: {form!r} stands twice: under {seen[form].super_category} and {word.super_category}."
                )
            seen[form] = word


def _entry(word: LexiconWord) -> str:
    also = "".join(f"+{category}" for category in sorted(word.also))
    if word.singular is None:
        return f"/{word.plural}{also}"
    own = "" if word.plural == regular_plural(word.singular) else f"/{word.plural or ''}"
    return f"{word.singular}{own}{also}"


def pairs_of(lexicon: Lexicon) -> list[Pair]:
    """Return the pairs in the order of the lexicon. Words that can name the same thing are not a pair."""
    return [
        (target.word, foil.word)
        for target in lexicon.words
        for foil in lexicon.words
        if target.word != foil.word
        and target.super_category == foil.super_category
        and not any({target.word, foil.word} <= group for group in lexicon.alike)
    ]


def split_pairs(pairs: Sequence[Pair], rng: np.random.Generator) -> dict[Pair, str]:
    """Return the part of each pair, 256 : 216 at random. A pair and its reverse are in the same part."""
    both = list(dict.fromkeys((min(pair), max(pair)) for pair in pairs))
    parts = _split(both, TRAIN_PAIRS, TEST_PAIRS, rng)
    return {pair: parts[min(pair), max(pair)] for pair in pairs}


def assign_parts(images: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """Return the part of each image, at random in the proportion of the paper's images. No image is in both parts."""
    return _split(images, TRAIN_IMAGES, TEST_IMAGES, rng)


def _split(things: Sequence[Thing], train: int, test: int, rng: np.random.Generator) -> dict[Thing, str]:
    count = round(len(things) * train / (train + test))
    chosen = {int(number) for number in rng.permutation(len(things))[:count]}
    return {thing: TRAIN if place in chosen else TEST for place, thing in enumerate(things)}


MIN_MENTIONS_OF_NOUN = 20
"""Mentions that a noun needs."""
EXPORT_WORDS = Path(__file__).with_name("export_words.txt")
GENERAL = "general"


def lexicon_of_export(pictures: Sequence[Picture]) -> Lexicon:
    """Return the nouns that head MIN_MENTIONS_OF_NOUN phrases, each under the type that most of its phrases have.

    Words so general that they are never wrong ("person") are left out; words that can name the same thing ("shirt",
    "top") are not a pair. Both are lists in export_words.txt. Raises InputError if no type has two words.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    captions = [caption for picture in pictures for caption in picture.captions]
    for caption, tags in zip(captions, tags_of(caption.text for caption in captions), strict=True):
        for phrase in caption.phrases:
            end = phrase.start + len(phrase.words) - 1
            word, tag = bare(caption.words[end]), tags[end]
            if word.isalpha() and tag in ("NN", "NNS"):
                for kind in phrase.types:
                    if kind != "notvisual":
                        counts[lemma(word, tag)][kind] += 1
    general, alike = _lists()
    chosen = {
        noun: kinds.most_common(1)[0][0]
        for noun, kinds in sorted(counts.items())
        if max(kinds.values()) >= MIN_MENTIONS_OF_NOUN and noun not in general
    }
    taken: set[str] = set()
    words = []
    for noun, kind in sorted(chosen.items(), key=lambda one: (one[1], -counts[one[0]].total(), one[0])):
        found: tuple[str, ...] = need("lemminflect", "plurals of nouns").getInflection(noun, "NNS")
        plural = found[0].lower() if found else f"{noun}s"
        if taken.isdisjoint({noun, plural}):
            taken |= {noun, plural}
            words.append(LexiconWord(noun, kind, noun, plural))
    if len(words) < 2:
        least = f"two nouns with {MIN_MENTIONS_OF_NOUN} mentions"
        raise InputError(f"The export has fewer than {least}: give a lexicon as --lexicon.")
    known = {word.word for word in words}
    groups = (group & known for group in alike)
    return Lexicon(tuple(words), (), tuple(group for group in groups if len(group) > 1))


def _lists() -> tuple[set[str], list[frozenset[str]]]:
    rows = [(name, entries.split()) for _, name, entries in named_lines(EXPORT_WORDS.read_text(), EXPORT_WORDS.name)]
    general = {word for name, words in rows if name == GENERAL for word in words}
    return general, [frozenset(words) for name, words in rows if name == ALIKE]
