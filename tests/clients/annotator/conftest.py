"""Drawn scenes, the twin of a model server that knows them, and a project in which they are annotated."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.annotator import answer
from simulation.scenes.scene import make_scenes, write_source
from tests.twins.chat import ChatTwin, Truth, TwinModel

SEED, FEW = 3, 3


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Draw a few scenes once: a source in the format of Flickr30k Entities."""
    folder = tmp_path_factory.mktemp("drawn") / "source"
    write_source(folder, SEED, FEW)
    return folder


@pytest.fixture(scope="session")
def truth() -> Truth:
    return Truth([scene.image for scene in make_scenes(SEED, FEW)])


@pytest.fixture
def model(drawn: Path, truth: Truth) -> TwinModel:
    return TwinModel(truth, drawn / "images")


@pytest.fixture
def twin(model: TwinModel) -> Iterator[ChatTwin]:
    with ChatTwin(lambda request: model.reply(request)) as running:
        yield running


@pytest.fixture
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for new questions without a pause."""
    monkeypatch.setattr(answer, "LOOK_SECONDS", 0.01)
