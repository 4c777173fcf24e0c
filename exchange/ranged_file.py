"""The head of a large object: a file of which only what is read is fetched."""

import io
from typing import Any

from annotation.s3 import plain_errors

AT_ONCE = 1 << 16
"""Bytes: nearly every picture says in them how large it is."""


class RangedFile(io.RawIOBase):
    """An object in a bucket, read by ranges. Wrap it in a BufferedReader of AT_ONCE bytes."""

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
        with plain_errors():
            answer = self._client.get_object(**self._where, Range=f"bytes={self._at}-{stop - 1}")
            data: bytes = answer["Body"].read()
        self._at += len(data)
        return data
