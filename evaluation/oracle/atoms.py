"""Captions of an oracle [paper Yao 3.2, 5 to 5.3, Table 1]: words, and atoms: counted, called visual, or wrong."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import Any, Literal

import numpy as np
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.language import CATEGORIES, Atom, Tagged, atoms_of, tagged
from evaluation.reading.caption_file import read_captions
from evaluation.reading.source import json_lines, member
from evaluation.report import Cell, Compared, Report
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


ANSWERS = {"yes": True, "no": False}
VISUAL = {"entity": 92.0, "action": 85.0, "attribute": 81.0}
"""The paper's Table 1, in percent."""
LABELS = {"entity": "entities", "action": "actions", "attribute": "attributes"}


class AtomVote(TypedDict):
    """An answer of a worker: whether an atom is visual."""

    item: str
    """The atom behind its category, such as `entity:man`."""
    worker: str | int
    """A name or a number."""
    answer: Literal["yes", "no"]
    """Whether it can be seen in a picture."""


def item_of(atom: Atom) -> str:
    """Return the name of an atom in items and votes, such as "entity:man"."""
    return f"{atom[0]}:{atom[1]}"


def read_votes(path: Path) -> dict[Atom, list[bool]]:
    """Return the votes on each atom. Raises InputError for another answer, a doubled vote, or a file without votes."""
    found: dict[Atom, dict[str, bool]] = defaultdict(dict)
    for where, value in json_lines(path):
        item, worker, answer = (str(member(value, name, where)) for name in ("item", "worker", "answer"))
        category, _, lemma = item.partition(":")
        if category not in CATEGORIES or not lemma:
            raise InputError(f"{where}: {item!r} is not an item: {', '.join(CATEGORIES)} with an atom (entity:man).")
        if answer not in ANSWERS:
            raise InputError(f"{where}: the answer is {answer!r}, not yes or no.")
        if worker in found[category, lemma]:
            raise InputError(f"{where}: {worker} votes on {item} for the second time.")
        found[category, lemma][worker] = ANSWERS[answer]
    if not found:
        raise InputError(f"{path.name} holds no votes.")
    return {atom: list(votes.values()) for atom, votes in found.items()}


def is_visual(votes: Collection[bool]) -> bool:
    """Return whether more than half of the votes are yes."""
    return 2 * sum(votes) > len(votes)


def only_visual(lists: Lists, path: Path) -> Lists:
    """Return the lists with those atoms alone that the votes call visual. Raises InputError."""
    votes: Mapping[Any, list[bool]] = read_votes(path)
    return {
        category: [atom for atom in atoms if (category, atom[0]) in votes and is_visual(votes[category, atom[0]])]
        for category, atoms in lists.items()
    }


def run_visual(work: StepWork) -> Report:
    """Tally the votes on the commonest atoms of a file of captions."""
    top = int(work.options["top"])
    path = work.required("votes")
    votes = read_votes(path)
    atoms = atoms_by_caption(work, captions_of(work))
    lists = atom_lists(atom for captions in atoms.values() for caption in captions for atom in caption)
    if unknown := [atom for atom in votes if atom[1] not in {lemma for lemma, _ in lists[atom[0]]}]:
        raise InputError(
            f"{path.name}: {item_of(unknown[0])} is in none of the captions ({len(unknown):,} items are not): give "
            "the captions whose atoms were asked about."
        )
    report = Report("Oracle captioning: visual atoms", sum(map(len, votes.values())), "votes")
    rows: list[list[Cell]] = []
    for category in CATEGORIES:
        asked = [(category, lemma) for lemma, _ in lists[category][:top]]
        found = [is_visual(votes[atom]) for atom in asked if atom in votes]
        share = 100 * sum(found) / len(found) if found else None
        report.figures[f"voted.{category}"] = sum(atom in votes for atom in asked)
        if share is None:
            report.missing[f"Table 1, {LABELS[category]}"] = "votes on its commonest atoms"
            continue
        report.figures[f"visual.{category}"] = share
        report.compared.append(Compared(f"visual.{category}", VISUAL[category], "COCO's captions and other workers"))
        rows.append([LABELS[category], share, report.figures[f"voted.{category}"], VISUAL[category]])
    columns: Sequence[str] = ("category", "visual, %", "atoms with votes", "paper, COCO, %")
    report.table("table_1", f"Visual ones of the {top} commonest atoms (Table 1)", columns, rows)
    each: list[list[Cell]] = [
        [*atom, sum(answers), len(answers), "yes" if is_visual(answers) else "no"]
        for atom, answers in sorted(votes.items())
    ]
    report.table("atoms", "Votes on each atom", ("category", "atom", "yes", "votes", "visual"), each, on_page=False)
    even = sum(len(vote) % 2 == 0 for vote in votes.values())
    report.notes.append("An atom is visual if more than half of its votes say so. Atoms without votes are not counted.")
    if even:
        report.notes.append(f"{even:,} atoms have an even number of votes; with as many yes as no they are not visual.")
    return report


COCO_ATOMS = {"entity": 14207, "action": 4736, "attribute": 8671}
"""Atoms of COCO's captions in the paper."""
EXAMPLES = 3
"""Captions that show a worker how an atom is used."""


def run_atoms(work: StepWork) -> Report:
    """Count the atoms of a file of captions."""
    captions = captions_of(work)
    atoms = atoms_by_caption(work, captions)
    lists = atom_lists(atom for captions in atoms.values() for caption in captions for atom in caption)
    report = Report("Oracle captioning: atoms", len(captions), "images")
    for category in CATEGORIES:
        report.figures[f"atoms.{category}"] = len(lists[category])
        report.compared.append(Compared(f"atoms.{category}", COCO_ATOMS[category], "COCO's captions"))
    rows: list[list[Cell]] = [[category, lemma, count] for category in CATEGORIES for lemma, count in lists[category]]
    report.table("atoms", "Atoms", ("category", "atom", "count"), rows, on_page=False)
    top = int(work.options["top"])
    best: list[list[Cell]] = [
        [place + 1, *_at(lists, place)] for place in range(min(20, max(map(len, lists.values()))))
    ]
    report.table("commonest", "The commonest atoms", ("place", *CATEGORIES), best)
    report.files = {"questions.jsonl": _questions(lists, captions, atoms, top)}
    report.notes.append(
        f"questions.jsonl holds the {top:,} commonest atoms of each category with captions of {EXAMPLES} images that "
        "use them, as items of a survey of the kind atom_visual; oracle visual reads its votes. Atoms of fewer images "
        "are left out."
    )
    return report


def _at(lists: Lists, place: int) -> list[Cell]:
    return [lists[category][place][0] if place < len(lists[category]) else None for category in CATEGORIES]


def _questions(
    lists: Lists, captions: Mapping[str, Sequence[str]], atoms: Mapping[str, Sequence[Sequence[Atom]]], top: int
) -> str:
    """Return a line an atom, with captions of different images as examples. Atoms with fewer are left out."""
    asked = [(category, lemma) for category in CATEGORIES for lemma, _ in lists[category][:top]]
    examples: dict[Atom, dict[str, str]] = defaultdict(dict)
    for image, by_caption in atoms.items():
        for caption, caption_atoms in zip(captions[image], by_caption, strict=True):
            for atom in caption_atoms:
                if len(examples[atom]) < EXAMPLES:
                    examples[atom].setdefault(image, caption)
    lines = [
        {
            "item": item_of(atom),
            "atom": atom[1],
            "category": atom[0],
            "examples": [{"image": image, "caption": caption} for image, caption in examples[atom].items()],
        }
        for atom in asked
        if len(examples[atom]) == EXAMPLES
    ]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
