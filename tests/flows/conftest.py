"""A drawn scene whose right answers only the crew knows, and a served service with its requester at a browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from annotation.models import Project
from exchange.import_dataset import import_dataset
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from simulation.scenes.scene import draw_scene, make_scenes, write_source
from tests.support.at_a_browser import AtABrowser
from tests.support.browsers import new_context
from tests.support.labelling_page import complaints
from tests.support.served import served

SEED = 3
BATCH = 2
"""Questions in an assignment: one, and the next."""


@pytest.fixture
def scene(tmp_path: Path) -> Project:
    """Return the drawn scene with the fewest mentions among a few. Only the crew knows its gold."""
    small = min(make_scenes(SEED, 12), key=lambda one: len(one.image.mentions))
    write_source(tmp_path / "all", seed=SEED, count=12, pictures=False)
    folder = only(tmp_path / "all", tmp_path / "one", small.image.name)
    (folder / "images").mkdir()
    draw_scene(small).save(folder / "images" / f"{small.image.name}.jpg", quality=93, subsampling=0)
    few = Settings(batch=dict.fromkeys((task.value for task in PROTOCOL_TASKS), BATCH))
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


@pytest.fixture
def service(empty_service: Path, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Serve a copy of an empty service; yields its address and its folder."""
    folder, log = tmp_path / "service", tmp_path / "log"
    with served(empty_service, folder, log) as port:
        yield f"http://127.0.0.1:{port}", folder
    # A slow statement is not a fault of the service on a busy machine.
    assert not re.search(r"ERROR|WARNING (?!config\.logs .*A statement took)", log.read_text()), log.read_text()


@pytest.fixture
def requester(chromium: Browser, service: tuple[str, Path], tmp_path: Path) -> Iterator[AtABrowser]:
    """The requester reads the first password where the service prints it, and signs in."""
    address, _ = service
    context = new_context(chromium, viewport={"width": 1440, "height": 900}, accept_downloads=True)
    page = context.new_page()
    said = complaints(page)
    who = AtABrowser(page)
    page.goto(address)
    password = re.findall(r"password (\S+)", (tmp_path / "log").read_text())[0]
    who.type(page.locator("[name=login]"), "admin")
    who.type(page.locator("[name=password]"), password)
    who.button("Sign in")
    yield who
    context.close()
    assert said == []
