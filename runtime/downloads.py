"""Files that people download, sent line by line: tables as CSV, and other lines of text."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters that begin a formula in a spreadsheet."""


class _Echo:
    """A file for csv.writer that hands each line on."""

    def write(self, line: str) -> str:
        return line


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield the lines of a table, the names of its columns first. No spreadsheet takes a text for a formula."""
    writer = csv.writer(_Echo())
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([_as_text(cell) if isinstance(cell, str) else cell for cell in row])


def _as_text(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def download(lines: Iterable[str], name: str, media: str = "text/csv") -> StreamingHttpResponse:
    """Send the lines as a file of this name, which nobody keeps for others."""
    response = StreamingHttpResponse(lines, content_type=f"{media}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response
