"""Memory of an import from a bucket, measured in processes of their own, with a local twin of S3."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import boto3
from PIL import Image

from tests.support.services import child, free_port, wait_until

ROOT = Path(__file__).resolve().parents[2]
PICTURES, SOURCES = "pictures", "sources"
"""The bucket of the service, and the bucket that it imports from."""
KEYS = {"AWS_ACCESS_KEY_ID": "twin", "AWS_SECRET_ACCESS_KEY": "twin", "AWS_EC2_METADATA_DISABLED": "true"}


@contextlib.contextmanager
def twin_process(folder: Path) -> Iterator[str]:
    """Run a twin of S3 with two empty buckets until the block ends; yields its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with child(command, folder / "twin.log") as process:

        def answers() -> bool:
            with contextlib.suppress(OSError):
                urlopen(f"{url}/moto-api/").close()
                return True
            return process.poll() is not None

        if not wait_until(answers) or process.poll() is not None:
            raise RuntimeError((folder / "twin.log").read_text()[-2000:])
        with contextlib.closing(_client(url)) as client:
            for name in (PICTURES, SOURCES):
                client.create_bucket(Bucket=name)
        yield url


def fill(url: str, prefix: str, count: int, *, padding: int = 0) -> str:
    """Put `count` different pictures with captions into the bucket of sources. Returns their address.

    `padding` is the number of bytes behind the end of the first picture, which no decoder reads but storage keeps.
    """
    lines = ["image,caption"]
    with contextlib.closing(_client(url)) as client:
        for number in range(count):
            file = io.BytesIO()
            Image.effect_noise((240, 180), 60).save(file, "JPEG", quality=80)
            body = file.getvalue() + bytes(0 if number else padding)
            client.put_object(Bucket=SOURCES, Key=f"{prefix}/images/{number}.jpg", Body=body)
            lines.append(f"{number}.jpg,[/people A man] and [/animals a dog] stand by [/other a wall].")
        client.put_object(Bucket=SOURCES, Key=f"{prefix}/captions.csv", Body="\n".join(lines).encode())
    return f"s3://{SOURCES}/{prefix}/"


def make_database(folder: Path) -> None:
    """Make an empty database in the folder."""
    _run(folder, {}, "migrate", "--verbosity", "0")


def measured(url: str, folder: Path, source: str, project: str, *, in_bucket: bool = True) -> dict[str, Any]:
    """Import the source in a process of its own, fetch every picture, and return the figures of `measure_storage`."""
    where = {"S3_ENDPOINT_URL": url, "S3_BUCKET": PICTURES if in_bucket else "", "S3_PREFIX": project}
    output = _run(folder, where, "measure_storage", source, "--project", project)
    figures: dict[str, Any] = json.loads(output.splitlines()[-1])
    return figures


def _run(folder: Path, variables: dict[str, str], *arguments: str) -> str:
    env = {"PATH": os.environ["PATH"], "CHAINBOX_DATA": str(folder), **KEYS, **variables}
    done = subprocess.run(
        [sys.executable, "-m", "studies", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout


def _client(url: str) -> Any:
    keys = {"aws_access_key_id": "twin", "aws_secret_access_key": "twin"}
    return boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
