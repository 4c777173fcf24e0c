"""Captions that somebody pastes, from a table or typed in, as the text of a captions.csv."""

import csv
import io

from annotation.bounds import JSON_BYTES


class PastedError(Exception):
    """The pasted text is no list of captions; the message says what to write."""


def as_caption_file(text: str) -> tuple[str, int]:
    """Return the text of captions.csv, and the number of its captions.

    A line is the name of a picture file and a caption, with a comma or a tab between; a header is allowed. A caption
    that is not in quotes may hold commas. Raises PastedError.
    """
    if len(text.encode()) > JSON_BYTES:
        raise PastedError("The captions are too long to be pasted: upload them as captions.csv.")
    rows = [row for row in _rows(text) if row != ("image", "caption")]
    if not rows:
        raise PastedError("Paste at least one line: the name of a picture file, a comma or a tab, and its caption.")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("image", "caption"))
    writer.writerows(rows)
    return out.getvalue(), len(rows)


def _rows(text: str) -> list[tuple[str, str]]:
    lines = text.replace("\r\n", "\n").split("\n")
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        between = "\t" if "\t" in line else ","
        image, found, caption = line.partition(between)
        if line.lstrip().startswith('"') or caption.lstrip().startswith('"'):
            image, *rest = next(csv.reader([line], delimiter=between, skipinitialspace=True), [""])
            caption, found = between.join(rest), between if rest else ""
        if not found or not image.strip() or not caption.strip():
            raise PastedError(
                f"Line {number} ({line.strip()[:40]!r}) is no caption: write the name of a picture file, a comma or a "
                "tab, and its caption."
            )
        image, caption = image.strip(), caption.strip()
        header = (image.lower(), caption.lower()) == ("image", "caption")
        rows.append(("image", "caption") if header else (image, caption))
    return rows
