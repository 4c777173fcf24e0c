"""Images written in any file format, as exports write them."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from exchange.dataset import DatasetImage
from exchange.formats.format import Format, pack_files, write_in_place
from exchange.formats.phrases import ExportNote


def write_data(
    data_format: Format,
    images: Sequence[DatasetImage],
    folder: Path,
    *,
    name: str = "set",
    notes: Counter[ExportNote] | None = None,
    picture: Callable[[DatasetImage], bytes] = lambda image: b"a picture",
) -> Path:
    """Write the images into a folder that is there, and return it, or the file of this name in it.

    `picture`: makes the picture of an image, for a format that packs pictures.
    """
    if data_format.packing:
        pictures = folder / "pictures"
        for image in images:
            (pictures / image.file_name).parent.mkdir(parents=True, exist_ok=True)
            (pictures / image.file_name).write_bytes(picture(image))
        assert pack_files(data_format, images, folder, pictures, notes=notes) == len(images)
        for emptied in sorted([pictures, *pictures.rglob("*")], reverse=True):
            emptied.rmdir()
        return folder
    root = folder / f"{name}{data_format.ending}" if data_format.ending else folder
    assert write_in_place(data_format, images, root, as_file=bool(data_format.ending), notes=notes) == len(images)
    return root
