"""A drawn scene whose right answers only the crew knows."""

from pathlib import Path

import pytest

from annotation.models import Project
from exchange.import_dataset import import_dataset
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from pipeline.tick import tick
from scenes.make import make_scenes
from scenes.write import write_source

SEED = 3
BATCH = 2
"""Questions in an assignment: one, and the next."""


@pytest.fixture
def scene(tmp_path: Path) -> Project:
    """Return the drawn scene with the fewest mentions among a few. Only the crew knows its gold."""
    small = min(make_scenes(SEED, 12), key=lambda one: len(one.image.mentions))
    write_source(tmp_path / "all", seed=SEED, count=12)
    folder = only(tmp_path / "all", tmp_path / "one", small.image.name)
    few = ProtocolSettings(batch=dict.fromkeys((task.value for task in PROTOCOL_TASKS), BATCH))
    import_dataset(project_name="scene", path=folder, gold=True, settings=few)
    project = Project.objects.get()
    tick()
    return project


def only(source: Path, target: Path, name: str) -> Path:
    """Copy the files of one image of the source."""
    for file in source.rglob("*"):
        if file.is_file() and file.stem == name:
            place = target / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
    return target
