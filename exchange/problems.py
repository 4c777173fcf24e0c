"""Errors of a source: in one image, which is left out, or in the whole source, which cannot be read."""

from typing import TypeVar

from annotation.bounds import MOST_BAD_LINES
from exchange.dataset import Problem

P = TypeVar("P", bound=Problem)


class SourceError(Exception):
    """The source cannot be read at all; `problem` holds the place and the reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Defect(Exception):
    """An error in the file that is read, with its line if it is known. The reader turns it into a `Problem`."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def problem(self, file: str, image: str = "", key: str = "") -> Problem:
        """Return the problem with the file, and with the image that is left out; `key` tells it from others."""
        return Problem(file=file, line=self.line, image=image, message=self.message, key=key)


def source_error(file: object, message: str, line: int | None = None) -> SourceError:
    """Return the error for a source that cannot be read at all."""
    return SourceError(Problem(file=str(file), line=line, image="", message=message))


class BadRows(list[P]):
    """Problems of rows that cannot be read. A row may have two bytes, and its problem hundreds."""

    def append(self, problem: P) -> None:
        """Keep the problem. Raises SourceError for one too many."""
        super().append(problem)
        if len(self) > MOST_BAD_LINES:
            raise source_error(problem.file, f"has more than {MOST_BAD_LINES:,} rows that cannot be read")
