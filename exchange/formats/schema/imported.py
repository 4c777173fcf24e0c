"""Faults of a file by the reader that imports use: references, spans, boxes outside."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from exchange.beyond_bounds import beyond_bounds
from exchange.dataset import DatasetImage, Problem
from exchange.formats.picture_files import FolderPictures, Pictures
from exchange.formats.schema.values import Fault
from exchange.problems import SourceError

Reader = Callable[[Path, Pictures], Iterator[DatasetImage | Problem]]


def imported(path: Path, reader: Reader, name: str, others: Mapping[str, str] | None = None) -> Iterator[Fault]:
    """Read the file as an import does, without pictures, and yield what it complains of.

    `name`: by which the reader finds it. `others`: files beside it that belong to it, by the names for the reader.
    """
    with tempfile.TemporaryDirectory() as folder:
        for other, file in {**{name: path.name}, **(others or {})}.items():
            if (path.parent / file).is_file():
                (Path(folder) / other).symlink_to((path.parent / file).resolve())
        try:
            for read in reader(Path(folder), FolderPictures(Path(folder))):
                if isinstance(read, Problem):
                    yield _fault(read, name)
                elif message := beyond_bounds(read):
                    yield _fault(Problem(name, None, read.path or read.name, message), name)
        except SourceError as error:
            yield _fault(error.problem, name)


def _fault(problem: Problem, name: str) -> Fault:
    where = "" if problem.file in (name, "") or problem.file.startswith("/") else f"{problem.file}: "
    left_out = f" (image {problem.image} would be left out)" if problem.image else ""
    return Fault(problem.line, f"{where}{problem.message}{left_out}")
