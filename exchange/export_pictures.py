"""Pictures of an export: as they came, or smaller, upright as the boxes are, with boxes in their pixels."""

import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from PIL import Image

from annotation.decode_picture import read_size, render_for_screen
from annotation.rules.box import Box
from annotation.storage import store
from exchange.dataset import DatasetBox, DatasetImage
from exchange.export_options import AS_THEY_CAME, LeftOut
from exchange.kept_pictures import KeptPictures

ORIENTATION = 0x0112
"""The tag of EXIF that says how a picture is turned for viewing."""
JPEG = (".jpg", ".jpeg")


def with_pictures(
    images: Iterable[DatasetImage],
    folder: Path,
    longest_side: int,
    counts: Counter[LeftOut],
    taken: set[str],
    kept: KeptPictures | None = None,
) -> Iterator[DatasetImage]:
    """Write the picture of each image into the folder by its file name, and yield the image in that picture's pixels.

    A picture that its camera turned, or that gets smaller, becomes an upright JPEG; others stay as they are, byte for
    byte. Images without a picture are yielded as they are, and counted. `taken`: the file names of all images of the
    project, which no new name may be; new names are added. `kept`: what an earlier export has written, in `folder`.
    """
    for image in images:
        if image.picture is None:
            counts[LeftOut.NO_PICTURE] += 1
            yield image
            continue
        asked, name = _target(folder, image.file_name), _jpeg_name(image.file_name, taken)
        found = kept.find(image.picture, asked, longest_side, _target(folder, name)) if kept else None
        if found is None:
            size = _write(image, folder, longest_side, name, kept)
            if kept:
                written = asked if size is None else _target(folder, name)
                kept.add(image.picture, asked, longest_side, written, size)
        else:
            size = found.size
        if size is None:
            yield image
        else:
            taken.add(name)
            yield scaled(replace(image, path=name), *size)


def _write(
    image: DatasetImage, folder: Path, longest_side: int, name: str, kept: KeptPictures | None
) -> tuple[int, int] | None:
    """Write the picture, by this name if it is made anew. Returns its width and height then, else None."""
    assert image.picture is not None
    with store().open(image.picture) as opened:
        source = cast(BinaryIO, opened)
        smaller = longest_side != AS_THEY_CAME and max(image.width, image.height) > longest_side
        if not smaller and not _is_turned(source):
            source.seek(0)
            _copy(source, _target(folder, image.file_name), kept)
            return None
        source.seek(0)
        side = longest_side if smaller else max(image.width, image.height)
        with render_for_screen(source, longest_side=side) as made:
            _copy(made, _target(folder, name), kept)
            made.seek(0)
            return read_size(made)


def _jpeg_name(file_name: str, taken: Collection[str]) -> str:
    """Return the name of a picture that becomes a JPEG: with another ending, or one more where that name is taken."""
    path = PurePosixPath(file_name)
    if path.suffix.lower() in JPEG:
        return file_name
    name = str(path.with_suffix(".jpg"))
    return f"{file_name}.jpg" if name in taken else name


def _is_turned(source: BinaryIO) -> bool:
    with Image.open(source) as picture:
        return picture.getexif().get(ORIENTATION, 1) != 1


def _target(folder: Path, name: str) -> Path:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"the picture {name!r} would lie outside the export")
    return folder / path


def _copy(source: BinaryIO, target: Path, kept: KeptPictures | None) -> None:
    if kept:
        kept.make_room(target)
    if not target.parent.is_dir():
        target.parent.mkdir(parents=True)
    with target.open("xb") as file:
        shutil.copyfileobj(source, file)


def scaled(image: DatasetImage, width: int, height: int) -> DatasetImage:
    """Return the image in another size, with its boxes in whole pixels, each at least one pixel wide and high."""
    across, down = width / image.width, height / image.height
    boxes = tuple(replace(box, box=_box(box, across, down, width, height)) for box in image.boxes)
    return replace(image, width=width, height=height, boxes=boxes)


def _box(box: DatasetBox, across: float, down: float, width: int, height: int) -> Box:
    x0, x1 = _edges(box.box.x0 * across, box.box.x1 * across, width)
    y0, y1 = _edges(box.box.y0 * down, box.box.y1 * down, height)
    return Box(x0, y0, x1, y1)


def _edges(low: float, high: float, most: int) -> tuple[int, int]:
    start = min(round(low), most - 1)
    return start, min(max(round(high), start + 1), most)
