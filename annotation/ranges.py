"""A file as an answer: whole, the part that was asked for (RFC 9110, section 14), or “you have it”."""

import re
from typing import BinaryIO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

# More digits than any file has bytes are no range that was meant.
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class OutOfRange(ValueError):
    """The range begins behind the end of the file."""


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """The bytes [start, stop) that a Range header asks for, of a file of so many bytes; None: all of them.

    What is not understood, and several ranges at once, mean the whole file. Raises OutOfRange.
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
    """The file, read in pieces and closed at the end. `tag`: its ETag; `filename`: what a browser saves it as."""
    size = file.seek(0, 2)
    file.seek(0)
    unchanged = get_conditional_response(request, etag=tag)
    try:
        part = None if unchanged else byte_range(_wanted(request, tag), size)
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


def _wanted(request: HttpRequest, tag: str) -> str:
    """The Range header, where it counts: a browser that holds the beginning of another file needs all of this one."""
    same = request.headers.get("If-Range", tag) == tag
    return request.headers.get("Range", "") if same and request.method == "GET" else ""


class _Part:
    """The bytes [start, stop) of a file, for FileResponse: something to read and close."""

    def __init__(self, file: BinaryIO, start: int, stop: int) -> None:
        self._file, self._left = file, stop - start
        self.close = file.close
        file.seek(start)

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data
