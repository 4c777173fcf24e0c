"""Sources for imports, with and without pictures, and a folder for the pictures."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Picture

from simulation.scenes.scene import write_source
from tests.support.pictures import encoded


@pytest.fixture
def empty_storage(settings: Any, tmp_path: Path) -> Path:
    """Pictures go to a folder of this test."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Six scenes without pictures."""
    write_source(tmp_path / "source", 3, 6, pictures=False)
    return tmp_path / "source"


@pytest.fixture
def pictured(tmp_path: Path) -> Path:
    """Four scenes with small pictures of their size."""
    folder = tmp_path / "pictured"
    write_source(folder, 3, 4, pictures=False)
    (folder / "images").mkdir()
    for number, file in enumerate(sorted((folder / "Sentences").glob("*.txt"))):
        flat = Picture.new("RGB", (1200, 800), (number * 40, 90, 120))
        (folder / "images" / f"{file.stem}.jpg").write_bytes(encoded(flat, "JPEG", quality=20))
    return folder
