"""Scenes [paper Wang 3 to 5.1, Fig. 2]: images with labelled boxes, and descriptions that refer to some of them.

Baselines order the boxes of an image by one cue or two, and are scored against the descriptions.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NotRequired

import numpy as np
from annotated_types import Ge, Len
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.language import lemma
from evaluation.reading.picture import Box, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.reading.source import json_lines, listed, member, number, whole
from evaluation.scoring import area
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


class SelectionScore(NamedTuple):
    """Precision, recall and their harmonic mean, from 0 to 1."""

    p: float
    r: float
    f: float


def selection_score(gold: Sequence[Collection[str]], selected: Collection[str]) -> SelectionScore:
    """Return the score of the selected boxes against the boxes of each description, of which none may be empty.

    The order of the selection has no effect. An empty selection scores 0.
    """
    chosen = frozenset(selected)
    if not chosen:
        return SelectionScore(0.0, 0.0, 0.0)
    p = sum(len(chosen.intersection(description)) / len(chosen) for description in gold) / len(gold)
    r = sum(len(chosen.intersection(description)) / len(set(description)) for description in gold) / len(gold)
    return SelectionScore(p, r, float(harmonic(np.array(p), np.array(r))))


def harmonic(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return the harmonic mean of each pair (equation 3); 0 where both are 0."""
    both = p + r
    mean: np.ndarray = np.divide(2 * p * r, both, out=np.zeros_like(both, dtype=float), where=both > 0)
    return mean


def scores_by_k(members: np.ndarray, order: np.ndarray, ks: Sequence[int]) -> np.ndarray:
    """Return P, R and F of the first k boxes of an order, for each k: shape (len(ks), 3). A short order is used up.

    `members`: truth values (descriptions, boxes); `order`: indices of boxes, perhaps not of all.
    """
    if not len(order):
        return np.zeros((len(ks), 3))
    places = np.minimum(ks, len(order)) - 1
    p = np.cumsum(members.mean(axis=0)[order])[places] / (places + 1)
    r = np.cumsum((members / members.sum(axis=1, keepdims=True)).mean(axis=0)[order])[places]
    return np.stack([p, r, harmonic(p, r)], axis=1)


def upper_bound(gold: Sequence[Collection[str]]) -> SelectionScore | None:
    """Return the mean P, R and F of an image's descriptions; None if fewer than two refer to boxes.

    P, R and F are taken of each description and then averaged: by symmetry P and R are equal.
    """
    if len(gold) < 2:
        return None
    each = [selection_score([*gold[:i], *gold[i + 1 :]], left_out) for i, left_out in enumerate(gold)]
    p, r, f = np.mean(np.array(each), axis=0)
    return SelectionScore(float(p), float(r), float(f))


def position_order(boxes: np.ndarray, width: float, height: float) -> np.ndarray:
    """Return the indices of the boxes, (n, 4), by rising distance from the centre; ties keep their order."""
    return np.argsort(distances_to_centre(boxes, width, height), kind="stable")


def distances_to_centre(boxes: np.ndarray, width: float, height: float) -> np.ndarray:
    """Return the distances in pixels from the centres of the boxes to that of the image."""
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    away: np.ndarray = np.hypot(centres[:, 0] - width / 2, centres[:, 1] - height / 2)
    return away


def size_order(boxes: np.ndarray) -> np.ndarray:
    """Return the indices of the boxes, (n, 4), by falling area; ties keep their order."""
    return np.argsort(-area(boxes), kind="stable")


def unigram_counts(scenes: Sequence[DescribedScene]) -> Counter[str]:
    """Return the number of references to each concept, repeats in a description included."""
    counts: Counter[str] = Counter()
    for scene in scenes:
        concepts = {box.id: box.concept for box in scene.boxes}
        counts.update(concepts[box] for reference in scene.references for box in reference)
    return counts


def unigram_order(concepts: Sequence[str], counts: Mapping[str, int]) -> np.ndarray:
    """Return the indices of the boxes by falling count of their concepts; ties keep their order."""
    return np.argsort([-counts.get(concept, 0) for concept in concepts], kind="stable")


@dataclass
class BigramCounts:
    """The counts of concepts that a description refers to first, and of those that follow each concept."""

    first: Counter[str] = field(default_factory=Counter)
    after: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


def bigram_counts(scenes: Sequence[DescribedScene]) -> BigramCounts:
    """Return the counts over all descriptions: of first references, and of pairs with no other reference between."""
    counts = BigramCounts()
    for scene in scenes:
        concepts = {box.id: box.concept for box in scene.boxes}
        for reference in scene.references:
            named = [concepts[box] for box in reference]
            counts.first.update(named[:1])
            for concept, other in pairwise(named):
                counts.after[concept][other] += 1
    return counts


def bigram_order(concepts: Sequence[str], counts: BigramCounts) -> np.ndarray:
    """Return the indices of the chosen boxes, best first; ties: the earlier box.

    It ends as soon as no box that is left has a count above 0. So it may be short, or empty.
    """
    left = list(range(len(concepts)))
    chosen: list[int] = []
    likely: Mapping[str, int] = counts.first
    while left:
        best = max(left, key=lambda i: (likely.get(concepts[i], 0), -i))
        if not likely.get(concepts[best], 0):
            break
        chosen.append(best)
        left.remove(best)
        likely = counts.after.get(concepts[best], {})
    return np.array(chosen, dtype=int)


def ranks(order: np.ndarray, boxes: int) -> np.ndarray:
    """Return the rank of each box, from 1. Boxes that the order leaves out share the mean of the ranks that are left.

    With N boxes of which S are chosen that is ((N + 1) - S) / 2 + S: 6.5 for 3 of 9.
    """
    chosen = len(order)
    found = np.full(boxes, 0.5 * ((boxes + 1) - chosen) + chosen)
    found[order] = np.arange(1, chosen + 1)
    return found


def combine(text: np.ndarray, visual: np.ndarray, boxes: int) -> np.ndarray:
    """Return the indices of all boxes by the mean of both ranks; ties go by the visual rank."""
    by_sight = ranks(visual, boxes)
    return np.lexsort((by_sight, (ranks(text, boxes) + by_sight) / 2))


def random_scores(members: np.ndarray, ks: Sequence[int], draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return P, R and F of the first k boxes of random orders: shape (draws, len(ks), 3).

    `members`: truth values (descriptions, boxes).
    """
    boxes = members.shape[1]
    orders = np.argsort(rng.random((draws, boxes)), axis=1)
    places = np.minimum(ks, boxes) - 1
    p = np.cumsum(members.mean(axis=0)[orders], axis=1)[:, places] / (places + 1)
    r = np.cumsum((members / members.sum(axis=1, keepdims=True)).mean(axis=0)[orders], axis=1)[:, places]
    return np.stack([p, r, harmonic(p, r)], axis=2)


def expected(members: np.ndarray, ks: Sequence[int]) -> np.ndarray:
    """Return the expected P and R for each k: shape (len(ks), 2).

    With N boxes, P is the mean number of boxes of a description over N, for every k; R is min(k, N) / N.
    """
    boxes = members.shape[1]
    p = np.full(len(ks), members.sum(axis=1).mean() / boxes)
    return np.stack([p, np.minimum(ks, boxes) / boxes], axis=1)


VISUAL = ("position", "size")
TEXT = ("unigram", "bigram")
SINGLE = (*VISUAL, *TEXT)
COMBINED = tuple(f"{text}+{visual}" for text in TEXT for visual in VISUAL)
NAMES = (*SINGLE, *COMBINED)


@dataclass(frozen=True, slots=True)
class ImageFold:
    """Images to score, and the counts of concepts on other images."""

    name: str
    scored: tuple[DescribedScene, ...]
    fitted: tuple[str, ...]
    """The names of the images that the counts come from."""
    unigrams: dict[str, int]
    bigrams: BigramCounts


def crosswise(scenes: Sequence[DescribedScene], rng: np.random.Generator) -> list[ImageFold]:
    """Return two halves of the images, drawn at random, each scored with the counts of the other."""
    drawn = rng.permutation(len(scenes))
    half = (len(scenes) + 1) // 2
    first, second = ([scenes[i] for i in sorted(part)] for part in (drawn[:half], drawn[half:]))
    return [_fold("first half", first, second), _fold("second half", second, first)]


def fitted_on(scenes: Sequence[DescribedScene], others: Sequence[DescribedScene]) -> tuple[ImageFold, int]:
    """Return the images with counts of an export of others, and the number of images left out of it.

    Images of both are left out of the fit. Raises InputError if none is left.
    """
    own = {scene.image for scene in scenes}
    kept = [scene for scene in others if scene.image not in own]
    if not kept:
        raise InputError("Every image of --fit is also in --data: concepts must be counted on other images.")
    return _fold("all", scenes, kept), len(others) - len(kept)


def _fold(name: str, scored: Sequence[DescribedScene], fitted: Sequence[DescribedScene]) -> ImageFold:
    names = tuple(scene.image for scene in fitted)
    return ImageFold(name, tuple(scored), names, unigram_counts(fitted), bigram_counts(fitted))


def orders_of(scene: DescribedScene, split: ImageFold) -> dict[str, np.ndarray]:
    """Return the indices of the boxes, best first, by the name of the baseline. That of bigram may be short."""
    orders = {
        "position": position_order(scene.edges, scene.width, scene.height),
        "size": size_order(scene.edges),
        "unigram": unigram_order(scene.concepts, split.unigrams),
        "bigram": bigram_order(scene.concepts, split.bigrams),
    }
    for text in TEXT:
        for visual in VISUAL:
            orders[f"{text}+{visual}"] = combine(orders[text], orders[visual], len(scene.boxes))
    return orders


def shuffle_boxes(scene: DescribedScene, rng: np.random.Generator) -> DescribedScene:
    """Return the scene with its boxes in random order, so that ties are decided at random."""
    boxes = tuple(scene.boxes[i] for i in rng.permutation(len(scene.boxes)))
    return DescribedScene(scene.image, scene.width, scene.height, boxes, scene.references)
