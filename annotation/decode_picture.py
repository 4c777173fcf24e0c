"""Decode pictures of others: measure them, verify them, and render them for the screen. It needs no database."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, cast

from PIL import Image, UnidentifiedImageError

from annotation.bounds import MAX_PIXELS, MOST_SCANS, PICTURE_BYTES, WEBP_PIXELS
from runtime.disk_errors import DEVICE, StorageError

LONGEST_SIDE = 1600
_QUALITY = {"JPEG": 88, "WEBP": 80}
"""The longest side of the rendition for the screen, in pixels."""

_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP")
_ORIENTATION = 0x0112
_CHUNK = 1 << 20
_SCAN = b"\xff\xda"
# By EXIF orientation, the turn that shows the stored pixels upright.
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class PictureError(Exception):
    """A picture cannot be used. The message continues a sentence that begins with the file's name."""


@dataclass(frozen=True, slots=True)
class PictureInfo:
    """Width and height in upright pixels, the file's format, and its EXIF orientation (1 to 8)."""

    width: int
    height: int
    format: str
    orientation: int


def verify_picture(source: Path | BinaryIO, *, max_pixels: int = MAX_PIXELS) -> PictureInfo:
    """Decode the whole picture, whatever its file is called, and describe it. Raises PictureError if it is damaged.

    Also raises PictureError for a file beyond the bounds. Decoding takes up to a second: never call it while a
    transaction is open.
    """
    try:
        size = source.stat().st_size if isinstance(source, Path) else source.seek(0, SEEK_END)
    except OSError as error:
        raise PictureError(f"cannot be read ({error.strerror})") from error
    if size > PICTURE_BYTES:
        raise PictureError(f"has {size:,} bytes, and at most {PICTURE_BYTES:,} are allowed")
    with _opened(source, max_pixels) as picture:
        orientation = _orientation(picture)
        if _format(picture) == "JPEG":
            _check_scans(source)
        _guarded(picture.load)
        width, height = _upright(picture.size, orientation)
        return PictureInfo(width, height, _format(picture), orientation)


def read_size(source: Path | BinaryIO, *, max_pixels: int = MAX_PIXELS) -> tuple[int, int]:
    """Return the upright width and height in pixels, from the head of the file alone: later damage is not found."""
    with _opened(source, max_pixels) as picture:
        return _upright(picture.size, _orientation(picture))


def render_for_screen(
    source: Path | BinaryIO,
    *,
    max_pixels: int = MAX_PIXELS,
    longest_side: int = LONGEST_SIDE,
    picture_format: str = "JPEG",
) -> BinaryIO:
    """Return a temporary file with the upright picture of at most `longest_side` pixels, on white, without metadata.

    `picture_format`: JPEG or WEBP.
    """
    with _opened(source, max_pixels) as picture:
        # Of colours in sixteen bits only the upper eight are decoded; after that the picture no longer tells.
        sixteen = any(";16" in str(tile[3]) for tile in getattr(picture, "tile", ()))
        orientation = _orientation(picture)
        size = (longest_side, longest_side)
        if picture.mode in ("RGB", "L"):
            # The picture is not decoded yet, so a large JPEG is decoded at a fraction of its size.
            _guarded(lambda: picture.thumbnail(size, reducing_gap=2.0))
        _guarded(picture.load)
        shown = _flattened(picture)
        if sixteen and picture.mode == "RGB":
            shown = _brightened(shown, 8)
        shown.thumbnail(size, reducing_gap=2.0)
        return _bare(_turned(shown, orientation), picture_format)


@contextmanager
def _opened(source: Path | BinaryIO, max_pixels: int) -> Iterator[Image.Image]:
    """Open the picture, reading only its head. Its declared size is checked before anything is decoded."""
    if not isinstance(source, Path):
        source.seek(0)
    try:
        # All threads share the warning filters; a thread that loses this one still meets the limit below.
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(source, formats=_FORMATS)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise PictureError("declares a size that no photograph has, so it was not read") from error
    except StorageError:
        raise  # the storage failed, not the picture
    except UnidentifiedImageError as error:
        raise PictureError("is not a picture (JPEG, PNG, WebP, GIF or BMP), or its beginning is damaged") from error
    except Exception as error:  # decoders raise anything at hostile bytes
        _raise_failed_disk(error)
        opening = isinstance(error, OSError) and error.strerror
        raise PictureError(f"cannot be read: {opening}" if opening else f"is damaged: {error}") from error
    with picture:
        width, height = picture.size
        most, of = (min(max_pixels, WEBP_PIXELS), " in WebP") if picture.format == "WEBP" else (max_pixels, "")
        if width * height > most:
            raise PictureError(f"is {width} x {height} pixels, and at most {most:,} pixels are allowed{of}")
        if width * height == 0:
            raise PictureError("has no pixels")
        yield picture


def _check_scans(source: Path | BinaryIO) -> None:
    """Raise PictureError for a JPEG with very many scans: in its compressed data their sign stands for nothing else."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            _check_scans(file)
            return
    source.seek(0)
    scans, last = 0, b""
    while data := source.read(_CHUNK):
        scans += (last + data).count(_SCAN)
        last = data[-1:]
    if scans > MOST_SCANS:
        raise PictureError(f"has {scans:,} scans, and at most {MOST_SCANS} are allowed: save it anew")


def _raise_failed_disk(error: Exception) -> None:
    if isinstance(error, OSError) and error.errno in DEVICE:
        raise StorageError(f"the disk fails: {error}") from error


def _guarded(decode: Callable[[], object]) -> None:
    """Run a step that decodes pixels. Raises PictureError with a plain message if it fails."""
    try:
        decode()
    except StorageError:
        raise
    except Exception as error:  # decoders raise anything at hostile bytes
        _raise_failed_disk(error)
        if "truncated" in str(error).lower() or isinstance(error, EOFError):
            raise PictureError("is truncated: its end is missing. Copy it again") from error
        raise PictureError(f"is damaged: {error}") from error


def _orientation(picture: Image.Image) -> int:
    try:
        value = picture.getexif().get(_ORIENTATION, 1)
    except Exception:  # damaged EXIF; the pixels may still be good
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _upright(size: tuple[int, int], orientation: int) -> tuple[int, int]:
    width, height = size
    return (height, width) if orientation >= 5 else (width, height)


def _format(picture: Image.Image) -> str:
    # Phones write JPEG files with several pictures inside; the first one counts.
    return "JPEG" if picture.format == "MPO" else str(picture.format)


def _flattened(picture: Image.Image) -> Image.Image:
    """Convert any mode to RGB: sixteen bits are scaled to eight, and transparent pixels are put on white."""
    if picture.mode.startswith("I"):
        return _brightened(picture.convert("I"), 16).convert("L").convert("RGB")
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("RGB")
    return picture.convert("RGB")


def _brightened(picture: Image.Image, bits: int) -> Image.Image:
    """Scale values of `bits` bits to eight, by the bits that they use.

    Cameras and scanners keep 10, 12 or 14 bits in 16, and nothing in the file says so.
    """
    found = picture.getextrema()
    largest = max(int(sample[1]) if isinstance(sample, tuple) else int(sample) for sample in found)
    used = next(
        depth for depth in (bits - 8, bits - 6, bits - 4, bits - 2, bits) if largest < 1 << depth or depth == bits
    )
    factor = 2.0 ** (8 - max(used, 1))
    return picture if factor == 1 else picture.point(lambda value: value * factor)


def _turned(picture: Image.Image, orientation: int) -> Image.Image:
    turn = _TURNS.get(orientation)
    return picture if turn is None else picture.transpose(turn)


def _bare(picture: Image.Image, picture_format: str) -> BinaryIO:
    # A new image has no comment, EXIF or GPS position that Pillow could carry over.
    bare = Image.new(picture.mode, picture.size)
    bare.paste(picture)
    target = cast(BinaryIO, TemporaryFile())  # noqa: SIM115  # the caller closes it
    bare.save(target, picture_format, quality=_QUALITY[picture_format], optimize=True)
    target.seek(0)
    return target
