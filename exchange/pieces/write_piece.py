"""A range of images of an export as a file: an archive of the texts of the range, its files, and what was counted."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from annotation.models import Project
from exchange.data_card.facts import count
from exchange.data_card.kept_counts import counts_as_json
from exchange.dataset import DatasetImage, Numbers
from exchange.export_options import AS_THEY_CAME, LeftOut
from exchange.export_pictures import with_pictures
from exchange.formats.chat import write_chat
from exchange.formats.coco.write import LISTS as COCO_LISTS
from exchange.formats.coco.write import add_coco, json_lists
from exchange.formats.flickr30k.write import write_flickr30k
from exchange.formats.hub.write import METADATA, write_hub
from exchange.formats.mdetr.write import LISTS as MDETR_LISTS
from exchange.formats.mdetr.write import add_mdetr
from exchange.formats.odvg.write import write_odvg
from exchange.formats.phrases import OF_EVERY_CAPTION, Fates, GroundedImage, grounded
from exchange.jsonl.write import write_jsonl
from exchange.load_project import categories_of, stream_images
from exchange.pieces.deflated import deflated

MANIFEST = "manifest.json"
TEXTS, FILES = "texts/", "files/"
"""The folders of a piece: compressed texts without an end, and whole files of the export."""
LINES = "lines"
"""The text of formats that are one file of lines."""
UNNUMBERED = ("jsonl", "chat")
"""Formats whose texts say no number that depends on other images."""
PICTURED = ("hub", "parquet")
"""Formats that hold pictures, and of the images only those that have one."""
IN_PIECES = (*UNNUMBERED, "coco", "mdetr", "odvg", "flickr30k-entities", *PICTURED)
OWN_FIELDS, CHANCES = ("coco", *PICTURED), ("mdetr", "odvg", "chat", *PICTURED)


@dataclass(frozen=True, slots=True)
class Range:
    """Images of an export that are written together."""

    number: int
    """Its place among the ranges, from 0."""
    images: list[int]
    """Their ids, in the order of the export."""
    start: Numbers
    """The numbers that the ranges before it use up."""


def write_piece(project: Project, export_format: str, images: Range, target: Path, folder: Path) -> None:
    """Write the piece to `target`. `folder`: a new one for what is made on the way; removed at the end."""
    folder.mkdir()
    fates, left_out = Fates(), Counter[LeftOut]()
    made = _Making(project, export_format, images, folder, fates, left_out)
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
                how = ZIP_STORED if export_format in PICTURED else ZIP_DEFLATED
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
        export_format: str,
        images: Range,
        folder: Path,
        fates: Fates,
        left_out: Counter[LeftOut],
    ) -> None:
        self.project, self.export_format, self.range = project, export_format, images
        self.texts, self.files = folder / "texts", folder / "files"
        self.fates, self.left_out = fates, left_out
        self.count, self.used = 0, Numbers()
        self.shown = images.images
        """Ids of the images that the export holds."""

    def write(self) -> None:
        """Write the texts and the files."""
        self.texts.mkdir()
        writers: dict[str, Callable[[], int]] = {
            "jsonl": self._jsonl,
            "coco": self._coco,
            "mdetr": self._mdetr,
            "odvg": lambda: write_odvg(self._grounded(), self.texts / LINES),
            "chat": lambda: write_chat(self._grounded(), self.texts / LINES, self.fates),
            "flickr30k-entities": lambda: write_flickr30k(self._images(), self.files),
            "hub": self._hub,
            "parquet": self._hub,  # of rows and pictures the files are made that are cut by their size
        }
        self.count = writers[self.export_format]()

    def _images(self) -> Iterator[DatasetImage]:
        return self._counted(self._stream())

    def _counted(self, images: Iterable[DatasetImage]) -> Iterator[DatasetImage]:
        """Hand the images on, and count the numbers that they use up."""
        for image in images:
            phrases = Counter(one.chain for one in image.mentions)
            chains = [chain for box in image.boxes for chain in box.chains]
            annotations = sum(phrases[chain] for chain in chains)
            own = len(image.chains), len(set(chains)), len(image.captions), len(image.boxes), annotations
            self.used = self.used.plus(Numbers(1, *own))
            yield image

    def _stream(self) -> Iterator[DatasetImage]:
        return stream_images(
            self.project,
            include_unmerged=True,  # the range holds those that the export may have
            only=frozenset(self.range.images),
            own_fields=self.export_format in OWN_FIELDS,
            answers=self.export_format == "coco",
            chances=self.export_format in CHANCES,
            first=self.range.start.chains + 1,
        )

    def _grounded(self, images: Iterable[DatasetImage] | None = None) -> Iterator[GroundedImage]:
        """Yield the images, or those that are given, with their phrases."""
        every, first = self.export_format in OF_EVERY_CAPTION, self.range.start.grounded + 1
        return grounded(self._images() if images is None else images, self.fates, every=every, first=first)

    def _jsonl(self) -> int:
        return write_jsonl(
            self.project,
            self.texts / LINES,
            include_unmerged=True,
            only=frozenset(self.range.images),
            head=self.range.number == 0,
        )

    def _coco(self) -> int:
        with json_lists(*COCO_LISTS, folder=self.texts) as lists:
            return add_coco(self._images(), lists, categories_of(self.project), self.range.start)

    def _mdetr(self) -> int:
        with json_lists(*MDETR_LISTS, folder=self.texts) as lists:
            return add_mdetr(self._grounded(), lists, self.range.start)

    def _hub(self) -> int:
        self.files.mkdir()
        pictured = self.project.images.filter(id__in=self.range.images).exclude(picture="").order_by("position")
        self.shown = list(pictured.values_list("id", flat=True))
        images = with_pictures(self._stream(), self.files, AS_THEY_CAME, self.left_out, taken_names(self.project))
        shown = (image for image in images if image.picture is not None)
        count = write_hub(self._grounded(self._counted(shown)), self.texts)
        (self.texts / METADATA).rename(self.texts / LINES)
        return count


def taken_names(project: Project) -> set[str]:
    """Return the file names of all images of the project, which no new picture may have."""
    return {path or f"{name}.jpg" for name, path in project.images.values_list("name", "path")}


def read_manifest(piece: ZipFile) -> dict[str, Any]:
    """Return what the piece says of itself."""
    found: dict[str, Any] = json.loads(piece.read(MANIFEST))
    return found
