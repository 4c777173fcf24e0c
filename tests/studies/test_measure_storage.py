"""The memory of an import from a bucket does not grow with the number of pictures."""

import shutil
from pathlib import Path

import pytest

from studies.storage.growth import fill, measured, twin_process

pytestmark = pytest.mark.slow

PADDING = 30_000_000


def test_ten_times_the_pictures_and_a_huge_file_take_a_tenth_more_memory_at_most(
    empty_service: Path, tmp_path: Path
) -> None:
    shutil.copytree(empty_service, tmp_path, dirs_exist_ok=True)
    with twin_process(tmp_path) as url:
        few = measured(url, tmp_path, fill(url, "few", 2), "few")
        many = measured(url, tmp_path, fill(url, "many", 20, padding=PADDING), "many")
    assert (few["images"], many["images"], many["problems"]) == (2, 20, 0)
    assert many["bytes_sent"] > 5 * few["bytes_sent"] > 0
    assert many["peak_mb"] <= 1.1 * few["peak_mb"]
