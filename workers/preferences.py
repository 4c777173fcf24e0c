"""Preferences of a worker for the labelling page, each with its default."""

from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import Any


class DrawBy(StrEnum):
    """The gesture that draws a box."""

    DRAG = "drag"
    TWO_CLICKS = "two clicks"
    EXTREME_POINTS = "extreme points"


@dataclass(frozen=True, slots=True)
class Preferences:
    """One worker's preferences. Raises ValueError for a value of the wrong kind and for two that exclude each other."""

    send_by_itself: bool = False
    """Finished work is submitted without another key. A test never is."""
    draw_by: str | None = None
    """One of `DrawBy`; None: the project's setting."""
    confirm_by_double_click: bool = False
    one_letter_keys: bool = True
    """Keys that type a character act on the labelling page (WCAG 2.1.4 wants them to be switched off at will)."""
    language: str = ""
    """The code of the language of mail; empty: none was chosen."""

    def __post_init__(self) -> None:
        for name in ("send_by_itself", "confirm_by_double_click", "one_letter_keys"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} should be true or false.")
        if self.draw_by is not None and self.draw_by not in tuple(DrawBy):
            raise ValueError(f"draw_by should be null or one of: {', '.join(DrawBy)}.")
        if not isinstance(self.language, str):
            raise ValueError("language should be the code of a language, or empty.")
        if self.confirm_by_double_click and self.draw_by == DrawBy.TWO_CLICKS:
            raise ValueError("A double-click cannot confirm boxes that two clicks draw.")

    def changed(self, changes: dict[str, Any]) -> "Preferences":
        """Return the preferences with some values changed; names that are not known are ignored."""
        known = {field.name for field in fields(self)}
        return replace(self, **{name: value for name, value in changes.items() if name in known})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Preferences":
        """Read stored preferences; a name that is missing has its default."""
        return cls().changed(values)
