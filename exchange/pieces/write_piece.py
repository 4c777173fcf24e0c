"""A range of images of an export as a file: an archive of the texts of the range, its files, and what was counted."""

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from annotation.models import Project
from exchange.data_card.counts import counts_as_json
from exchange.data_card.facts import count
from exchange.dataset import DatasetImage, Numbers
from exchange.export_options import AS_THEY_CAME, LeftOut
from exchange.export_pictures import with_pictures
from exchange.formats.format import Format, Need
from exchange.formats.parts import Part, used_numbers_of
from exchange.formats.phrases import Fates
from exchange.load_project import categories_of, load_needed
from exchange.pieces.deflated import deflated

MANIFEST = "manifest.json"
TEXTS, FILES = "texts/", "files/"
"""The folders of a piece: compressed texts without an end, and whole files of the export."""


@dataclass(frozen=True, slots=True)
class Range:
    """Images of an export that are written together."""

    number: int
    """Its place among the ranges, from 0."""
    images: list[int]
    """Their ids, in the order of the export."""
    start: Numbers
    """The numbers that the ranges before it use up."""


def write_piece(project: Project, data_format: Format, images: Range, target: Path, folder: Path) -> None:
    """Write the piece to `target`. `folder`: a new one for what is made on the way; removed at the end."""
    folder.mkdir()
    fates, left_out = Fates(), Counter[LeftOut]()
    made = _Making(project, data_format, images, folder, fates, left_out)
    made.write()
    sizes = {}
    with ZipFile(target, "w", ZIP_DEFLATED) as piece:
        for file in sorted((folder / "texts").iterdir()):
            sizes[file.name] = file.stat().st_size
            packed = file.with_name(f"{file.name}.deflated")
            with file.open("rb") as source, packed.open("wb") as into:
                into.writelines(deflated(source))
            file.unlink()
            piece.write(packed, TEXTS + file.name, ZIP_STORED)
        for file in sorted((folder / "files").rglob("*")):
            if file.is_file():
                # Pictures are compressed already.
                how = ZIP_STORED if data_format.with_pictures else ZIP_DEFLATED
                piece.write(file, FILES + file.relative_to(folder / "files").as_posix(), how)
        manifest = {
            "images": made.count,
            "sizes": sizes,
            "start": list(images.start),
            "used": list(made.used),
            "fates": fates.counts,
            "left_out": left_out,
            "counts": counts_as_json(*count(made.shown)),
        }
        piece.writestr(MANIFEST, json.dumps(manifest))
    shutil.rmtree(folder)


class _Making:
    """The texts and files of a piece, as the writers of the formats write them."""

    def __init__(
        self,
        project: Project,
        data_format: Format,
        images: Range,
        folder: Path,
        fates: Fates,
        left_out: Counter[LeftOut],
    ) -> None:
        self.project, self.format, self.range = project, data_format, images
        self.texts, self.files = folder / "texts", folder / "files"
        self.fates, self.left_out = fates, left_out
        self.count, self.used = 0, Numbers()
        self.shown = images.images
        """Ids of the images that the export holds."""

    def write(self) -> None:
        """Write the texts and the files."""
        self.texts.mkdir()
        categories = categories_of(self.project) if Need.CATEGORIES in self.format.needs else ()
        texts = partial(_new_text, self.texts)
        part = Part(self.files, texts, start=self.range.start, categories=categories, fates=self.fates)
        assert self.format.write is not None
        with part:
            self.count = self.format.write(self._loaded(), part)

    def _loaded(self) -> Iterable[Any]:
        """Return what the format writes: images, or what it loads itself."""
        if self.format.load:
            only, is_first = frozenset(self.range.images), self.range.number == 0
            return self.format.load(self.project, only=only, include_unmerged=True, with_project=is_first)
        return self._counted(self._with_pictures() if self.format.with_pictures else self._stream())

    def _counted(self, images: Iterable[DatasetImage]) -> Iterator[DatasetImage]:
        """Hand the images on, and count the numbers that they use up."""
        for image in images:
            self.used = self.used.plus(used_numbers_of(image))
            yield image

    def _stream(self) -> Iterator[DatasetImage]:
        return load_needed(
            self.project,
            self.format.needs,
            include_unmerged=True,  # the range holds those that the export may have
            only=frozenset(self.range.images),
            first=self.range.start.chains + 1,
        )

    def _with_pictures(self) -> Iterator[DatasetImage]:
        """Yield the images that have a picture, which is then in the folder of files."""
        self.files.mkdir()
        pictured = self.project.images.filter(id__in=self.range.images).exclude(picture="").order_by("position")
        self.shown = list(pictured.values_list("id", flat=True))
        images = with_pictures(self._stream(), self.files, AS_THEY_CAME, self.left_out, taken_names(self.project))
        return (image for image in images if image.picture is not None)


def _new_text(folder: Path, name: str) -> IO[bytes]:
    return (folder / name).open("w+b")


def taken_names(project: Project) -> set[str]:
    """Return the file names of all images of the project, which no new picture may have."""
    return {path or f"{name}.jpg" for name, path in project.images.values_list("name", "path")}


def read_manifest(piece: ZipFile) -> dict[str, Any]:
    """Return what the piece says of itself."""
    found: dict[str, Any] = json.loads(piece.read(MANIFEST))
    return found
