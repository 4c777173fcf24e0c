"""Predictions of another model [paper Shekhar, Results]: JSON Lines, a caption a line with an answer to each task."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.foil.item import CORRECT, FOIL
from evaluation.foil.models.model import Shown
from evaluation.reading.json_lines import json_lines, member, whole


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
class Answer:
    """The answers about a caption; None where the file gives none."""

    is_foil: bool
    place: int | None
    noun: int | None
    word: str | None


@dataclass(frozen=True)
class FromFile:
    """A model whose answers are read from a file."""

    name: str
    answers: Mapping[str, Answer]

    def predict_t1(self, shown: Sequence[Shown]) -> list[bool | None]:
        """Return the file's answers."""
        found = [self.answers.get(one.name) for one in shown]
        return [None if one is None else one.is_foil for one in found]

    def predict_t2(self, shown: Sequence[Shown], places: Sequence[Sequence[int]]) -> list[int | None] | None:
        """Return the file's places, one of each foil: among nouns its `noun`, if it has one; else its `place`.

        A place that is not allowed is no answer: a second field does not mend it.
        """
        if not any(one.place is not None or one.noun is not None for one in self.answers.values()):
            return None
        found = []
        for one, own in zip(shown, places, strict=True):
            answer = self.answers.get(one.name)
            only_nouns = all(one.tags[place].startswith("NN") for place in own)
            place = None if answer is None else answer.noun if only_nouns and answer.noun is not None else answer.place
            found.append(place if place in own else None)
        return found

    def predict_t3(self, shown: Sequence[Shown], places: Sequence[int]) -> list[str | None] | None:
        """Return the file's words."""
        if not any(one.word is not None for one in self.answers.values()):
            return None
        found = [self.answers.get(one.name) for one in shown]
        return [None if one is None else one.word for one in found]


def read_predictions(path: Path, known: Collection[str], part: str) -> tuple[dict[str, Answer], list[str]]:
    """Return the answers by the names of captions, and the names that are of no caption of the part.

    `known`: the names of the part's captions. Raises InputError, which names the line.
    """
    found: dict[str, Answer] = {}
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


def _answer(value: Any, where: str) -> Answer:
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
    return Answer(answer == FOIL, places[0], places[1], word)
