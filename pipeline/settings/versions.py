"""Versions of settings [beyond paper 3]: the one that an image's next entry is applied under.

An image is begun with the first answer in its record. A version may leave begun images as they are: then it names
itself in `begun_from`, and the versions after it name it as well, until one changes again what begun images follow.
"""

from collections.abc import Iterable
from typing import NamedTuple


class VersionScope(NamedTuple):
    """One version of a project's settings."""

    number: int
    begun_from: int | None
    """Begun images follow only if their last entry was made under this version or a later one. None: they all do."""


def followed_version(versions: Iterable[VersionScope], last: int | None) -> int:
    """Return the number of the version that an image follows from its next entry on.

    `last`: the version of the last entry of a begun image; None for an image that is not begun. It is a function of the
    record alone: versions only follow one another, and each entry names its own.
    """
    return max(number for number, begun in versions if last is None or begun is None or begun <= last)


def begun_from(number: int, *, before: int | None, begun_follow: bool, changes_images: bool) -> int | None:
    """Return `begun_from` of a new version. `before`: that of the version before it.

    A version that changes nothing that acts on images, such as a batch size, leaves every image with what it has.
    """
    if not changes_images:
        return before
    return None if begun_follow else number
