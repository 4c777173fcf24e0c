"""How we speak to S3, and to stores that speak like it; what goes wrong, in plain errors."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, cast

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, IncompleteReadError, ResponseStreamingError

IN_MEMORY = 2 << 20
"""The bytes of a file that are held in memory at most; a longer one is on disk whole."""
CHUNK = 1 << 16
AS_A_STREAM = TransferConfig(use_threads=False, multipart_threshold=1 << 30)
"""How files are sent: whole, as they are read. Parts are held in memory, by ten threads ten of them."""


class StorageError(OSError):
    """The bucket does not answer, or does not let us in; trying again later may help."""


def bucket_config(bucket: str, endpoint_url: str | None) -> Config:
    """Patient for seconds, not minutes. The bucket is part of the host's name, except with other vendors.

    A name with dots never is: no certificate covers that host.
    """
    return Config(
        signature_version="s3v4",
        s3={"addressing_style": "path" if endpoint_url or "." in bucket else "virtual"},
        connect_timeout=5,
        read_timeout=20,
        retries={"mode": "standard", "total_max_attempts": 4},
        # Not every vendor's store knows the newer checksums.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )


def bucket_client(bucket: str, *, endpoint_url: str | None, region_name: str) -> Any:
    """A client for this bucket, with the keys that boto3 finds. Raises StorageError."""
    with plain_errors():
        config = bucket_config(bucket, endpoint_url)
        return boto3.Session().client("s3", endpoint_url=endpoint_url, region_name=region_name, config=config)


def fetch(client: Any, bucket: str, key: str, *, tries: int = 3) -> BinaryIO:
    """A copy of the object to read and seek in. Raises FileNotFoundError and StorageError.

    The client tries to begin several times by itself; what breaks off on the way is begun again `tries` times in all.
    """
    file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  # the caller closes it
    try:
        with plain_errors():
            shutil.copyfileobj(client.get_object(Bucket=bucket, Key=key)["Body"], file, CHUNK)
    except OSError as error:
        file.close()
        if tries > 1 and isinstance(error.__cause__, ResponseStreamingError | IncompleteReadError):
            return fetch(client, bucket, key, tries=tries - 1)
        raise
    file.seek(0)
    return cast(BinaryIO, file)


@contextmanager
def plain_errors() -> Iterator[None]:
    """What the client raises becomes FileNotFoundError or StorageError."""
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] in ("NoSuchKey", "404"):
            raise FileNotFoundError("there is no such file in the bucket") from error
        raise StorageError(f"the bucket refuses: {error}") from error
    except BotoCoreError as error:
        raise StorageError(f"the bucket does not answer: {error}") from error
