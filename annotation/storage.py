"""Storage of files, in a folder or in a bucket. No other code knows which of the two it is.

A file's name is made of its content. So saving a file again changes nothing, and a served file stays valid.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import quote

from django.conf import settings
from django.core import checks
from django.core.files.storage import FileSystemStorage, storages
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header

from runtime.disk_errors import StorageError

if TYPE_CHECKING:  # a service with a folder does not load boto3, a tenth of the start of a process
    from annotation.bucket_storage import BucketStorage


DAY = 24 * 3600


@contextmanager
def folder_errors() -> Iterator[None]:
    """Turn errors of the folder into StorageError, except FileNotFoundError."""
    try:
        yield
    except (FileNotFoundError, StorageError):
        raise
    except OSError as error:
        raise StorageError(f"the folder of files fails: {error}") from error


class FolderStorage(FileSystemStorage):
    """Files in a folder. A reader sees a file whole or not at all. Methods raise StorageError if the folder fails."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_overwrite": True, **options})

    def _save(self, name: str, content: Any) -> str:
        beside = f".partial/{token_hex(8)}"  # held by a lock while it is written: see exchange/leftovers.py
        with folder_errors():
            try:
                super()._save(beside, content)  # type: ignore[misc]  # the stubs lack it
                target = Path(self.path(name))
                target.parent.mkdir(parents=True, exist_ok=True)
                Path(self.path(beside)).replace(target)
            except BaseException:
                with suppress(OSError, StorageError):  # the first error says more
                    self.delete(beside)
                with suppress(OSError):  # other files are being written
                    Path(self.path(".partial")).rmdir()
                raise
        return name

    def _open(self, name: str, mode: str = "rb") -> Any:
        with folder_errors():
            return super()._open(name, mode)  # type: ignore[misc]  # the stubs lack it

    def check_reachable(self) -> None:
        """Raise StorageError if the whole folder is missing, as when its disk is not mounted."""
        if not Path(self.location).is_dir():
            raise StorageError(f"the folder of files is missing: {self.location}")

    def exists(self, name: str) -> bool:
        """Whether there is such a file. The base class takes a folder that cannot be read for an empty one."""
        with folder_errors():
            try:
                Path(self.path(name)).lstat()
            except FileNotFoundError:
                return False
            return True

    def size(self, name: str) -> int:
        with folder_errors():
            return super().size(name)

    def delete(self, name: str) -> None:
        with folder_errors():
            super().delete(name)

    def get_modified_time(self, name: str) -> datetime:
        with folder_errors():
            return super().get_modified_time(name)

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with folder_errors():
            return super().listdir(path)

    def keeps(self, name: str) -> bool:
        """Whether the file is there for good."""
        return self.exists(name)

    def delivery(
        self, request: HttpRequest, name: str, *, content_type: str, filename: str = "", max_age: int = DAY
    ) -> HttpResponseBase:
        """Respond with the file, or the range that the browser asks for. Raises FileNotFoundError if there is none.

        With ACCEL_REDIRECT the response only names the file, and the proxy sends it.
        """
        if settings.ACCEL_REDIRECT:
            return self._named_for_proxy(name, content_type=content_type, filename=filename, max_age=max_age)
        file = cast(BinaryIO, self.open(name).file)
        response = file_response(request, file, tag=f'"{name}"', content_type=content_type, filename=filename)
        response["Cache-Control"] = f"private, max-age={max_age}"
        return response

    def _named_for_proxy(self, name: str, *, content_type: str, filename: str, max_age: int) -> HttpResponse:
        Path(self.path(name)).stat()
        response = HttpResponse(content_type=content_type)
        response["X-Accel-Redirect"] = settings.ACCEL_REDIRECT + quote(name)
        response["Cache-Control"] = f"private, max-age={max_age}"
        if filename:
            response["Content-Disposition"] = content_disposition_header(True, filename) or ""
        return response


def store() -> "FolderStorage | BucketStorage":
    """Return the storage of the service's pictures and exports."""
    return cast("FolderStorage | BucketStorage", storages["default"])


HINT = (
    "See S3_BUCKET, S3_ENDPOINT_URL and S3_REGION, and give the keys s3:ListBucket, too: "
    "without it a missing file cannot be told from a forbidden one."
)


@checks.register(deploy=True)
def storage_answers(**_: Any) -> list[checks.CheckMessage]:
    """Return an error if the storage cannot tell whether a file is missing."""
    try:
        store().exists("originals/none")
    except StorageError as error:
        return [checks.Error(str(error), hint=HINT, id="annotation.E001")]
    return []


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
