"""Edits of the images of a source: before and after a check. They are kept on disk: memory holds too few of them."""

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Self

from exchange.checks import same_id
from exchange.dataset import DatasetImage
from exchange.names import same_path

NEW = "new chain "
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
            new = [chain.name for chain in edit.after.chains if chain.name.startswith(NEW)]
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
