"""The things that a step is given: data, options, seed, progress, photographs, and results of an interrupted run."""

import hashlib
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from PIL import Image, UnidentifiedImageError
from tqdm import tqdm

from evaluation.errors import InputError
from evaluation.reading.picture import Picture

Arrays = Mapping[str, np.ndarray]
Item = TypeVar("Item")
Progress = Callable[[int, int, str], object]
"""Called with what is done, what there is in all (0: unknown), and words."""


def digest_of(path: Path) -> str:
    """Return the SHA-256 of the file, or of all files of the folder. Hidden files count as well."""
    total = hashlib.sha256()
    if not path.is_dir():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    for name in sorted(file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()):
        contents = hashlib.sha256((path / name).read_bytes()).hexdigest()
        total.update(f"{contents}  {name}\n".encode())
    return total.hexdigest()


@dataclass(frozen=True, slots=True)
class PartialResults:
    """A folder of arrays. Without a folder, nothing is kept."""

    folder: Path | None = None

    def arrays(self, name: str, key: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of this name and key, made now or by an earlier run.

        `key`: everything that they depend on (settings, seed, digests of inputs), as JSON values.
        """
        found = self.find(name, key)
        if found is None:
            found = make()
            self.keep(name, key, found)
        return found

    def find(self, name: str, key: Mapping[str, Any]) -> Arrays | None:
        """Return the arrays of this name and key; None if there are none."""
        path = self._path(name, key)
        if path is None or not path.exists():
            return None
        with np.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}

    def keep(self, name: str, key: Mapping[str, Any], arrays: Arrays) -> None:
        """Keep the arrays. Whoever is stopped while writing leaves none."""
        path = self._path(name, key)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        packed = io.BytesIO()
        np.savez(packed, **arrays)  # type: ignore[arg-type]
        partial = path.with_suffix(".partial")
        partial.write_bytes(packed.getvalue())
        os.replace(partial, path)

    def drop(self, name: str, key: Mapping[str, Any]) -> None:
        """Delete the arrays of this name and key, if there are any."""
        path = self._path(name, key)
        if path is not None:
            path.unlink(missing_ok=True)

    def forget(self) -> None:
        """Delete everything: the report is written."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, name: str, key: Mapping[str, Any]) -> Path | None:
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
        return None if self.folder is None else self.folder / f"{name}-{digest}.npz"


@dataclass
class StepWork:
    """The input of a step."""

    data: Path | None
    options: Mapping[str, Any]
    seed: int = 0
    partial_results: PartialResults = field(default_factory=PartialResults)
    progress_shown: Progress | None = None
    """A listener to the progress, instead of a bar on the terminal."""
    inputs: dict[str, str] = field(default_factory=dict)
    """The digest of each input that was read, by its role: "data", "predictions"."""

    @property
    def export(self) -> Path:
        """The path of the data. Only for steps that need data."""
        assert self.data is not None
        return self.data

    def file(self, option: str) -> Path | None:
        """Return the path that the option names, and note its digest. None if the option is not given."""
        path = self.options.get(option)
        if path is None:
            return None
        self.inputs[option] = digest_of(Path(path))
        return Path(path)

    def required(self, option: str) -> Path:
        """Return the path that a required option names, and note its digest."""
        path = self.file(option)
        assert path is not None
        return path

    def rng(self, use: str = "") -> np.random.Generator:
        """Return random numbers by the seed and the use: another use never shifts them."""
        return np.random.default_rng([self.seed, *use.encode()])

    def progress(self, items: Iterable[Item], words: str, total: int | None = None) -> Iterator[Item]:
        """Yield the items and show how many are done."""
        count = total if total is not None else len(items) if isinstance(items, Sized) else 0
        if self.progress_shown is None:
            yield from tqdm(items, desc=words, total=count or None, disable=None, leave=False)
            return
        every = max(1, count // 100)
        for done, item in enumerate(items):
            if done % every == 0:
                self.progress_shown(done, count, words)
            yield item

    def say(self, words: str) -> None:
        """Tell of a part that is done: a line on the error output, or to the listener."""
        if self.progress_shown is None:
            tqdm.write(words, file=sys.stderr)
        else:
            self.progress_shown(0, 0, words)


ENDINGS = (".jpg", ".jpeg", ".png", ".webp")


class PictureFiles:
    """Photographs by the name of their image."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.files: dict[str, Path] = {}
        for folder in folders:
            for file in sorted(folder.rglob("*")) if folder.is_dir() else ():
                if file.suffix.lower() in ENDINGS:
                    path = file.relative_to(folder)
                    # Exports name images so: by their folders, and where two would clash by their ending.
                    self.files |= {"_".join(variant.parts): file for variant in (path.with_suffix(""), path)}

    def has_all(self, pictures: Iterable[Picture]) -> bool:
        """Tell whether there is a photograph of each image; False for no images."""
        names = [picture.name for picture in pictures]
        return bool(names) and all(name in self.files for name in names)

    def open(self, picture: Picture) -> Image.Image:
        """Return the photograph in RGB. Raises InputError if it is missing, unreadable, or of another size."""
        file = self.files.get(picture.name)
        if file is None:
            raise InputError(f"There is no photograph of image {picture.name}: name their folder with --pictures.")
        try:
            with Image.open(file) as found:
                loaded = found.convert("RGB")
        except (UnidentifiedImageError, OSError) as error:
            raise InputError(f"{file} is not a readable picture: {error}.") from None
        if loaded.size != (picture.width, picture.height):
            sizes = f"{loaded.width} x {loaded.height} pixels, its annotations {picture.width} x {picture.height}"
            raise InputError(f"{file} has {sizes}: boxes would be displaced.")
        return loaded


def picture_files(work: StepWork, *exports: Path) -> PictureFiles:
    """Return the photographs in the folder --pictures, or in images/ of the exports."""
    folder = work.file("pictures")
    return PictureFiles([folder] if folder else [export / "images" for export in exports])
