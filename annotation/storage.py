"""Storage of files, in a folder or in a bucket. No other code knows which of the two it is.

A file's name is made of its content. So saving a file again changes nothing, and a served file stays valid.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, cast
from urllib.parse import quote

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, storages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils.http import content_disposition_header
from storages.backends.s3 import S3Storage

from annotation.ranges import file_response
from annotation.s3 import AS_A_STREAM, StorageError, bucket_config, fetch, plain_errors

DAY = 24 * 3600
SIGNED_SECONDS = 3600
"""Seconds for which an address in the bucket works."""
FOLLOWED_SECONDS = 300
"""Seconds for which a browser may keep such an address. It ends early if the keys that signed it expire."""
KNOWN_AT_MOST = 20_000


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


class BucketStorage(S3Storage):
    """Files in a private S3 bucket. Browsers fetch them from addresses that are signed for an hour."""

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._making = threading.Lock()
        self._made: Any = None
        self._known: set[str] = set()
        super().__init__(
            **{
                "file_overwrite": True,
                "default_acl": None,
                "querystring_auth": True,
                "object_parameters": {"CacheControl": "private, max-age=31536000, immutable"},
                "client_config": bucket_config(options["bucket_name"], options.get("endpoint_url")),
                "transfer_config": AS_A_STREAM,
                **options,
            }
        )

    def get_default_settings(self) -> dict[str, Any]:
        """Add `public_url`: the address at which browsers reach the store, if it is not its endpoint_url."""
        return super().get_default_settings() | {"public_url": None}

    @property
    def connection(self) -> Any:
        """One connection for the process. The base class makes one for each thread, of ten megabytes each."""
        with self._making:
            if self._made is None:
                self._made = self._create_session().resource(
                    "s3", region_name=self.region_name, endpoint_url=self.endpoint_url, config=self.client_config
                )
        return self._made

    def _open(self, name: str, mode: str = "rb") -> Any:
        return File(fetch(self.connection.meta.client, self.bucket_name, self._normalize_name(name)), name)

    def _save(self, name: str, content: Any) -> str:
        with plain_errors():
            return cast(str, super()._save(name, content))

    def exists(self, name: str) -> bool:
        with plain_errors():
            return cast(bool, super().exists(name))

    def size(self, name: str) -> int:
        with plain_errors():
            return cast(int, super().size(name))

    def delete(self, name: str) -> None:
        with plain_errors():
            super().delete(name)

    def get_modified_time(self, name: str) -> datetime:
        with plain_errors():
            return cast(datetime, super().get_modified_time(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with plain_errors():
            return cast(tuple[list[str], list[str]], super().listdir(path))

    def keeps(self, name: str) -> bool:
        """Whether the file is there for good. The bucket is asked again until it has the file."""
        if name not in self._known:
            if not self.exists(name):
                return False
            if len(self._known) >= KNOWN_AT_MOST:
                self._known.clear()
            self._known.add(name)
        return True

    def check_reachable(self) -> None:
        """Do nothing: a bucket that is unreachable fails by itself."""

    @cached_property
    def public(self) -> "BucketStorage":
        """The bucket at the address that browsers use, because a signature covers the address."""
        if not self.public_url:
            return self
        return BucketStorage(**{**self._options, "endpoint_url": self.public_url, "public_url": None})

    def delivery(
        self, request: HttpRequest, name: str, *, content_type: str, filename: str = "", max_age: int = DAY
    ) -> HttpResponseBase:
        """Redirect to the file in the bucket, which serves ranges itself. Nobody checks that the file is there.

        The redirect has no ETag, or a browser would be told that an expired address is still good.
        """
        said = {"ResponseContentType": content_type}
        if filename:
            said["ResponseContentDisposition"] = content_disposition_header(True, filename) or ""
        method = "HEAD" if request.method == "HEAD" else "GET"
        with plain_errors():
            response = HttpResponseRedirect(self.public.url(name, said, SIGNED_SECONDS, method))
        response["Cache-Control"] = f"private, max-age={min(max_age, FOLLOWED_SECONDS)}"
        return response


def store() -> FolderStorage | BucketStorage:
    """Return the storage of the service's pictures and exports."""
    return cast(FolderStorage | BucketStorage, storages["default"])
