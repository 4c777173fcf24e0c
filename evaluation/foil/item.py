"""Items [paper Shekhar, Dataset, Task 2, Results]: captions, the same with a wrong word; accuracy of answers."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from annotated_types import Ge, Len
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.foil.making.lexicon import TEST, TRAIN, Lexicon, Pair, pieces_of
from evaluation.reading.source import json_lines, member, whole

CORRECT: Final = "correct"
FOIL: Final = "foil"
VERSIONS: Sequence[Literal["correct", "foil"]] = (CORRECT, FOIL)
"""The two versions of an item's caption, and the two answers of task 1."""


@dataclass(frozen=True, slots=True)
class FoilItem:
    """A caption, and the same with one wrong word."""

    item: Annotated[str, Len(1)]
    """Its name, IMAGE#NUMBER of the caption; its captions are named ITEM:correct and ITEM:foil."""
    image: Annotated[str, Len(1)]
    """Its name in the captions."""
    caption: Annotated[str, Len(1)]
    """The right caption; words one space apart."""
    foil: Annotated[str, Len(1)]
    """The caption with one word exchanged; words one space apart."""
    place: Annotated[int, Ge(0)]
    """The word, from 0, in which the captions differ."""
    target: Annotated[str, Len(1)]
    """The word of the lexicon that the caption has there, such as `dog` for "Dogs"."""
    foil_word: Annotated[str, Len(1)]
    """The one that the foil has there."""
    super_category: Annotated[str, Len(1)]
    """The super-category of both in the lexicon."""
    part: Literal["train", "test"]
    """Its use: training or testing."""

    @property
    def pair(self) -> Pair:
        """Target and foil."""
        return self.target, self.foil_word


class CaptionRow(TypedDict):
    """One of the two captions of an item, by itself."""

    item: str
    """Its name, ITEM:correct or ITEM:foil."""
    image: str
    """Its name in the captions."""
    caption: str
    """The text."""
    right: Literal["correct", "foil"]
    """The right answer to task 1."""


def items_text(items: Sequence[FoilItem]) -> str:
    """Return the items as JSON Lines."""
    return "".join(json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items)


def captions_text(items: Sequence[FoilItem]) -> str:
    """Return both captions of every item under their own names, with the right answer, as JSON Lines."""
    rows: Iterator[CaptionRow] = (
        {"item": name_of(item.item, version), "image": item.image, "caption": caption, "right": version}
        for item in items
        for version, caption in zip(VERSIONS, (item.caption, item.foil), strict=True)
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def name_of(item: str, version: str) -> str:
    """Return the name of a caption of an item, by which votes and predictions refer to it."""
    return f"{item}:{version}"


def read_items(path: Path, lexicon: Lexicon) -> list[FoilItem]:
    """Return the items in the order of the file. Raises InputError, which names the line."""
    found: dict[str, FoilItem] = {}
    for where, value in json_lines(path):
        item = _item(value, where)
        _check(item, where, lexicon)
        if item.item in found:
            raise InputError(f"{where}: the item {item.item!r} stands twice.")
        found[item.item] = item
    if not found:
        raise InputError(f"{path.name} holds no items: write them with “foil generate”.")
    return list(found.values())


def _item(value: Any, where: str) -> FoilItem:
    names = ("item", "image", "caption", "foil", "target", "foil_word", "super_category", "part")
    texts: dict[str, str] = {}
    for name in names:
        text = member(value, name, where)
        if not isinstance(text, str) or not text:
            raise InputError(f"{where}: the field {name!r} is not text.")
        texts[name] = text
    part = texts.pop("part")
    if part not in (TRAIN, TEST):
        raise InputError(f"{where}: the part is {part[:40]!r}, not {TRAIN!r} or {TEST!r}.")
    place = whole(member(value, "place", where), f"{where}: the field 'place'")
    return FoilItem(**texts, place=place, part="train" if part == TRAIN else "test")


def _check(item: FoilItem, where: str, lexicon: Lexicon) -> None:
    known = {word.super_category for word in lexicon.words}
    if item.super_category not in known:
        raise InputError(
            f"{where}: the super-category {item.super_category[:40]!r} is unknown; the lexicon has "
            f"{', '.join(sorted(known))}. Give the items' own lexicon.txt as --lexicon."
        )
    for name in item.pair:
        word = lexicon.by_word.get(name)
        if word is None or word.super_category != item.super_category:
            raise InputError(
                f"{where}: the lexicon has no word {name[:40]!r} in {item.super_category}. Give the items' own "
                "lexicon.txt as --lexicon."
            )
    old, new = pieces_of(item.caption), pieces_of(item.foil)
    differing = [place for place, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]]
    if len(old) != len(new) or differing != [item.place]:
        raise InputError(f"{where}: caption and foil must differ in the word at place {item.place} alone.")


COMPOSITION = {TRAIN: (197_788, 65_697, 395_576, 256), TEST: (99_480, 32_150, 198_960, 216)}
"""Data points, images, captions and pairs of each part."""
TASK_1 = {
    "blind": (55.62, 86.20, 25.04),
    "cnn_lstm": (61.07, 89.16, 32.98),
    "lstm_norm_i": (63.26, 92.02, 34.51),
    "hie_co_att": (64.14, 91.89, 36.38),
    "ic_wang": (42.21, 38.98, 45.44),
    "human_majority": (92.89, 91.24, 94.52),
    "human_unanimity": (76.32, 73.73, 78.90),
}
"""Accuracy overall, on right captions, and on foils."""
TASK_2 = {
    "chance": (23.25, 15.87),
    "lstm_norm_i": (26.32, 24.25),
    "hie_co_att": (38.79, 33.69),
    "ic_wang": (27.59, 23.32),
}
"""Accuracy among the nouns and among all content words."""
TASK_2_HUMAN = {"human_majority": 97.00, "human_unanimity": 73.60}
TASK_3 = {"chance": 1.38, "lstm_norm_i": 4.7, "hie_co_att": 4.21, "ic_wang": 22.16}


NOUNS, CONTENT_WORDS = "nouns", "words"
PLACES = {NOUNS: ("NN",), CONTENT_WORDS: ("NN", "VB", "JJ", "RB")}
"""The tags of nouns, and of content words: nouns, verbs, adjectives and adverbs."""
CHANCE_T1 = 50.0


def places_of(tags: Sequence[str], wrong: int, kind: str) -> list[int]:
    """Return the places with these tags, and the wrong one whatever its tag is."""
    return [place for place, tag in enumerate(tags) if place == wrong or tag.startswith(PLACES[kind])]


class Classes(NamedTuple):
    """Accuracy of task 1. `overall`: the mean of the two classes, which are equally many."""

    overall: float
    correct: float
    foil: float


def task_1(correct: Sequence[bool | None], foils: Sequence[bool | None]) -> Classes:
    """Return the accuracy of answers "it is a foil" about right captions and about foils. None is wrong."""
    right = percent([answer is False for answer in correct])
    wrong = percent([answer is True for answer in foils])
    return Classes((right + wrong) / 2, right, wrong)


def percent(hits: Sequence[bool]) -> float:
    """Return the share of hits in percent; 0 for none."""
    return 100 * sum(hits) / len(hits) if hits else 0.0


def chance_t2(places: Sequence[Sequence[int]]) -> float:
    """Return the mean over foils of one in the number of places that could be wrong, in percent."""
    return 100 * sum(1 / len(place) for place in places) / len(places)


def chance_t3(words: int) -> float:
    """Return one in the number of other words of the lexicon, in percent: 1.39 for 73 words."""
    return 100 / (words - 1)
