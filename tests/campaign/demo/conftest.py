"""Small demos: the first scenes of the drawn project, from which the other projects of the demo are built."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exchange.import_dataset import import_dataset
from scenes.write import write_source
from simulation import build_demo

Drawn = Callable[[int], None]


@pytest.fixture
def drawn(tmp_path: Path, settings: Any) -> Drawn:
    """drawn(5): import the first five scenes of the demo, with their pictures."""
    settings.MEDIA_ROOT = str(tmp_path / "media")

    def make(scenes: int) -> None:
        write_source(tmp_path / "scenes", build_demo.SEED, scenes)
        import_dataset(project_name=build_demo.NAME, path=tmp_path / "scenes")

    return make
