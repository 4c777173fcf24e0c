"""Drawing [paper 3.2.2]: one worker's drawing of a thing. A box can be made of several."""

from typing import NamedTuple

from annotation.rules.box import Box


class Drawing(NamedTuple):
    """One drawing of a thing."""

    entry: int
    worker: int | None
    """The program, if it proposed the box; None for an expert."""
    box: Box
    """As it was drawn."""
