"""Items [paper Shekhar, Dataset]: a caption, the same caption with one wrong word, and the words exchanged."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.foil.making.caption_words import pieces_of
from evaluation.foil.making.lexicon import TEST, TRAIN, Lexicon, Pair
from evaluation.reading.json_lines import json_lines, member, whole

CORRECT, FOIL = "correct", "foil"
"""The two versions of an item's caption, and the two answers of task 1."""


@dataclass(frozen=True, slots=True)
class Item:
    """A data point. `item`: its name, IMAGE#CAPTION. `place`: the piece, from 0, in which the captions differ."""

    item: str
    image: str
    caption: str
    foil: str
    place: int
    target: str
    foil_word: str
    super_category: str
    part: str

    @property
    def pair(self) -> Pair:
        """Target and foil."""
        return self.target, self.foil_word


def items_text(items: Sequence[Item]) -> str:
    """Return the items as JSON Lines."""
    return "".join(json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items)


def captions_text(items: Sequence[Item]) -> str:
    """Return both captions of every item under their own names, with the right answer, as JSON Lines."""
    rows = (
        {"item": name_of(item.item, version), "image": item.image, "caption": caption, "right": version}
        for item in items
        for version, caption in ((CORRECT, item.caption), (FOIL, item.foil))
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def name_of(item: str, version: str) -> str:
    """Return the name of a caption of an item, by which votes and predictions refer to it."""
    return f"{item}:{version}"


def read_items(path: Path, lexicon: Lexicon) -> list[Item]:
    """Return the items in the order of the file. Raises InputError, which names the line."""
    found: dict[str, Item] = {}
    for where, value in json_lines(path):
        item = _item(value, where)
        _check(item, where, lexicon)
        if item.item in found:
            raise InputError(f"{where}: the item {item.item!r} stands twice.")
        found[item.item] = item
    if not found:
        raise InputError(f"{path.name} holds no items: write them with “foil generate”.")
    return list(found.values())


def _item(value: Any, where: str) -> Item:
    names = ("item", "image", "caption", "foil", "target", "foil_word", "super_category", "part")
    texts: dict[str, str] = {}
    for name in names:
        text = member(value, name, where)
        if not isinstance(text, str) or not text:
            raise InputError(f"{where}: the field {name!r} is not text.")
        texts[name] = text
    return Item(place=whole(member(value, "place", where), f"{where}: the field 'place'"), **texts)


def _check(item: Item, where: str, lexicon: Lexicon) -> None:
    if item.part not in (TRAIN, TEST):
        raise InputError(f"{where}: the part is {item.part[:40]!r}, not {TRAIN!r} or {TEST!r}.")
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
