"""Store pictures as they came, under names made of their content, and their renditions for the screen."""

import hashlib
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from django.core.files.base import File
from django.core.files.storage import Storage, default_storage
from django.http import Http404, HttpRequest, HttpResponseBase

from annotation.bounds import MAX_PIXELS
from annotation.decode_picture import PictureError, render_for_screen
from annotation.storage import store

_SUFFIXES = {"JPEG": ".jpg", "PNG": ".png", "WEBP": ".webp", "GIF": ".gif", "BMP": ".bmp"}
_CHUNK = 1 << 20


def store_picture(source: Path | BinaryIO, *, picture_format: str, storage: Storage = default_storage) -> str:
    """Store the original, byte for byte, under a name made of its content, and return that name.

    Storing the same picture again changes nothing, and repairs a file that was cut short.
    """
    if isinstance(source, Path):
        with source.open("rb") as file:
            return store_picture(file, picture_format=picture_format, storage=storage)
    digest, size = _digest(source)
    name = f"originals/{digest[:2]}/{digest}{_SUFFIXES[picture_format]}"
    with suppress(FileNotFoundError):
        if storage.size(name) == size:
            return name
    source.seek(0)
    return storage.save(name, File(source, name=name))


def _digest(source: BinaryIO) -> tuple[str, int]:
    """Return the SHA-256 in hexadecimal, and the size in bytes."""
    source.seek(0)
    digest = hashlib.sha256()
    while data := source.read(_CHUNK):
        digest.update(data)
    return digest.hexdigest(), source.tell()


SIZES = {"thumbnail": 480, "screen": 1600, "full": MAX_PIXELS}
"""The longest side of each size in pixels. A picture is never enlarged."""


def _format_of(size: str) -> str:
    """Programs that label read what workers see; a thumbnail is for browsers alone, and in WebP half as large."""
    return "WEBP" if size == "thumbnail" else "JPEG"


def rendition(name: str, size: str) -> str:
    """Return the name in storage of a rendition of the picture, and make the rendition if it is missing.

    `size` is one of SIZES. Two processes may make the same rendition at once. Raises FileNotFoundError if the picture
    is missing, PictureError if it is damaged, and StorageError if the storage fails.
    """
    made_as = _format_of(size)
    kept = f"renditions/{size}/{PurePosixPath(name).stem}{_SUFFIXES[made_as]}"
    if not store().keeps(kept):
        with store().open(name) as file:
            made = render_for_screen(cast(BinaryIO, file), longest_side=SIZES[size], picture_format=made_as)
        with made:
            store().save(kept, File(made))
    return kept


def picture_response(request: HttpRequest, name: str, size: str) -> HttpResponseBase:
    """Return the rendition of a stored picture, or a redirect to it. The caller has checked the visitor's rights."""
    try:
        return store().delivery(request, rendition(name, size), content_type=f"image/{_format_of(size).lower()}")
    except (FileNotFoundError, PictureError) as error:
        store().check_reachable()
        raise Http404(f"The picture cannot be shown: {error}") from error
