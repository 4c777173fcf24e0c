import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Image, Project
from exchange.dataset import DatasetImage
from tests.support.small_data_set import beach, dog

COMMAND = "reports.management.commands.dataset_statistics"


@pytest.fixture
def project(db: None, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project of three images, two of them merged; what its rows hold stands in the values."""

    def stream(project: Project, *, include_unmerged: bool) -> Iterator[DatasetImage]:
        assert not include_unmerged
        yield from (beach(), dog())

    found = Project.objects.create(name="shore")
    for position, state in enumerate(("merged", "merged", "boxing")):
        Image.objects.create(project=found, name=str(position), position=position, width=9, height=9, state=state)
    monkeypatch.setattr(f"{COMMAND}.stream_images", stream)
    monkeypatch.setattr(f"{COMMAND}.link_sources", lambda project: {"asked yes": 2})
    return found


def test_it_prints_writes_and_draws(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    call_command("dataset_statistics", "shore", json=tmp_path / "figures.json", charts=tmp_path / "charts")
    printed = capsys.readouterr()
    assert "2 images, 4 captions, 7 mentions" in printed.out
    assert "4 charts written" in printed.out
    assert "1 image is not merged yet and was left out" in printed.err
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["table_4"]["total"]["chains"] == 5
    assert figures["figure_3"] == [{"source": "asked yes", "links": 2, "share": 1.0}]
    assert len(list((tmp_path / "charts").glob("*.svg"))) == 4


def test_an_unknown_project_is_answered_with_those_there_are(project: Project):
    with pytest.raises(CommandError, match="shore"):
        call_command("dataset_statistics", "sho")


def test_a_file_that_cannot_be_written_is_an_error_in_words(project: Project, tmp_path: Path):
    with pytest.raises(CommandError, match="could not be written"):
        call_command("dataset_statistics", "shore", json=tmp_path / "nowhere" / "figures.json")


def test_a_project_without_merged_images_has_statistics_of_nothing(db: None, capsys: pytest.CaptureFixture[str]):
    Project.objects.create(name="empty")
    call_command("dataset_statistics", "empty")
    assert "0 images" in capsys.readouterr().out
