"""Things that one process of a run makes for all: the others wait for it.

Plugin of pytest: each process tests on a copy of one migrated database, and copies one empty service. On SQLite both
have the same database, because the migrations take seconds. The picture of a scene is drawn once, and copied after.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from tests.support.places import ROOT


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder that all processes of the run have in common. scripts/test.py names one for all its parts."""
    if named := os.environ.get("CHAINBOX_TESTS_SHARE"):
        return Path(named)
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


@contextmanager
def alone(shared_folder: Path, name: str) -> Iterator[None]:
    """Keep the other processes of the run out of the blocks of this name until this one ends."""
    with (shared_folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker, shared_folder: Path, worker_id: str
) -> Iterator[None]:
    """Give this process a database of its own for tests, migrated and empty. pytest-django would migrate in each."""
    creation, served = connection.creation, connection.settings_dict["NAME"]
    own = f"{worker_id}_{os.getpid()}"  # parts of a run without -n are all called "master", and share the folder
    migrated = str(shared_folder / "empty_database.sqlite3") if connection.vendor == "sqlite" else f"test_{served}"
    name = f"empty_{connection.vendor}"
    mark = shared_folder / name
    with django_db_blocker.unblock():
        with alone(shared_folder, name):
            if not mark.exists():
                if connection.vendor == "sqlite":
                    shutil.copy(make_service(shared_folder) / "chainbox.sqlite3", migrated)
                else:
                    connection.settings_dict["TEST"]["NAME"] = migrated
                    creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
                    connection.close()
                mark.touch()
            connection.settings_dict["NAME"] = migrated
            creation.clone_test_db(own, verbosity=0)
        connection.settings_dict["NAME"] = creation.get_test_db_clone_settings(own)["NAME"]
        yield
        creation.destroy_test_db(served, verbosity=0)
        with alone(shared_folder, name):
            if mark.exists():
                mark.unlink()  # a process that comes later makes another one
                connection.settings_dict["NAME"] = migrated
                creation.destroy_test_db(served, verbosity=0)


@pytest.fixture(scope="session")
def empty_service(shared_folder: Path) -> Path:
    """The folder of an embedded service with an empty database, to be copied."""
    return make_service(shared_folder)


def make_service(shared_folder: Path) -> Path:
    """Return the folder of an empty service; the first call of the run makes it."""
    folder, unfinished = shared_folder / "empty_service", shared_folder / "unfinished_service"
    with alone(shared_folder, "empty_service"):
        if not folder.exists():
            inherited = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
            env = {**inherited, "CHAINBOX_DATA": str(unfinished), "DJANGO_SETTINGS_MODULE": "config.settings"}
            command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(command, cwd=ROOT, env=env, check=True)
            unfinished.rename(folder)
    return folder


@dataclass(frozen=True)
class _Drawing:
    """The picture of a scene, which is drawn only if the run has not saved it yet."""

    folder: Path
    draw: Callable[[Any], Any]
    scene: Any

    def save(self, file: Path, **options: Any) -> None:
        """Save the picture as Pillow would with these options."""
        words = "-".join(f"{name}{value}" for name, value in sorted(options.items()))
        kept = self.folder / f"{self.scene.seed}-{self.scene.index}-{words}{file.suffix}"
        if not kept.exists():
            own = kept.with_stem(f"{kept.stem}-{os.getpid()}")
            self.draw(self.scene).save(own, **options)
            own.rename(kept)
        shutil.copyfile(kept, file)


@pytest.fixture(scope="session", autouse=True)
def _scenes_drawn_once(shared_folder: Path) -> Iterator[None]:
    """Let sources of scenes that tests write have copies of pictures: to draw one takes a tenth of a second."""
    if (write := sys.modules.get("simulation.scenes.scene")) is None:
        yield  # no test of this run writes sources
        return
    folder, draw = shared_folder / "scenes", write.draw_scene
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write, "draw_scene", lambda scene: _Drawing(folder, draw, scene))
        yield
