"""A finished project that a crowd annotated, with verification questions, money and gold."""

from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.archive import rows, write_archive
from campaign.lifecycle.change_state import change_state
from exchange.import_dataset import import_dataset
from pipeline.tick import tick
from scenes.write import write_source
from simulation.simulate import simulate


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Four drawn images, in two pieces, of which one is unfinished: it came after the crowd had left."""
    monkeypatch.setattr(write_archive, "PIECE", 3)
    monkeypatch.setattr(rows, "AT_ONCE", 7)
    write_source(tmp_path / "scenes", 3, 3, pictures=False)
    import_dataset(project_name="parks", path=tmp_path / "scenes", gold=True)
    project = Project.objects.get(name="parks")
    simulate(project=project, crowd="paper", seed=3)
    write_source(tmp_path / "more", 4, 1, pictures=False)
    import_dataset(project_name="parks", path=tmp_path / "more", gold=True)
    tick()
    change_state(project.pk, ProjectState.FINISHED, None)
    project.refresh_from_db()
    return project


def archive(project: Project, folder: Path, *options: str) -> None:
    call_command("archive_project", project.name, str(folder), *options)
