"""Chosen settings [beyond paper 3]: what people chose, apart from what refits learned since.

A version holds the values in force, so that an entry can be folded under it alone. Its chosen settings follow from the
versions so far: a refit leaves them as they were, and a person who changes a learned value chooses it.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from pipeline.rules.settings.protocol import ProtocolSettings

LEARNED = ("link_prior", "link_errors", "program_errors", "box_prior")
"""The settings that refits learn. People can give them, too."""


class InForce(NamedTuple):
    """One version of a project's settings."""

    number: int
    by_refit: bool
    settings: ProtocolSettings


def chosen_settings(versions: Iterable[InForce]) -> dict[int, ProtocolSettings]:
    """Return what people chose, by the number of each version that they made. `versions`: all, from the first on."""
    found: dict[int, ProtocolSettings] = {}
    given: dict[str, Any] = {}
    before: ProtocolSettings | None = None
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
