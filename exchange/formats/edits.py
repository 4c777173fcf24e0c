"""Edits of the images of a source: before and after a check, and the phrases that change."""

import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple, Self

from annotation.rules.box import Box, iou
from exchange.checks import same_id
from exchange.dataset import DatasetImage
from exchange.names import same_path
from exchange.split_captions import Span, character_span

NEW_CHAIN_PREFIX = "new chain "
"""Begins the name of a chain that has none yet; no source has such names, which would be no ids."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An image as the source has it, and as the corrected set is to have it."""

    before: DatasetImage
    after: DatasetImage


class EditStore:
    """Edits by a key of their image. New chains get numbers above every number of the source."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115  # closed by __exit__
        self._places: dict[int | str, int] = {}
        self._largest = 0
        self._last: tuple[int | str, Edit] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, int | str) and key in self._places

    def __iter__(self) -> Iterator[int | str]:
        return iter(self._places)

    def look_at(self, image: DatasetImage) -> None:
        """Note the names of the image's chains, so that new ones get others."""
        numbers = (int(chain.name) for chain in image.chains if chain.name.isascii() and chain.name.isdigit())
        self._largest = max(self._largest, *numbers, 0)

    def keep(self, key: int | str, edit: Edit) -> None:
        """Keep an edit. Its new chains get their numbers when all images have been looked at."""
        self._places[key], self._last = self._file.seek(0, 2), None
        pickle.dump(edit, self._file)

    def name_chains(self) -> None:
        """Number the new chains, in the order of the edits."""
        for key in list(self._places):
            edit = self.get(key)
            assert edit is not None
            new = [chain.name for chain in edit.after.chains if chain.name.startswith(NEW_CHAIN_PREFIX)]
            if new:
                names = {name: str(self._largest + place) for place, name in enumerate(new, start=1)}
                self._largest += len(new)
                self.keep(key, Edit(edit.before, with_names(edit.after, names)))

    def get(self, key: object) -> Edit | None:
        """Return the edit of an image; None: it has none."""
        if not isinstance(key, int | str) or key not in self._places:
            return None
        if self._last is None or self._last[0] != key:  # entries of an image often follow each other
            self._file.seek(self._places[key])
            self._last = key, pickle.load(self._file)
        return self._last[1]


def with_names(image: DatasetImage, names: Mapping[str, str]) -> DatasetImage:
    """Return the image with other names for some of its chains."""
    if not any(chain.name in names for chain in image.chains):
        return image
    return replace(
        image,
        mentions=tuple(
            replace(mention, chain=mention.chain and names.get(mention.chain, mention.chain))
            for mention in image.mentions
        ),
        chains=tuple(replace(chain, name=names.get(chain.name, chain.name)) for chain in image.chains),
        boxes=tuple(replace(box, chains=tuple(names.get(name, name) for name in box.chains)) for box in image.boxes),
    )


def key_of_file(image: DatasetImage) -> str:
    """Return the name of the image's files, for formats that have files for each."""
    return Path(image.source).stem


def key_of_path(image: DatasetImage) -> str:
    """Return the path of the image's picture, as paths are compared."""
    return same_path(image.path)


def key_of_id(image: DatasetImage) -> int | str:
    """Return the image's id, for formats whose readers refuse images without."""
    assert image.coco_id is not None
    return same_id(image.coco_id)


class EditedPhrase(NamedTuple):
    """The chain, the boxes and the types of a phrase."""

    chain: str
    boxes: tuple[Box, ...]
    types: tuple[str, ...]


class Moved(NamedTuple):
    """Boxes that change."""

    instead: dict[Box, Box | None]
    """The box in the place of each that goes; None: none is."""
    added: tuple[Box, ...]


class PhraseEdit(NamedTuple):
    """A phrase that changes. `before` is None for one that is new, `after` for one that goes."""

    span: Span
    text: str
    before: EditedPhrase | None
    after: EditedPhrase | None
    boxes: Moved


def phrase_edits(edit: Edit) -> list[dict[Span, PhraseEdit]]:
    """Return the phrases that change, by caption."""
    found = []
    for caption, was, now in zip(edit.before.captions, *map(phrases_of, (edit.before, edit.after)), strict=True):
        own = {}
        for span in sorted(was.keys() | now.keys()):
            before, after = was.get(span), now.get(span)
            if before != after:
                boxes = moved(before.boxes if before else (), after.boxes if after else ())
                own[span] = PhraseEdit(span, caption.text[slice(*span)], before, after, boxes)
        found.append(own)
    return found


def phrases_of(image: DatasetImage) -> list[dict[Span, EditedPhrase]]:
    """Return the phrases of each caption."""
    found: list[dict[Span, EditedPhrase]] = [{} for _ in image.captions]
    for mention in image.mentions:
        boxes = tuple(sorted({box.box for box in image.boxes if mention.chain in box.chains}))
        span = character_span(image.captions[mention.caption], mention.start, mention.end)
        found[mention.caption][span] = EditedPhrase(mention.chain or "", boxes, mention.types)
    return found


def moved(before: Iterable[Box], after: Iterable[Box]) -> Moved:
    """Pair boxes that go with new ones: those that overlap most first, so that a box that only moved keeps its id."""
    was, now = list(dict.fromkeys(before)), list(dict.fromkeys(after))
    gone, new = [box for box in was if box not in now], [box for box in now if box not in was]
    pairs = sorted(((old, other) for old in gone for other in new), key=lambda pair: -iou(*pair))
    instead: dict[Box, Box | None] = {}
    for old, other in pairs:
        if old not in instead and other not in instead.values():
            instead[old] = other
    taken = set(instead.values())
    return Moved({box: instead.get(box) for box in gone}, tuple(box for box in new if box not in taken))
