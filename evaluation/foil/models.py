"""Models [paper Shekhar, Baseline Models, Proposed Tasks, Results] that look for the wrong word, and their answers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Protocol

import numpy as np
from annotated_types import Ge
from typing_extensions import TypedDict

from evaluation.errors import InputError, need
from evaluation.foil.item import CORRECT, FOIL, FoilItem, name_of
from evaluation.foil.making.lexicon import Lexicon, bare, pieces_of, tags_of
from evaluation.foil.making.make_items import Target, targets_of, word_of_category
from evaluation.reading.source import json_lines, member, whole


@dataclass(frozen=True, slots=True)
class ShownCaption:
    """A caption as a model sees it. `name`: ITEM:correct or ITEM:foil, by which files refer to it."""

    name: str
    image: str
    pieces: tuple[str, ...]
    tags: tuple[str, ...]


class FoilModel(Protocol):
    """A model. An answer of None is wrong; a method that returns None does not do the task."""

    @property
    def name(self) -> str:
        """The name of its figures."""
        ...

    def predict_t1(self, shown: Sequence[ShownCaption]) -> Sequence[bool | None] | None:
        """Tell of each caption whether it is a foil."""
        ...

    def predict_t2(self, shown: Sequence[ShownCaption], places: Sequence[Sequence[int]]) -> Sequence[int | None] | None:
        """Return the place of the wrong word of each foil, among the places that are allowed for it."""
        ...

    def predict_t3(self, shown: Sequence[ShownCaption], places: Sequence[int]) -> Sequence[str | None] | None:
        """Return the right word for the wrong one at the place of each foil, as the lexicon names it."""
        ...


def shown_captions(items: Sequence[FoilItem], version: str, *, tagged: bool = True) -> list[ShownCaption]:
    """Return one version of each item's caption, with tags for models that need them: MissingExtra without tagger."""
    captions = [item.foil if version == FOIL else item.caption for item in items]
    return [
        ShownCaption(name_of(item.item, version), item.image, tuple(pieces_of(caption)), tuple(tags))
        for item, caption, tags in zip(items, captions, tags_of(captions) if tagged else repeat(()), strict=tagged)
    ]


MAX_N_GRAM_WORDS = 3
"""Words of an n-gram."""
MIN_CAPTIONS_WITH_N_GRAM = 2
"""Captions that an n-gram needs."""


class BlindModel:
    name = "blind"

    def __init__(self, correct: Sequence[ShownCaption], foils: Sequence[ShownCaption], lexicon: Lexicon) -> None:
        """Fit it on right captions and foils. Raises MissingExtra without scikit-learn."""
        text = need("sklearn.feature_extraction.text", "the blind model")
        linear = need("sklearn.linear_model", "the blind model")
        self._lexicon = lexicon
        self._grams = text.CountVectorizer(
            analyzer=n_grams,
            binary=True,
            min_df=min(MIN_CAPTIONS_WITH_N_GRAM, len(correct) + len(foils)),
            dtype=np.float64,
        )
        columns = self._grams.fit_transform([caption.pieces for caption in (*correct, *foils)])
        truth = np.repeat([False, True], [len(correct), len(foils)])
        self._model: Any = linear.LogisticRegression(solver="liblinear").fit(columns, truth)

    def scores(self, captions: Sequence[Sequence[str]]) -> np.ndarray:
        """Return the logit of each caption's being a foil, of shape (captions)."""
        if not captions:
            return np.zeros(0)
        found: np.ndarray = self._model.decision_function(self._grams.transform(captions))
        return found

    def predict_t1(self, shown: Sequence[ShownCaption]) -> list[bool]:
        """Tell of each caption whether it is more likely a foil."""
        return [bool(score > 0) for score in self.scores([caption.pieces for caption in shown])]

    def predict_t2(self, shown: Sequence[ShownCaption], places: Sequence[Sequence[int]]) -> list[int | None]:
        """Return the place without whose word the caption looks most like a right one."""
        return [self._most_suspect(caption, place) for caption, place in zip(shown, places, strict=True)]

    def predict_t3(self, shown: Sequence[ShownCaption], places: Sequence[int]) -> list[str | None]:
        """Return the other word of the lexicon with which the caption looks most like a right one."""
        return [self._best_word(caption, place) for caption, place in zip(shown, places, strict=True)]

    def _most_suspect(self, shown: ShownCaption, places: Sequence[int]) -> int | None:
        if not places:
            return None
        without = [(*shown.pieces[:place], "", *shown.pieces[place + 1 :]) for place in places]
        return places[int(np.argmin(self.scores(without)))]

    def _best_word(self, shown: ShownCaption, place: int) -> str | None:
        old = self._lexicon.by_form.get(bare(shown.pieces[place]))
        plural = old is not None and bare(shown.pieces[place]) == old.plural != old.singular
        others = [word for word in self._lexicon.words if word is not old]
        forms = [word.form(plural=plural) or word.form(plural=not plural) or word.word for word in others]
        changed = [(*shown.pieces[:place], form, *shown.pieces[place + 1 :]) for form in forms]
        return others[int(np.argmin(self.scores(changed)))].word


def n_grams(pieces: Sequence[str]) -> list[str]:
    """Return the n-grams of bare words up to LONGEST. A piece without a word breaks them."""
    words = [bare(piece) for piece in pieces]
    return [
        " ".join(gram)
        for length in range(1, MAX_N_GRAM_WORDS + 1)
        for start in range(len(words) - length + 1)
        if all(gram := words[start : start + length])
    ]


class DetectionLine(TypedDict):
    """The objects that a detector finds in an image."""

    image: str
    """Its name in the captions."""
    categories: Sequence[str]
    """Names as COCO has them."""


@dataclass(frozen=True)
class BoxAware:
    """The model. `categories`: of the boxes of each image, gold ones or those of a detector."""

    name: str
    categories: Mapping[str, Collection[str]]
    lexicon: Lexicon

    def predict_t1(self, shown: Sequence[ShownCaption]) -> list[bool]:
        """Tell of each caption whether it names an object without a box."""
        return [bool(self._absent(caption)) for caption in shown]

    def predict_t2(self, shown: Sequence[ShownCaption], places: Sequence[Sequence[int]]) -> list[int | None]:
        """Return the first allowed place of an object without a box."""
        return [
            next((target.place for target in self._absent(caption) if target.place in place), None)
            for caption, place in zip(shown, places, strict=True)
        ]

    def predict_t3(self, shown: Sequence[ShownCaption], places: Sequence[int]) -> list[str | None]:
        """Return the first word of the lexicon that has a box and is not in the caption.

        Words of the wrong word's super-category come first.
        """
        return [self._present(caption, place) for caption, place in zip(shown, places, strict=True)]

    def _absent(self, shown: ShownCaption) -> list[Target]:
        there = self._words(shown.image)
        found = targets_of(shown.pieces, shown.tags, self.lexicon)
        return [target for target in found if target.word.word not in there]

    def _present(self, shown: ShownCaption, place: int) -> str | None:
        targets = targets_of(shown.pieces, shown.tags, self.lexicon)
        said = {target.word.word for target in targets}
        kind = next((target.word.super_category for target in targets if target.place == place), None)
        there = self._words(shown.image) - said
        known = [word for word in self.lexicon.words if word.word in there]
        return next((word.word for word in sorted(known, key=lambda one: one.super_category != kind)), None)

    def _words(self, image: str) -> set[str]:
        found = (word_of_category(category, self.lexicon) for category in self.categories.get(image, ()))
        return {word for word in found if word is not None}


def read_detections(path: Path) -> dict[str, set[str]]:
    """Return the categories of each image. Raises InputError, which names the line."""
    found: dict[str, set[str]] = {}
    for where, value in json_lines(path):
        image, categories = str(member(value, "image", where)), member(value, "categories", where)
        if not isinstance(categories, list) or not all(isinstance(category, str) for category in categories):
            raise InputError(f"{where}: the field 'categories' is not a list of names.")
        if image in found:
            raise InputError(f"{where}: the image {image!r} stands twice: write all its categories on one line.")
        found[image] = set(categories)
    if not found:
        raise InputError(f"{path.name} holds no detections.")
    return found


class PredictionLine(TypedDict):
    """The answers of a model about one caption."""

    item: str
    """ITEM:correct or ITEM:foil."""
    answer: Literal["correct", "foil"]
    """Task 1."""
    place: NotRequired[Annotated[int, Ge(0)] | None]
    """Of a foil: task 2, the place of the wrong word, from 0."""
    noun: NotRequired[Annotated[int, Ge(0)] | None]
    """Of a foil: task 2 among the nouns; without it `place`."""
    word: NotRequired[str | None]
    """Of a foil: task 3, a word of the lexicon."""


@dataclass(frozen=True, slots=True)
class CaptionAnswer:
    """The answers about a caption; None where the file gives none."""

    is_foil: bool
    place: int | None
    noun: int | None
    word: str | None


@dataclass(frozen=True)
class FromFile:
    """A model whose answers are read from a file."""

    name: str
    answers: Mapping[str, CaptionAnswer]

    def predict_t1(self, shown: Sequence[ShownCaption]) -> list[bool | None]:
        """Return the file's answers."""
        found = [self.answers.get(caption.name) for caption in shown]
        return [None if answer is None else answer.is_foil for answer in found]

    def predict_t2(self, shown: Sequence[ShownCaption], places: Sequence[Sequence[int]]) -> list[int | None] | None:
        """Return the file's places, one of each foil: among nouns its `noun`, if it has one; else its `place`.

        A place that is not allowed is no answer: a second field does not mend it.
        """
        if not any(given.place is not None or given.noun is not None for given in self.answers.values()):
            return None
        found = []
        for caption, allowed in zip(shown, places, strict=True):
            answer = self.answers.get(caption.name)
            only_nouns = all(caption.tags[place].startswith("NN") for place in allowed)
            place = None if answer is None else answer.noun if only_nouns and answer.noun is not None else answer.place
            found.append(place if place in allowed else None)
        return found

    def predict_t3(self, shown: Sequence[ShownCaption], places: Sequence[int]) -> list[str | None] | None:
        """Return the file's words."""
        if not any(answer.word is not None for answer in self.answers.values()):
            return None
        found = [self.answers.get(caption.name) for caption in shown]
        return [None if answer is None else answer.word for answer in found]


def read_foil_predictions(path: Path, known: Collection[str], part: str) -> tuple[dict[str, CaptionAnswer], list[str]]:
    """Return the answers by the names of captions, and the names that are of no caption of the part.

    `known`: the names of the part's captions. Raises InputError, which names the line.
    """
    found: dict[str, CaptionAnswer] = {}
    for where, value in json_lines(path):
        name = member(value, "item", where)
        if not isinstance(name, str):
            raise InputError(f"{where}: the field 'item' is {str(name)[:60]!r}, not a text.")
        if name in found:
            raise InputError(f"{where}: the caption {name!r} stands twice.")
        found[name] = _answer(value, where)
    if not found:
        raise InputError(f"{path.name} holds no predictions.")
    others = sorted(found.keys() - set(known))
    if len(others) == len(found):
        raise InputError(
            f"{path.name}: the items of the part {part!r} have no caption {others[0][:60]!r}, nor any other one of the "
            f"file. Names are ITEM:{CORRECT} and ITEM:{FOIL}; other splits are scored with their own items and --part."
        )
    return {name: answer for name, answer in found.items() if name in known}, others


def _answer(value: Any, where: str) -> CaptionAnswer:
    answer = member(value, "answer", where)
    if answer not in (CORRECT, FOIL):
        raise InputError(f"{where}: the answer is {str(answer)[:40]!r}, not {CORRECT!r} or {FOIL!r}.")
    places = [
        None if value.get(name) is None else whole(value[name], f"{where}: the field {name!r}")
        for name in ("place", "noun")
    ]
    word = value.get("word")
    if word is not None and not isinstance(word, str):
        raise InputError(f"{where}: the field 'word' is not text.")
    return CaptionAnswer(answer == FOIL, places[0], places[1], word)
