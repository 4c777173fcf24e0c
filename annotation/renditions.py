"""Pictures as pages show them: upright JPEGs of a few sizes, made once and kept in storage beside the original."""

from pathlib import PurePosixPath
from typing import BinaryIO, cast

from django.core.files.base import File

from annotation.pictures import MAX_PIXELS, render_for_screen
from annotation.storage import store

SIZES = {"thumbnail": 480, "screen": 1600, "full": MAX_PIXELS}
"""Longest sides in pixels; a picture is never enlarged."""


def rendition(name: str, size: str) -> str:
    """The name in storage of the picture of this name in one of SIZES, made now if it isn't there yet.

    Raises FileNotFoundError, PictureError and StorageError. Two who make it at once make the same file.
    """
    kept = f"renditions/{size}/{PurePosixPath(name).stem}.jpg"
    if not store().keeps(kept):
        with store().open(name) as file:
            made = render_for_screen(cast(BinaryIO, file), longest_side=SIZES[size])
        with made:
            store().save(kept, File(made))
    return kept
