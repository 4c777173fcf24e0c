"""What can be wrong with a source: with one image (it is left out), or with the whole (nothing can be read)."""

from exchange.dataset import Problem


class SourceError(Exception):
    """The source as a whole cannot be read; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Defect(Exception):
    """Something wrong in the file being read, at a line if that is known; the reader makes it a `Problem`."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line

    def problem(self, file: str, image: str = "") -> Problem:
        """Say in which file it was found and which image is left out because of it."""
        return Problem(file=file, line=self.line, image=image, message=self.message)


def source_error(file: object, message: str, line: int | None = None) -> SourceError:
    """The error for a source that cannot be read at all."""
    return SourceError(Problem(file=str(file), line=line, image="", message=message))
