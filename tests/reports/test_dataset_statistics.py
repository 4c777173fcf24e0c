import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Project
from exchange.import_image import import_image
from pipeline.project.settings_versions import current_settings
from simulation.simulate import simulate
from tests.support.projects import project_of
from tests.support.small_data_set import beach, dog


@pytest.fixture
def project(db: None) -> Project:
    """A project of two images that a perfect crowd has finished, and one that it has not begun."""
    found = project_of(beach(), dog(), name="shore", gold=True)
    simulate(project=found, crowd="perfect")
    version, _ = current_settings(found.id)
    import_image(found, 2, replace(dog(), name="later"), picture="later.jpg", gold=True, settings_version=version)
    return found


def test_it_prints_writes_and_draws(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    call_command("dataset_statistics", "shore", json=tmp_path / "figures.json", charts=tmp_path / "charts")
    printed = capsys.readouterr()
    assert "2 images, 4 captions, 7 mentions" in printed.out
    assert "4 charts written" in printed.out
    assert "1 image is not merged yet and was left out" in printed.err
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["table_4"]["total"]["chains"] == 5
    links = {row["source"]: row["links"] for row in figures["figure_3"]}
    assert links == {
        "asked yes": 2,
        "asked no": 1,
        "inferred by transitivity": 1,
        "ruled out by caption": 4,
        "ruled out by type": 7,
    }
    assert len(list((tmp_path / "charts").glob("*.svg"))) == 4


def test_an_unknown_project_is_answered_with_those_there_are(project: Project):
    with pytest.raises(CommandError, match="shore"):
        call_command("dataset_statistics", "sho")


def test_a_file_that_cannot_be_written_is_an_error_in_words(project: Project, tmp_path: Path):
    with pytest.raises(CommandError, match="could not be written"):
        call_command("dataset_statistics", "shore", json=tmp_path / "nowhere" / "figures.json")


@pytest.mark.both_engines
def test_a_project_without_merged_images_has_statistics_of_nothing(db: None, capsys: pytest.CaptureFixture[str]):
    Project.objects.create(name="empty")
    call_command("dataset_statistics", "empty")
    assert "0 images" in capsys.readouterr().out
