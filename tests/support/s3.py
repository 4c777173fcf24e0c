"""A twin of S3 in this process, and the two places in which the service may keep its files."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import boto3
import pytest

from annotation.bucket_storage import BucketStorage
from annotation.storage import FolderStorage, store

BUCKET = "pictures"
SOURCE = "sources"
KEYS = {"AWS_ACCESS_KEY_ID": "twin", "AWS_SECRET_ACCESS_KEY": "twin", "AWS_EC2_METADATA_DISABLED": "true"}


@dataclass(frozen=True)
class S3Twin:
    """The twin's address, and a client that is not the service's."""

    url: str
    client: Any

    def keys(self, bucket: str = BUCKET) -> list[str]:
        """Return the names of all objects in a bucket."""
        return sorted(item["Key"] for item in self.client.list_objects_v2(Bucket=bucket).get("Contents", []))

    def upload(self, folder: Path, prefix: str = "") -> str:
        """Put a folder's files below a prefix of the bucket of sources. Returns their address."""
        for path in folder.rglob("*"):
            if path.is_file():
                name = prefix + path.relative_to(folder).as_posix()
                self.client.put_object(Bucket=SOURCE, Key=name, Body=path.read_bytes())
        return f"s3://{SOURCE}/{prefix}"


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Twin]:
    """The twin, started once for all tests."""
    from moto.server import ThreadedMotoServer

    read_services_once()
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "twin", "aws_secret_access_key": "twin"}
    client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
    yield S3Twin(url, client)
    client.close()
    server.stop()


def read_services_once() -> None:
    """Let all clients of a process share the descriptions of services, which each would read anew from large files."""
    from botocore import session

    if not hasattr(session.create_loader, "cache_info"):
        session.create_loader = cache(session.create_loader)


@pytest.fixture
def s3(s3_server: S3Twin, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Twin]:
    """The twin with two empty buckets, and keys for it. The service still keeps its files in a folder."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    settings.S3_ENDPOINT_URL = s3_server.url
    for name in (BUCKET, SOURCE):
        s3_server.client.create_bucket(Bucket=name)
    yield s3_server
    urlopen(Request(f"{s3_server.url}/moto-api/reset", method="POST")).close()


def keep_in_bucket(settings: Any, **options: Any) -> BucketStorage:
    """Make the service keep its files in the twin's bucket from now on."""
    options = {"bucket_name": BUCKET, "endpoint_url": settings.S3_ENDPOINT_URL, "region_name": "us-east-1", **options}
    default = {"BACKEND": "annotation.bucket_storage.BucketStorage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "default": default}
    kept = store()
    assert isinstance(kept, BucketStorage)
    return kept


def asked_of(client: Any) -> list[str]:
    """Return a list that grows with the operations that this client requests from now on."""
    seen: list[str] = []
    client.meta.events.register("before-call.s3", lambda model, **_: seen.append(model.name))
    return seen


@pytest.fixture
def in_bucket(s3: S3Twin, settings: Any) -> Iterator[S3Twin]:
    """The twin, with the service's files in its bucket."""
    kept = keep_in_bucket(settings)
    yield s3
    kept.connection.meta.client.close()


@pytest.fixture(params=["folder", "bucket"])
def any_store(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> FolderStorage | BucketStorage:
    """Each of the two places for files in turn, empty."""
    if request.param == "bucket":
        request.getfixturevalue("in_bucket")
    else:
        settings.MEDIA_ROOT = tmp_path / "media"
    return store()
