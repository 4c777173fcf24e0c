"""Storage of files in an S3 bucket. Only a service with a bucket loads it."""

import threading
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from django.core.files.base import File
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.utils.http import content_disposition_header
from storages.backends.s3 import S3Storage

from annotation.s3 import AS_A_STREAM, bucket_config, fetch, storage_errors
from annotation.storage import DAY

SIGNED_SECONDS = 900
"""Seconds for which an address in the bucket works, as many as stores let clocks differ. What has begun goes on."""
FOLLOWED_SECONDS = 300
"""Seconds for which a browser may keep such an address. It ends early if the keys that signed it expire."""
KNOWN_AT_MOST = 20_000
AT_A_TIME = 1000
"""The most files that one request deletes."""


class BucketStorage(S3Storage):
    """Files in a private S3 bucket. Browsers fetch them from addresses that are signed for a quarter of an hour."""

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
        with storage_errors():
            return cast(str, super()._save(name, content))

    def exists(self, name: str) -> bool:
        with storage_errors():
            return cast(bool, super().exists(name))

    def size(self, name: str) -> int:
        with storage_errors():
            return cast(int, super().size(name))

    def delete(self, name: str) -> None:
        with storage_errors():
            super().delete(name)

    def delete_many(self, names: Iterable[str]) -> None:
        """Delete files, a thousand with each request."""
        keys = [{"Key": self._normalize_name(name)} for name in names]
        with storage_errors():
            for first in range(0, len(keys), AT_A_TIME):
                self.bucket.delete_objects(Delete={"Objects": keys[first : first + AT_A_TIME], "Quiet": True})

    def delete_below(self, folder: str) -> None:
        """Delete every file below the folder."""
        with storage_errors():
            self.bucket.objects.filter(Prefix=f"{self._normalize_name(folder)}/").delete()

    def get_modified_time(self, name: str) -> datetime:
        with storage_errors():
            return cast(datetime, super().get_modified_time(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with storage_errors():
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
        with storage_errors():
            response = HttpResponseRedirect(self.public.url(name, said, SIGNED_SECONDS, method))
        response["Cache-Control"] = f"private, max-age={min(max_age, FOLLOWED_SECONDS)}"
        return response
