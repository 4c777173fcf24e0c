"""What memory an import from a bucket takes, with the twin of S3 in a process of its own."""

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

from tests.support.s3 import BUCKET, KEYS, SOURCE
from tests.support.services import child, free_port, wait_until

ROOT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def twin_process(folder: Path) -> Iterator[str]:
    """A twin of S3 with two empty buckets; yields its address."""
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
            for name in (BUCKET, SOURCE):
                client.create_bucket(Bucket=name)
        yield url


def fill(url: str, prefix: str, count: int, *, padding: int = 0) -> str:
    """Put so many different pictures with captions into the bucket of sources; returns the address.

    `padding`: bytes behind the end of the first picture, which no decoder reads and which are stored all the same.
    """
    lines = ["image,caption"]
    with contextlib.closing(_client(url)) as client:
        for number in range(count):
            file = io.BytesIO()
            Image.effect_noise((240, 180), 60).save(file, "JPEG", quality=80)
            body = file.getvalue() + bytes(0 if number else padding)
            client.put_object(Bucket=SOURCE, Key=f"{prefix}/images/{number}.jpg", Body=body)
            lines.append(f"{number}.jpg,[/people A man] and [/animals a dog] stand by [/other a wall].")
        client.put_object(Bucket=SOURCE, Key=f"{prefix}/captions.csv", Body="\n".join(lines).encode())
    return f"s3://{SOURCE}/{prefix}/"


def make_database(folder: Path) -> None:
    """An empty database in the folder."""
    _manage(folder, {}, "migrate", "--verbosity", "0")


def measured(url: str, folder: Path, source: str, project: str, *, in_bucket: bool = True) -> dict[str, Any]:
    """The figures of one process that imports the source and serves every picture of it."""
    where = {"S3_ENDPOINT_URL": url, "S3_BUCKET": BUCKET if in_bucket else "", "S3_PREFIX": project}
    output = _manage(folder, where, "measure_storage", source, "--project", project)
    figures: dict[str, Any] = json.loads(output.splitlines()[-1])
    return figures


def _manage(folder: Path, variables: dict[str, str], *arguments: str) -> str:
    env = {"PATH": os.environ["PATH"], "CHAINBOX_DATA": str(folder), **KEYS, **variables}
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout


def _client(url: str) -> Any:
    keys = {"aws_access_key_id": "twin", "aws_secret_access_key": "twin"}
    return boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
