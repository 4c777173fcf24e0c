"""Connect to S3 and compatible stores, and turn their errors into plain ones."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, cast

import boto3
import botocore.auth
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, IncompleteReadError, ResponseStreamingError

from runtime import clock
from runtime.disk_errors import StorageError

IN_MEMORY = 2 << 20
"""The most bytes of a file that are held in memory. A longer file is held on disk."""
CHUNK = 1 << 16
AS_A_STREAM = TransferConfig(use_threads=False, multipart_threshold=1 << 30)
"""Sends a file whole, as it is read. Parts would be held in memory, up to ten of them."""


def _signing_time(remove_tzinfo: bool = True) -> datetime:  # noqa: FBT001, FBT002  # as the library calls it
    now = clock.now_for_others()
    return now.replace(tzinfo=None) if remove_tzinfo else now


# Stores refuse what was signed by a clock that is wrong by a quarter of an hour. The library asks that of its machine,
# and has no option for another one.
botocore.auth.get_current_datetime = _signing_time


def bucket_config(bucket: str, endpoint_url: str | None) -> Config:
    """Return settings of the client, which waits for seconds, not minutes.

    On AWS the bucket is part of the host's name, unless its own name has dots, which no certificate covers.
    """
    return Config(
        signature_version="s3v4",
        s3={"addressing_style": "path" if endpoint_url or "." in bucket else "virtual"},
        connect_timeout=5,
        read_timeout=20,
        retries={"mode": "standard", "total_max_attempts": 4},
        # Some stores of other vendors do not know the newer checksums.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )


def bucket_client(bucket: str, *, endpoint_url: str | None, region_name: str) -> Any:
    """Return a client for this bucket, with the keys that boto3 finds. Raises StorageError if there are none."""
    with storage_errors():
        config = bucket_config(bucket, endpoint_url)
        return boto3.Session().client("s3", endpoint_url=endpoint_url, region_name=region_name, config=config)


def fetch(client: Any, bucket: str, key: str, *, tries: int = 3) -> BinaryIO:
    """Return a copy of the object that can be read and sought in.

    The client itself retries to begin a transfer. A transfer that breaks off is made `tries` times in all. Raises
    FileNotFoundError if there is no such object, and StorageError if the bucket fails.
    """
    file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  # the caller closes it
    try:
        with storage_errors():
            shutil.copyfileobj(client.get_object(Bucket=bucket, Key=key)["Body"], file, CHUNK)
    except OSError as error:
        file.close()
        if tries > 1 and isinstance(error.__cause__, ResponseStreamingError | IncompleteReadError):
            return fetch(client, bucket, key, tries=tries - 1)
        raise
    file.seek(0)
    return cast(BinaryIO, file)


@contextmanager
def storage_errors() -> Iterator[None]:
    """Turn the client's errors into FileNotFoundError or StorageError."""
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] in ("NoSuchKey", "404"):
            raise FileNotFoundError("there is no such file in the bucket") from error
        raise StorageError(f"the bucket refuses: {error}") from error
    except BotoCoreError as error:
        raise StorageError(f"the bucket does not answer: {error}") from error
