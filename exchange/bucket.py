"""Sources in a bucket. Texts are fetched into a temporary folder; pictures are read where they are."""

import io
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from django.conf import settings

from annotation.bounds import MAX_BYTES, MAX_MEMBERS
from annotation.decode_picture import PictureError
from annotation.s3 import AS_A_STREAM, bucket_client, fetch, storage_errors
from exchange.checks import source_error
from exchange.formats.pictures import TEXTS, SourcePictures, is_picture
from exchange.source import unsafe_name
from runtime.disk_errors import StorageError

READ_SIZE = 1 << 16
"""Bytes that are fetched at a time: nearly every picture tells its size within them."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A place in a bucket, with a client for it."""

    address: str
    name: str
    prefix: str
    client: Any

    def fetch_to(self, key: str, target: Path) -> None:
        """Write the object to a file. Raises SourceError if it cannot be fetched."""
        try:
            with storage_errors(), target.open("xb") as file:
                self.client.download_fileobj(self.name, key, file, Config=AS_A_STREAM)
        except OSError as error:
            raise source_error(self.address, f"{key} cannot be fetched: {error}") from error

    def listed(self) -> Iterator[tuple[str, int]]:
        """Yield the path below the prefix and the size in bytes of every object. Raises SourceError if this fails."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=self.prefix)
        try:
            with storage_errors():
                for page in pages:
                    for item in page.get("Contents", ()):
                        yield item["Key"][len(self.prefix) :], item["Size"]
        except StorageError as error:
            raise source_error(self.address, f"cannot be listed: {error}") from error


class RangedFile(io.RawIOBase):
    """An object in a bucket, fetched in the ranges that are read. Wrap it in a BufferedReader of AT_ONCE bytes."""

    def __init__(self, client: Any, bucket: str, key: str, size: int) -> None:
        self._client, self._where, self._size = client, {"Bucket": bucket, "Key": key}, size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, offset + (0, self._at, self._size)[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = self._fetched(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return self._fetched(self._size)

    def _fetched(self, count: int) -> bytes:
        stop = min(self._at + count, self._size)
        if stop <= self._at:
            return b""
        with storage_errors():
            answer = self._client.get_object(**self._where, Range=f"bytes={self._at}-{stop - 1}")
            data: bytes = answer["Body"].read()
        self._at += len(data)
        return data


class BucketPictures(SourcePictures):
    """The pictures below a prefix of a bucket."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._sizes: dict[str, int] = {}

    def add(self, name: str, size: int) -> None:
        self._sizes[name] = size

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def __contains__(self, name: object) -> bool:
        return name in self._sizes

    def head(self, name: str) -> BinaryIO:
        raw = RangedFile(self._bucket.client, self._bucket.name, self._bucket.prefix + name, self._sizes[name])
        return cast(BinaryIO, io.BufferedReader(raw, READ_SIZE))

    def open(self, name: str) -> BinaryIO:
        try:
            return fetch(self._bucket.client, self._bucket.name, self._bucket.prefix + name)
        except FileNotFoundError as error:
            raise PictureError("has gone from the bucket") from error


def bucket_at(address: str) -> Bucket:
    """Return the place that s3://BUCKET/PREFIX names, at the store of S3_ENDPOINT_URL. Raises SourceError."""
    found = re.fullmatch(r"s3://([a-z0-9][a-z0-9.-]+[a-z0-9])(?:/(.*))?", address)
    if found is None:
        raise source_error(address, "is not an address in a bucket: write s3://BUCKET/PREFIX/")
    name, prefix = found[1], found[2] or ""
    try:
        client = bucket_client(name, endpoint_url=settings.S3_ENDPOINT_URL or None, region_name=settings.S3_REGION)
    except StorageError as error:
        raise source_error(address, str(error)) from error
    return Bucket(address, name, prefix, client)


def fetch_texts(bucket: Bucket, folder: Path, *, max_bytes: int = MAX_BYTES) -> SourcePictures:
    """Fetch the texts into the folder, and return the pictures. Other files are left where they are.

    Raises SourceError for too many files or bytes, and for a name that leaves the folder.
    """
    pictures = BucketPictures(bucket)
    total = count = 0
    free = shutil.disk_usage(folder).free
    for count, (name, size) in enumerate(bucket.listed(), start=1):
        if count > MAX_MEMBERS:
            raise source_error(bucket.address, f"has more than {MAX_MEMBERS:,} files: name a narrower prefix")
        if name.endswith("/") or not name:
            continue
        if reason := unsafe_name(name):
            raise source_error(bucket.address, f"file {name[:200]!r} {reason}")
        if is_picture(name):
            pictures.add(name, size)
        elif PurePosixPath(name).suffix.lower() in TEXTS:
            total += size
            if total > min(max_bytes, free):
                raise source_error(bucket.address, f"has more than {min(max_bytes, free):,} bytes of texts")
            target = folder.joinpath(*name.split("/"))
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise source_error(bucket.address, f"{name} cannot be kept: {error.strerror}") from error
            bucket.fetch_to(bucket.prefix + name, target)
    if not count:
        raise source_error(bucket.address, "holds no files: check the bucket's name and the prefix")
    return pictures
