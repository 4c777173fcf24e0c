"""Serve a file whole, in the range that was asked for (RFC 9110, section 14), or as “not modified”."""

import re
from typing import BinaryIO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

# No file has a size of more than 18 digits.
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class OutOfRange(ValueError):
    """The range begins after the end of the file."""


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """Return the bytes [start, stop) of a file that a Range header asks for; None means the whole file.

    An unreadable header, or one with several ranges, asks for the whole file. Raises OutOfRange if the range begins
    after the end of the file.
    """
    found = _RANGE.fullmatch(header.strip())
    first, last = found.groups() if found else ("", "")
    if not first and not last:
        return None
    if first and last and int(first) > int(last):
        return None
    start = int(first) if first else max(0, size - int(last))
    stop = min(size, int(last) + 1) if first and last else size
    if start >= size:
        raise OutOfRange(f"the file has {size} bytes")
    return start, stop


def file_response(
    request: HttpRequest, file: BinaryIO, *, tag: str, content_type: str, filename: str = ""
) -> HttpResponseBase:
    """Respond with the file, which is read in pieces and closed at the end.

    `tag` is its ETag, and `filename` the name under which a browser saves it.
    """
    size = file.seek(0, 2)
    file.seek(0)
    unchanged = get_conditional_response(request, etag=tag)
    try:
        part = None if unchanged else byte_range(_requested_range(request, tag), size)
    except OutOfRange:
        unchanged = HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    if unchanged is not None:
        file.close()
        return unchanged
    response = FileResponse(
        _Part(file, *part) if part else file, as_attachment=bool(filename), filename=filename, content_type=content_type
    )
    if part:
        response.status_code = 206
        response["Content-Range"] = f"bytes {part[0]}-{part[1] - 1}/{size}"
        response["Content-Length"] = str(part[1] - part[0])
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = tag
    return response


def _requested_range(request: HttpRequest, tag: str) -> str:
    """Return the Range header, or "" for a browser that holds the beginning of another file and needs all of this."""
    same = request.headers.get("If-Range", tag) == tag
    return request.headers.get("Range", "") if same and request.method == "GET" else ""


class _Part:
    """The bytes [start, stop) of a file, as an object that FileResponse can read and close."""

    def __init__(self, file: BinaryIO, start: int, stop: int) -> None:
        self._file, self._left = file, stop - start
        self.close = file.close
        file.seek(start)

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data
