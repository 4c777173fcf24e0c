"""Storage of files, in a folder or in a bucket. No other code knows which of the two it is.

A file's name is made of its content. So saving a file again changes nothing, and a served file stays valid.
"""

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
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header

from annotation.ranges import file_response
from annotation.storage_error import StorageError

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
