"""Pictures as pages show them: upright JPEGs of a few sizes, made once and kept in storage beside the original."""

from pathlib import PurePosixPath
from typing import BinaryIO, cast

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from annotation.pictures import MAX_PIXELS, render_for_screen

SIZES = {"thumbnail": 480, "screen": 1600, "full": MAX_PIXELS}
"""Longest sides in pixels; a picture is never enlarged."""


def rendition(name: str, size: str) -> bytes:
    """The picture of this name in storage, in one of SIZES. FileNotFoundError, PictureError.

    Kept in storage, so that every process and the next start find it.
    """
    kept = f"renditions/{size}/{PurePosixPath(name).stem}.jpg"
    if default_storage.exists(kept):
        with default_storage.open(kept) as file:
            return cast(bytes, file.read())
    with default_storage.open(name) as file:
        made = render_for_screen(cast(BinaryIO, file), longest_side=SIZES[size])
    default_storage.save(kept, ContentFile(made))
    return made
