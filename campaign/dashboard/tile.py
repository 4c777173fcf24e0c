"""Tile: one figure of the dashboard, with what it means."""

from typing import NamedTuple


class Tile(NamedTuple):
    """One figure."""

    name: str
    label: str
    value: str
    about: str = ""
