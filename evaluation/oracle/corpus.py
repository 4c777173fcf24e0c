"""The captions of an oracle [paper Yao 3.2, 5, 5.1, 5.2, 5.3]: words, and known atoms, some of them wrong."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np

from evaluation.errors import InputError
from evaluation.language import CATEGORIES, Atom, Tagged, atoms_of, tagged
from evaluation.reading.caption_file import read_captions
from evaluation.work import StepWork

PARTS = ("train", "validation", "test")


def captions_of(work: StepWork) -> dict[str, list[str]]:
    """Return the captions of each image from --captions, or else from --data. Raises InputError without either."""
    file = work.file("captions")
    if file is None and work.data is None:
        raise InputError("--captions is missing: a token file, COCO's captions JSON or an export; or give --data.")
    return read_captions(file or work.export)


@dataclass(frozen=True, slots=True)
class Corpus:
    """Captions by image. No image is in two parts."""

    parts: Mapping[str, tuple[str, ...]]
    """The images of each part."""
    texts: Mapping[str, Sequence[str]]
    """The captions as they were written."""
    words: Mapping[str, Sequence[Sequence[str]]]
    """The words of each caption, in lower case, without punctuation."""
    atoms: Mapping[str, Sequence[Sequence[Atom]]]
    """The atoms of each caption, in the order of its words."""


def split_images(
    images: Sequence[str], sizes: Mapping[str, int], rng: np.random.Generator
) -> dict[str, tuple[str, ...]]:
    """Draw the parts. Raises InputError if there are fewer images than asked for."""
    if (asked := sum(sizes.values())) > len(images):
        told = ", ".join(f"{count:,} for {part}" for part, count in sizes.items())
        raise InputError(f"The captions are those of {len(images):,} images, {asked:,} are asked for: {told}.")
    order = [sorted(images)[place] for place in rng.permutation(len(images))]
    ends = np.cumsum(list(sizes.values())).tolist()
    return {part: tuple(sorted(order[start:end])) for part, start, end in zip(sizes, (0, *ends), ends, strict=False)}


def make_corpus(work: StepWork, captions: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> Corpus:
    """Split the images and tag their captions.

    Raises InputError for too few images, and for an image without captions.
    """
    check_captions(captions)
    parts = split_images(list(captions), sizes, work.rng("split"))
    texts = {image: list(captions[image]) for part in parts.values() for image in part}
    found = tagged_captions(work, texts)
    words = {image: [words_of(caption) for caption in captions] for image, captions in found.items()}
    return Corpus(parts, texts, words, _atoms(found))


def atoms_by_caption(work: StepWork, captions: Mapping[str, Sequence[str]]) -> dict[str, list[list[Atom]]]:
    """Return the atoms of each caption of each image. Raises InputError for an image without captions."""
    return _atoms(tagged_captions(work, captions))


def tagged_captions(work: StepWork, captions: Mapping[str, Sequence[str]]) -> dict[str, list[Tagged]]:
    """Return the captions of each image tagged; they are kept. Raises InputError for an image without captions."""
    check_captions(captions)
    key = {"captions": work.inputs, "images": list(captions)}
    found = work.partial_results.arrays("tagged", key, lambda: {"json": np.array(json.dumps(_tag(work, captions)))})
    read: dict[str, list[Tagged]] = json.loads(str(found["json"]))
    return read


def check_captions(captions: Mapping[str, Sequence[str]]) -> None:
    """Raise InputError for an image without captions."""
    if empty := [image for image, texts in captions.items() if not texts]:
        raise InputError(f"The image {empty[0]} has no captions ({len(empty):,} have none): remove it from the file.")


def words_of(caption: Tagged) -> list[str]:
    """Return the words that are written and scored: in lower case, without punctuation."""
    return [word.lower() for word, _ in caption if any(letter.isalnum() for letter in word)]


def _atoms(captions: Mapping[str, Sequence[Tagged]]) -> dict[str, list[list[Atom]]]:
    return {
        image: [atoms_of([(word, tag) for word, tag in words]) for words in caption]
        for image, caption in captions.items()
    }


def _tag(work: StepWork, texts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    count = sum(map(len, texts.values()))
    stream = tagged(work.progress((text for captions in texts.values() for text in captions), "tagging", count))
    return {image: [next(stream) for _ in text] for image, text in texts.items()}


Lists = Mapping[str, Sequence[tuple[str, int]]]
"""By category: the lemmas with their counts."""
SHORT = {"ENT": ("entity",), "ACT": ("action",), "ATT": ("attribute",), "ALL": CATEGORIES}
"""The categories of the paper's short names."""
NONE = "NA"
Bag = tuple[int, ...]
"""Numbers of atoms, each once, ascending."""


def atom_lists(atoms: Iterable[Atom]) -> Lists:
    """Return the lists. Equally common atoms stand in alphabetical order."""
    counts = Counter(atoms)
    lists: dict[str, list[tuple[str, int]]] = {category: [] for category in CATEGORIES}
    for (category, lemma), count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
        lists[category].append((lemma, count))
    return lists


def numbered(lists: Lists, categories: Iterable[str], k: int) -> dict[Atom, int]:
    """Return the commonest k atoms of each category, numbered from 0."""
    chosen = [(category, lemma) for category in categories for lemma, _ in lists[category][:k]]
    return {atom: number for number, atom in enumerate(chosen)}


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """The commonest `k` atoms of each category of the group, of which a share `accuracy` is right."""

    group: str
    """ENT, ACT, ATT, ALL; NA for no atoms."""
    k: int = 0
    accuracy: float = 1.0

    @property
    def name(self) -> str:
        """Return the name as in figures, such as "NA", "ALL:200", "ALL:200@0.7"."""
        if self.group == NONE:
            return NONE
        return f"{self.group}:{self.k}" + ("" if self.accuracy == 1 else f"@{self.accuracy:g}")

    @property
    def categories(self) -> tuple[str, ...]:
        """Return the categories of its atoms."""
        return SHORT.get(self.group, ())


def read_points(text: str) -> list[Point]:
    """Return the points of a list such as "NA,ALL:50,ENT:200". Raises InputError for an unknown or a doubled one."""
    points: list[Point] = []
    for name in text.split(","):
        group, colon, k = name.strip().partition(":")
        if name.strip() == NONE:
            point = Point(NONE)
        elif colon and group in SHORT and k.isascii() and k.isdigit() and int(k) > 0:
            point = Point(group, int(k))
        else:
            raise InputError(
                f"{name.strip()!r} is not a point: give NA, or one of {', '.join(SHORT)} with k, as in ALL:50."
            )
        if point in points:
            raise InputError(f"The point {point.name} stands twice.")
        points.append(point)
    return points


def read_accuracies(text: str) -> list[float]:
    """Return the shares of a list such as "1,0.7". Raises InputError for anything outside 0 to 1, or doubled."""
    found: list[float] = []
    for word in text.split(","):
        try:
            share = float(word)
        except ValueError:
            share = -1
        if not 0 <= share <= 1:
            raise InputError(f"{word.strip()!r} is not an accuracy: give shares from 0 to 1, as in 1,0.7.")
        if share in found:
            raise InputError(f"The accuracy {share:g} stands twice.")
        found.append(share)
    return found


def bag(atoms: Iterable[Atom], numbers: Mapping[Atom, int]) -> Bag:
    """Return the numbers of those atoms that have one."""
    return tuple(sorted({numbers[atom] for atom in atoms if atom in numbers}))


def noise(own: Bag, accuracy: float, count: int, rng: np.random.Generator) -> Bag:
    """Return the bag with round((1 - accuracy) x its size) members replaced by atoms that it does not hold.

    `count`: the number of all atoms. Halves are rounded up. If fewer atoms are outside the bag than are to be
    replaced, only so many are.
    """
    others = np.setdiff1d(np.arange(count), own)
    wrong = min(floor((1 - accuracy) * len(own) + 0.5 + 1e-9), len(others))
    if not wrong:
        return own
    kept: Sequence[int] = rng.choice(own, len(own) - wrong, replace=False).tolist()
    return tuple(sorted([*kept, *rng.choice(others, wrong, replace=False).tolist()]))


MIN_OCCURRENCES_OF_WORD = 4
"""Times that a known word occurs at least in the training captions."""
PAD, START, END, UNKNOWN = range(4)


class Vocabulary:
    """Words by number. 0 to 3 are padding, start, end and the unknown word."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(self.words, UNKNOWN + 1)}

    def __len__(self) -> int:
        return UNKNOWN + 1 + len(self.words)

    def numbers(self, words: Iterable[str]) -> list[int]:
        """Return the words' numbers, between start and end."""
        return [START, *(self._numbers.get(word, UNKNOWN) for word in words), END]

    def text(self, numbers: Iterable[int]) -> str:
        """Return the words of these numbers, without start, end and padding."""
        return " ".join(self.words[number - UNKNOWN - 1] for number in numbers if number > UNKNOWN)


def vocabulary_of(captions: Iterable[Iterable[str]]) -> Vocabulary:
    """Return the words that occur at least so often, in alphabetical order."""
    counts = Counter(word for caption in captions for word in caption)
    return Vocabulary(sorted(word for word, count in counts.items() if count >= MIN_OCCURRENCES_OF_WORD))
