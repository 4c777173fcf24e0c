"""Captions that somebody pastes, from a table or typed in, as the text of a captions.csv."""

import csv
import io
import re
from collections.abc import Sequence

from annotation.bounds import JSON_BYTES
from exchange.formats.pictures import SUFFIXES

MAX_LINES_NAMED = 5
"""Lines of which the message says that they are not captions."""
LONGEST_CELL = 20
"""Lines that a caption in quotes may have."""
_NAMED = re.compile(rf'("?).+?(?:{"|".join(map(re.escape, sorted(SUFFIXES)))})\1\s*([,;\t])', re.IGNORECASE)
_ANY = re.compile("[,;]")


class PastedError(Exception):
    """The pasted text is not a list of captions; the message says what to write."""


def as_caption_file(text: str) -> tuple[str, int]:
    """Return the text of captions.csv, and the number of its captions.

    A line is the name of a picture file and a caption, with a comma, a semicolon or a tab between; a header is allowed.
    A caption that is not in quotes may hold all three. Raises PastedError that names the lines that are none.
    """
    if len(text.encode()) > JSON_BYTES:
        raise PastedError("The captions are too long to be pasted: upload them as captions.csv.")
    rows, bad = _rows(re.split("\r\n|\r|\n", text))
    if bad:
        raise PastedError(
            f"{_named(bad)}: write the name of a picture file, a comma, a semicolon or a tab, and its caption."
        )
    if not rows:
        raise PastedError("Paste at least one line: the name of a picture file, a comma or a tab, and its caption.")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("image", "caption"))
    writer.writerows(rows)
    return out.getvalue(), len(rows)


def _rows(lines: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the rows, without a header, and the lines that are none, as a message names them."""
    rows, bad, at = [], [], 0
    while at < len(lines):
        row, taken = _row(lines[at : at + LONGEST_CELL])
        line, number, at = lines[at].strip(), at + 1, at + taken
        if not line or (row and (row[0].lower(), row[1].lower()) == ("image", "caption")):
            continue
        if row is None:
            bad.append(f"{number} ({line[:40]!r})")
        else:
            rows.append(row)
    return rows, bad


def _named(bad: Sequence[str]) -> str:
    """Return which lines are not captions."""
    if len(bad) == 1:
        return f"Line {bad[0]} is not a caption"
    last = (
        bad[MAX_LINES_NAMED - 1 : MAX_LINES_NAMED]
        if len(bad) <= MAX_LINES_NAMED
        else [f"{len(bad) - MAX_LINES_NAMED + 1} more"]
    )
    shown = [*bad[: MAX_LINES_NAMED - 1], *last]
    return f"Lines {', '.join(shown[:-1])} and {shown[-1]} are not captions"


def _row(lines: Sequence[str]) -> tuple[tuple[str, str] | None, int]:
    """Read the row that begins the lines. Returns it, None if it is none, and how many lines it takes."""
    line = lines[0]
    between = _between(line)
    image, _, caption = line.partition(between)
    taken = 1
    if line.lstrip().startswith('"') or caption.lstrip().startswith('"'):
        # Quotes around a whole cell belong to the table; all others belong to the caption.
        for several in range(1, len(lines) + 1):
            if cells := _cells("\n".join(lines[:several]), between):
                image, caption, taken = *cells, several
                break
    image, caption = image.strip(), caption.strip()
    return ((image, caption) if image and caption else None), taken


def _between(line: str) -> str:
    """Return what stands between the name and the caption."""
    if "\t" in line:
        return "\t"
    if named := _NAMED.match(line.lstrip()):
        return named[2]
    found = _ANY.search(line)
    return found[0] if found else ","


def _cells(text: str, between: str) -> tuple[str, str] | None:
    """Read the text as one row of a table; None if its quotes do not stand around whole cells."""
    try:
        rows = list(csv.reader([text], delimiter=between, skipinitialspace=True, strict=True))
    except csv.Error:
        return None
    image, *rest = rows[0] if len(rows) == 1 else [""]
    return image, between.join(rest)
