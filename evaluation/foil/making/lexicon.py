"""Lexicon [paper Shekhar, Dataset, Composition]: the words that may be exchanged, with their forms and pairs."""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np

from evaluation.errors import InputError

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
class Word:
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

    words: tuple[Word, ...]
    phrases: tuple[tuple[str, ...], ...] = ()
    """Phrases whose words are not targets: "hot dog" is no dog."""
    alike: tuple[frozenset[str], ...] = field(default=())
    """Words that can name the same thing: none is a foil of another."""

    @cached_property
    def by_form(self) -> dict[str, Word]:
        """The word of each form."""
        return {form: word for word in self.words for form in word.forms}

    @cached_property
    def by_word(self) -> dict[str, Word]:
        """The words by their names."""
        return {word.word: word for word in self.words}

    def text(self) -> str:
        """Return the lexicon as a file that `read_lexicon` reads."""
        lines: dict[str, list[str]] = {}
        for word in self.words:
            lines.setdefault(word.super_category, []).append(_entry(word))
        rows = [f"{name}: {' '.join(entries)}" for name, entries in lines.items()]
        rows += [f"{ALIKE}: {' '.join(sorted(one))}" for one in self.alike]
        if self.phrases:
            rows.append(f"{NOT}: {', '.join(' '.join(phrase) for phrase in self.phrases)}")
        return "".join(f"{row}\n" for row in rows)


def read_lexicon(path: Path) -> Lexicon:
    """Return the lexicon of a file. Raises InputError, which names the line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, IsADirectoryError) as error:
        raise InputError(f"{path} is not a file of text in UTF-8: give a lexicon.") from error
    words: list[Word] = []
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


def _word(entry: str, super_category: str, where: str) -> Word:
    found = _ENTRY.fullmatch(entry)
    if found is None or not (found["singular"] or found["plural"]):
        raise InputError(f"{where}: {entry!r} is none of word, word/plural, word/, /plural, each with +other words.")
    singular, plural = found["singular"] or None, found["plural"] or None
    if singular and not found["slash"]:
        plural = regular_plural(singular)
    also = frozenset(found["also"].split("+")[1:])
    return Word(singular or plural or "", super_category, singular, plural, also)


def _check(words: Sequence[Word], file: str) -> None:
    if not words:
        raise InputError(f"{file} holds no words: write a super-category, a colon and words on each line.")
    seen: dict[str, Word] = {}
    for word in words:
        for form in sorted(word.forms):
            if form in seen:
                raise InputError(
                    f"{file}: {form!r} stands twice: under {seen[form].super_category} and {word.super_category}."
                )
            seen[form] = word


def _entry(word: Word) -> str:
    also = "".join(f"+{one}" for one in sorted(word.also))
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


def split_images(images: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """Return the part of each image, at random in the proportion of the paper's images. No image is in both parts."""
    return _split(images, TRAIN_IMAGES, TEST_IMAGES, rng)


def _split(things: Sequence[Thing], train: int, test: int, rng: np.random.Generator) -> dict[Thing, str]:
    count = round(len(things) * train / (train + test))
    chosen = {int(one) for one in rng.permutation(len(things))[:count]}
    return {thing: TRAIN if place in chosen else TEST for place, thing in enumerate(things)}
