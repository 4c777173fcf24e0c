"""Finished projects to archive: one that a crowd annotated, and a small one in which ada was paid for her answers."""

from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.archive import rows, write_archive
from campaign.lifecycle.change_state import change_state
from exchange.import_dataset import import_dataset
from pipeline.money.ledger import account_of
from pipeline.money.pay_worker import pay_worker
from pipeline.tick import tick
from scenes.write import write_source
from simulation.simulate import simulate
from tests.support.money import ASK, paying, work
from tests.support.projects import worker


def archive(project: Project, folder: Path, *options: str) -> None:
    call_command("archive_project", project.name, str(folder), *options)


def bring_back(folder: Path) -> None:
    call_command("bring_back", str(folder))


def finish(project: Project) -> Project:
    tick()
    change_state(project.pk, ProjectState.FINISHED, None)
    project.refresh_from_db()
    return project


@pytest.fixture(autouse=True)
def _in_several_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_archive, "PIECE", 3)
    monkeypatch.setattr(rows, "AT_ONCE", 7)


@pytest.fixture
def crowded(tmp_path: Path) -> Project:
    """Four drawn images that a crowd with tests and verification questions annotated, but for the last one."""
    for seed, count in ((3, 3), (4, 1)):
        write_source(tmp_path / f"scenes {seed}", seed, count, pictures=False)
    import_dataset(project_name="parks", path=tmp_path / "scenes 3", gold=True)
    project = Project.objects.get(name="parks")
    simulate(project=project, crowd="paper", seed=3)
    import_dataset(project_name="parks", path=tmp_path / "scenes 4", gold=True)
    return finish(project)


@pytest.fixture
def small() -> Project:
    """Five images, of which ada answered a question in two."""
    project = paying(5)
    ada = worker(project, "ada", ASK)
    work(project, ada)
    tick()
    owed = account_of(ada.pk, project.pk).owed
    pay_worker(worker_id=ada.pk, project_id=project.pk, cents=owed, reference="bank 1", actor="ann")
    return finish(project)
