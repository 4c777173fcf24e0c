"""Words of a setting [paper 3]: what a setting says of itself where it is declared, beside its type and range.

A field of a group of settings is declared once: `name: range = setting(default, label, effect, …)`.
"""

from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class SettingKind(StrEnum):
    """The shape of a setting's value. A range whose Python type does not tell its kind holds it as metadata."""

    NUMBER = "number"
    PERCENT = "percent"
    CHOICE = "choice"
    FLAG = "flag"
    TEXT = "text"
    TYPES = "types"
    PAIRS = "pairs"
    EDITS = "edits"
    PRIOR = "prior"
    ERRORS = "errors"
    PROGRAMS = "programs"
    COSTS = "costs"
    WORKERS = "workers"
    FAMILIES = "families"


class SettingChoice(NamedTuple):
    """One value that a setting may have, with a sentence that says what it does."""

    value: str
    sentence: str


@dataclass(frozen=True)
class Words:
    """The words that a requester reads about a setting."""

    label: str
    changes: str
    """A sentence: the effect of the setting."""
    _: KW_ONLY
    unit: str = ""
    """Of a number. A fraction without a unit is a share, and shown in per cent."""
    paper: Any = None
    """The paper's value; None: not in the paper."""
    paper_words: str = ""
    """The paper's own words, where it has no value that could be compared."""
    choices: tuple[SettingChoice, ...] = ()
    """The values, if there are few."""
    acts_on_images: bool = True
    """False: the fold of an image does not read it, though it reads the group."""
    common: int = 0
    """The setting's place among those that requesters turn most, which the form shows first. 0: the form folds it."""


WORDS_KEY = "words"
"""The key under which the metadata of a field holds its words."""


def setting(default: Any, label: str, changes: str, **more: Any) -> Any:
    """Return a field of a group of settings with this default and these words. `more`: further ones of `Words`."""
    words = {WORDS_KEY: Words(label, changes, **more)}
    if isinstance(default, dict):
        return field(default_factory=lambda: deepcopy(default), metadata=words)
    return field(default=default, metadata=words)
