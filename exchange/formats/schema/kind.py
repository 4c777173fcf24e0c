"""A kind of file that people meet: the type of its rows, and the reader that knows what no schema can say."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from exchange.formats.schema.values import Fault

LINES, WHOLE = True, False
"""An object a line, or one value."""
OPEN, CLOSED = True, False
"""Fields that are not declared are passed over, or refused."""


class Kind(NamedTuple):
    """A kind of file."""

    name: str
    title: str
    row: Any
    """The type of each line, or of the whole file."""
    is_lines: bool = LINES
    passes_over: bool = CLOSED
    """Whether readers pass over fields that they do not know."""
    faults: Callable[[Path], Iterable[Fault]] = lambda path: ()
    """Yields the faults that no schema can tell: references, spans, boxes outside. The file fits its schema."""

    @property
    def unit(self) -> str:
        return (
            "Each line is a JSON object, in UTF-8." if self.is_lines else "The whole file is one JSON value, in UTF-8."
        )
