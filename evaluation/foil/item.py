"""Items [paper Shekhar, Dataset]: a caption, the same caption with one wrong word, and the words exchanged."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from annotated_types import Ge, Len
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.foil.making.lexicon import TEST, TRAIN, Lexicon, Pair, pieces_of
from evaluation.reading.json_lines import json_lines, member, whole

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
