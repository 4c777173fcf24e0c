"""Scenes [paper Wang 3, 4.2, 4.3, Fig. 2]: images with labelled boxes, and the boxes that descriptions refer to."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NotRequired

import numpy as np
from annotated_types import Ge, Len
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.language import lemma
from evaluation.reading.json_lines import json_lines, listed, member, number, whole
from evaluation.reading.picture import Box, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.work import StepWork


@dataclass(frozen=True, slots=True)
class Labelled:
    """A box with its concept, such as "dog"."""

    id: str
    box: Box
    concept: str


@dataclass(frozen=True)
class DescribedScene:
    """An image. Boxes are in the order in which ties are decided."""

    image: str
    width: int
    height: int
    boxes: tuple[Labelled, ...]
    references: tuple[tuple[str, ...], ...]
    """The ids of the boxes that each description refers to, in the order of its words, repeats included."""

    @cached_property
    def gold(self) -> list[frozenset[str]]:
        """The boxes of each description; those that refer to none are dropped."""
        return [frozenset(reference) for reference in self.references if reference]

    @cached_property
    def concepts(self) -> tuple[str, ...]:
        """The concepts of the boxes, in their order."""
        return tuple(box.concept for box in self.boxes)

    @cached_property
    def edges(self) -> np.ndarray:
        """The boxes as an array of shape (n, 4)."""
        return np.array([box.box for box in self.boxes], dtype=float).reshape(-1, 4)

    @cached_property
    def members(self) -> np.ndarray:
        """Truth values of shape (descriptions, boxes): whether the description refers to the box."""
        return np.array([[box.id in described for box in self.boxes] for described in self.gold], dtype=bool)


def described_scenes(scenes: Sequence[DescribedScene]) -> list[DescribedScene]:
    """Return the scenes with a description that refers to a box."""
    return [scene for scene in scenes if scene.gold]


def natural(name: str) -> tuple[int, int, str]:
    """Return the sort key of an id: numbers by their value, before other names."""
    return (0, int(name), name) if name.isascii() and name.isdigit() else (1, 0, name)


_TERM = re.compile(r"\[(?P<words>[^][]*)\](?P<id>[A-Za-z0-9_.:-]*[A-Za-z0-9_])?")
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_.:-]")
FUNCTION_WORDS = (
    "above", "across from", "against", "along", "among", "and", "around", "at", "behind", "below", "beside", "by", "in",
    "inside", "near", "next to", "on", "over", "under", "underneath", "with",
)  # fmt: skip
"""Prepositions and conjunctions; a file can replace them."""
_SYNSET = re.compile(r"(?P<lemma>.+)\.[nvars]\.[0-9]+")


class SentenceLine(TypedDict):
    """The boxes of an image that a system chose, or its sentence about them."""

    image: str | int
    """Its name in the data."""
    sentence: NotRequired[str]
    """Words that name a box are [word] with the id of the box behind."""
    boxes: NotRequired[Sequence[str | int]]
    """Ids, in place of a sentence."""


def read_correspondence(sentence: str, where: str) -> list[str]:
    """Return the ids in the order of the words, repeats included. Raises InputError, which begins with the place."""
    ids = []
    rest = sentence
    for found in _TERM.finditer(sentence):
        if not found["id"] or not found["words"].strip():
            raise InputError(f"{where}: {found[0]!r} is no [word] followed by the id of its box.")
        ids.append(found["id"])
        rest = rest.replace(found[0], "", 1)
    if "[" in rest or "]" in rest:
        raise InputError(f"{where}: a bracket is not closed, or was not opened.")
    return ids


def term(word: str, box: str) -> str:
    """Return a word with the id of its box, as sentences hold it. Characters that ids may not have become _."""
    return f"[{word}]{_NOT_ALLOWED.sub('_', box)}"


def read_function_words(path: Path) -> tuple[str, ...]:
    """Return the words or phrases of a file, one a line. Raises InputError for a file without any."""
    words = tuple(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    if not words:
        raise InputError(f"{path.name} holds no function words: write one a line.")
    return words


def word_of(concept: str) -> str:
    """Return the word for a concept: the first lemma of a WordNet synset ("dog.n.01": dog), or the concept itself."""
    synset = _SYNSET.fullmatch(concept)
    return (synset["lemma"] if synset else concept).replace("_", " ")


def sentence_of(boxes: Sequence[Labelled], rng: np.random.Generator, words: Sequence[str] = FUNCTION_WORDS) -> str:
    """Return a sentence that names the boxes in this order, each as [word]id; an empty one for no boxes.

    "the" stands before every second word or so, by the same random numbers.
    """
    pieces: list[str] = []
    for place, box in enumerate(boxes):
        word = word_of(box.concept)
        if place:
            pieces.append(str(words[int(rng.integers(len(words)))]))
            if rng.random() < 0.5:
                pieces.append("the")
        pieces.append(term(word if place else word[:1].upper() + word[1:], box.id))
    return " ".join([*pieces, "."]) if pieces else ""


def head(words: Sequence[str]) -> str:
    """Return the last word with a letter or a digit, in lower case; the last word if none has one."""
    return next((word for word in reversed(words) if any(map(str.isalnum, word))), words[-1]).lower()


def concept(mentions: Iterable[Sequence[str]]) -> str:
    """Return the concept of a chain's mentions, each a sequence of words; ties: the one that was mentioned first.

    It is the lemma of a noun: that of "men" is "man". Raises MissingExtra without lemminflect.
    """
    return Counter(lemma(head(words), "NN") for words in mentions).most_common(1)[0][0]


def scene_of(picture: Picture) -> DescribedScene:
    """Return the scene. Boxes of a chain are one box; a chain that nobody mentions is left out.

    Loose boxes, which are of no chain, stand behind the others under ids like "box 1".
    """
    mentions: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    references = []
    for caption in picture.captions:
        own = [phrase for phrase in caption.phrases if phrase.chain in picture.gold]
        references.append(tuple(phrase.chain for phrase in own))
        for phrase in own:
            mentions[phrase.chain].append(phrase.words)
    boxes = [
        Labelled(chain, picture.gold[chain], concept(words))
        for chain, words in sorted(mentions.items(), key=lambda one: natural(one[0]))
    ]
    loose = [Labelled(f"box {i}", box, kind) for i, (kind, box) in enumerate(picture.loose, start=1)]
    return DescribedScene(picture.name, picture.width, picture.height, (*boxes, *loose), tuple(references))


class SceneBox(TypedDict):
    """A box of an image."""

    id: str | int
    """Its name in descriptions."""
    box: Annotated[Sequence[float], Len(4, 4)]
    """[left, top, right, bottom] in pixels."""
    concept: str
    """The word for the thing."""


class SceneLine(TypedDict):
    """An image with labelled boxes and its descriptions."""

    image: str | int
    """Its name."""
    width: Annotated[int, Ge(0)]
    """In pixels."""
    height: Annotated[int, Ge(0)]
    """In pixels."""
    boxes: Sequence[SceneBox]
    descriptions: Sequence[str | Sequence[str | int]]
    """Each a sentence in which words that name a box are [word] with its id behind, or a list of ids."""


def read_scenes_file(path: Path) -> list[DescribedScene]:
    """Return the scenes, by the names of their images. Raises InputError, which names the line."""
    found: dict[str, DescribedScene] = {}
    for where, value in json_lines(path):
        scene = _scene(value, where)
        if scene.image in found:
            raise InputError(f"{where}: the image {scene.image!r} stands twice.")
        found[scene.image] = scene
    if not found:
        raise InputError(f"{path.name} holds no image.")
    return [found[name] for name in sorted(found)]


def _scene(value: Any, where: str) -> DescribedScene:
    image = str(member(value, "image", where))
    width, height = (whole(member(value, name, where), f"{where}: the field {name!r}") for name in ("width", "height"))
    boxes: dict[str, Labelled] = {}
    for place, entry in enumerate(listed(value, "boxes", where), start=1):
        own = f"{where}, box {place}"
        name = str(member(entry, "id", own))
        if name in boxes:
            raise InputError(f"{own}: the id {name!r} stands twice.")
        edges = [number(edge, f"{own}: an edge") for edge in listed(entry, "box", own)]
        if len(edges) != 4 or edges[0] >= edges[2] or edges[1] >= edges[3]:
            raise InputError(f"{own}: the box {edges} is no x0, y0, x1, y1 with an area.")
        box = (edges[0], edges[1], edges[2], edges[3])
        boxes[name] = Labelled(name, box, str(member(entry, "concept", own)).lower())
    references = []
    for place, description in enumerate(listed(value, "descriptions", where), start=1):
        own = f"{where}, description {place}"
        names = (
            read_correspondence(description, own)
            if isinstance(description, str)
            else [str(name) for name in _ids(description, own)]
        )
        if unknown := [name for name in names if name not in boxes]:
            raise InputError(f"{own}: there is no box {unknown[0]!r}.")
        references.append(tuple(names))
    ordered = tuple(boxes[name] for name in sorted(boxes, key=natural))
    return DescribedScene(image, width, height, ordered, tuple(references))


def _ids(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{where} is neither a list of ids nor a sentence like “A [woman]2 by a [car]3”.")
    return value


def read_scenes(path: Path, work: StepWork) -> list[DescribedScene]:
    """Return the scenes by the names of their images. Raises InputError if no description refers to a box."""
    if path.suffix == ".jsonl":
        scenes = read_scenes_file(path)
    else:
        pictures = read_pictures(path, work.progress)
        scenes = [scene_of(picture) for picture in work.progress(pictures, "finding concepts")]
    if not any(scene.gold for scene in scenes):
        raise InputError(f"{path}: no description refers to a box. Boxes must be linked to phrases first.")
    return scenes
