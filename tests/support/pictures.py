"""Pictures made for tests, as the bytes of their files."""

import io
from typing import Any

from PIL import Image


def encoded(picture: Image.Image, picture_format: str, **options: Any) -> bytes:
    """The picture as a file of this format."""
    target = io.BytesIO()
    picture.save(target, picture_format, **options)
    return target.getvalue()


def plain_jpeg(width: int = 40, height: int = 30, colour: tuple[int, int, int] = (90, 120, 200)) -> bytes:
    """A small JPEG of one colour."""
    return encoded(Image.new("RGB", (width, height), colour), "JPEG")
