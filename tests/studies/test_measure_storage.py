"""The memory of an import from a bucket does not grow with the number of pictures."""

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.support.s3 import BUCKET, KEYS, SOURCE, S3Twin

ROOT = Path(__file__).resolve().parents[2]
PADDING = 30_000_000
"""Bytes behind the end of a picture, which no decoder reads but storage keeps."""


def fill(s3: S3Twin, prefix: str, count: int, padding: int = 0) -> str:
    """Put different pictures with captions into the bucket of sources, the first padded. Returns their address."""
    lines = ["image,caption"]
    for number in range(count):
        file = io.BytesIO()
        Image.effect_noise((240, 180), 60).save(file, "JPEG", quality=80)
        body = file.getvalue() + bytes(0 if number else padding)
        s3.client.put_object(Bucket=SOURCE, Key=f"{prefix}/images/{number}.jpg", Body=body)
        lines.append(f"{number}.jpg,[/people A man] and [/animals a dog] stand by [/other a wall].")
    s3.client.put_object(Bucket=SOURCE, Key=f"{prefix}/captions.csv", Body="\n".join(lines).encode())
    return f"s3://{SOURCE}/{prefix}/"


@pytest.mark.slow
def test_ten_times_the_pictures_and_a_huge_file_take_a_tenth_more_memory_at_most(
    s3: S3Twin, empty_service: Path, tmp_path: Path
) -> None:
    shutil.copytree(empty_service, tmp_path, dirs_exist_ok=True)
    sources, out = [fill(s3, "few", 2), fill(s3, "many", 20, PADDING)], tmp_path / "figures.json"
    where = {"S3_ENDPOINT_URL": s3.url, "S3_BUCKET": BUCKET, "S3_PREFIX": "kept", "CHAINBOX_DATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "studies", "measure_storage", *sources, "--json", str(out)],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **KEYS, **where},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    few, many = json.loads(out.read_text())
    assert (few["images"], many["images"], many["problems"]) == (2, 20, 0)
    assert many["bytes_sent"] > 5 * few["bytes_sent"] > 0
    assert many["peak_mb"] <= 1.1 * few["peak_mb"]
