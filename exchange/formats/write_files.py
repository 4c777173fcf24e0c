"""Write images as files of a format, as an export of one part."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from exchange.atomic import atomic_file, atomic_folder
from exchange.dataset import DatasetImage
from exchange.formats.format import Format
from exchange.formats.parts import Part, direct_text, make_files, opened_directly
from exchange.formats.phrases import Fates


def write_files(
    data_format: Format,
    images: Iterable[DatasetImage],
    target: Path,
    *,
    categories: Sequence[str] = (),
    fates: Fates | None = None,
) -> int:
    """Write the images to `target`, which appears when everything is written, and return their number.

    The target is a folder, or a file if the format has one or the target ends like one. Raises TargetExists if it is
    not empty, and ValueError for data that the format cannot hold.
    """
    as_file = data_format.is_file(target)
    with (atomic_file if as_file else atomic_folder)(target) as place:
        return write_in_place(data_format, images, place, as_file=as_file, categories=categories, fates=fates)


def write_in_place(
    data_format: Format,
    images: Iterable[Any],
    root: Path,
    *,
    as_file: bool,
    categories: Sequence[str] = (),
    fates: Fates | None = None,
    pictures: str = "",
) -> int:
    """Write the images to `root`, a file or a folder that is there, and return their number. Arguments: see `Part`."""
    assert data_format.write is not None
    layout = data_format.layout(as_file)
    direct = direct_text(layout, root)
    part = Part(root, opened_directly(direct), categories=categories, pictures=pictures, fates=fates or Fates())
    with part:
        for name in direct:
            part.text(name)  # the file of an export of nothing is empty
        count = data_format.write(images, part)
        make_files(layout, part, root)
    return count


def pack_files(
    data_format: Format,
    images: Iterable[DatasetImage],
    folder: Path,
    pictures: Path,
    *,
    part: str = "",
    fates: Fates | None = None,
) -> int:
    """Write rows and pictures together into the folder as files of a part, and return the number of images.

    `pictures`: a folder with the picture of each image once it is asked for; those that were written are removed.
    `part`: empty: the export has no parts.
    """
    packing = data_format.packing
    assert packing is not None
    with Part(folder, fates=fates or Fates()) as texts:
        rows = ((row, _take(pictures / row["file_name"])) for row in packing.rows(images, texts))
        return packing.pack(rows, folder, part or packing.whole)


def _take(picture: Path) -> bytes:
    data = picture.read_bytes()
    picture.unlink()
    return data
