"""Versions of settings [beyond paper 3]: the one that an image's next entry is applied under, and what people chose.

An image is begun with the first answer in its record. A version may leave begun images as they are: then it names
itself in `begun_from`, and the versions after it name it as well, until one changes again what begun images follow.

A version holds the values in force, so that an entry can be folded under it alone. Its chosen settings follow from the
versions so far: a refit leaves them as they were, and a person who changes a learned value chooses it.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from pipeline.settings.settings import Settings


class Version(NamedTuple):
    """One version of a project's settings."""

    number: int
    begun_from: int | None
    """Begun images follow only if their last entry was made under this version or a later one. None: they all do."""


def followed_version(versions: Iterable[Version], last: int | None) -> int:
    """Return the number of the version that an image follows from its next entry on.

    `last`: the version of the last entry of a begun image; None for an image that is not begun. It is a function of the
    record alone: versions only follow one another, and each entry names its own.
    """
    return max(one.number for one in versions if last is None or one.begun_from is None or one.begun_from <= last)


def begun_from(number: int, *, before: int | None, begun_follow: bool, changes_images: bool) -> int | None:
    """Return `begun_from` of a new version. `before`: that of the version before it.

    A version that changes nothing that acts on images, such as a batch size, leaves every image with what it has.
    """
    if not changes_images:
        return before
    return None if begun_follow else number


LEARNED = ("link_prior", "link_errors", "program_errors", "box_prior")
"""The settings that refits learn. People can give them, too."""


class InForce(NamedTuple):
    """One version of a project's settings."""

    number: int
    by_refit: bool
    settings: Settings


def chosen_settings(versions: Iterable[InForce]) -> dict[int, Settings]:
    """Return what people chose, by the number of each version that they made. `versions`: all, from the first on."""
    found: dict[int, Settings] = {}
    given: dict[str, Any] = {}
    before: Settings | None = None
    for number, by_refit, now in versions:
        for name in LEARNED:
            if before is None or getattr(before, name) == getattr(now, name):
                continue
            if by_refit:
                given.setdefault(name, getattr(before, name))
            else:
                given.pop(name, None)
        if not by_refit:
            found[number] = replace(now, **given)
        before = now
    return found
