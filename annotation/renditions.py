"""Renditions: upright JPEGs of a few sizes for pages, made once and kept in storage beside the original."""

from pathlib import PurePosixPath
from typing import BinaryIO, cast

from django.core.files.base import File

from annotation.bounds import MAX_PIXELS
from annotation.pictures import render_for_screen
from annotation.storage import store

SIZES = {"thumbnail": 480, "screen": 1600, "full": MAX_PIXELS}
"""The longest side of each size in pixels. A picture is never enlarged."""


def rendition(name: str, size: str) -> str:
    """Return the name in storage of a rendition of the picture, and make the rendition if it is missing.

    `size` is one of SIZES. Two processes may make the same rendition at once. Raises FileNotFoundError if the picture
    is missing, PictureError if it is damaged, and StorageError if the storage fails.
    """
    kept = f"renditions/{size}/{PurePosixPath(name).stem}.jpg"
    if not store().keeps(kept):
        with store().open(name) as file:
            made = render_for_screen(cast(BinaryIO, file), longest_side=SIZES[size])
        with made:
            store().save(kept, File(made))
    return kept
