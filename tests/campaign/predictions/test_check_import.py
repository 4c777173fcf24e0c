"""A data set is imported to be checked: it stays as it is where nobody doubts it, and answers change it."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Project
from campaign.data.runs import begin_import
from campaign.models import ModelPrediction
from campaign.predictions.import_predictions import ProgramError
from exchange.dataset import DatasetImage
from exchange.export_dataset import export_dataset
from exchange.flickr30k.read import read_flickr30k
from pipeline.models import Question
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from scenes.write import write_source
from tests.support.checked import UNASKED
from tests.support.projects import answer, worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _media(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


def labels(folder: Path) -> dict[str, set[Any]]:
    """Return for each image its chains: the places of their phrases, their boxes, and whether they are scenes."""
    found = {}
    for image in read_flickr30k(folder):
        assert isinstance(image, DatasetImage)
        of_chain = {
            chain.name: (
                frozenset((one.caption, one.start) for one in image.mentions if one.chain == chain.name),
                frozenset(box.box for box in image.boxes if chain.name in box.chains),
                chain.scene,
            )
            for chain in image.chains
        }
        found[image.name] = {own for own in of_chain.values() if own[0]}
    return found


def test_what_nobody_doubts_comes_out_as_it_came_in(source: Path, tmp_path: Path, capsys: Any) -> None:
    project = open_project(name="parks", settings=UNASKED)
    call_command("import_dataset", "parks", str(source), use="check")
    assert "are checked in 3 images, as the program “import of parks”." in capsys.readouterr().out
    _, chosen = current_settings(project.pk)
    program = ModelPrediction.objects.values_list("program", flat=True).distinct().get()
    assert (chosen.checked, chosen.proposals) == (program, True)
    assert (chosen.strategy, chosen.box_policy) == (Strategy.ADAPTIVE, BoxPolicy.BELIEF)

    tick(project_id=project.pk)
    assert [(one.task, one.subject) for one in Question.objects.filter(state="open")] == []
    assert set(project.images.values_list("state", flat=True)) == {"merged"}
    report = export_dataset(project=project, target=tmp_path / "out", export_format="flickr30k-entities")
    assert report.images == 3
    assert labels(tmp_path / "out") == labels(source)
    assert not list(replay(project))


def test_people_are_asked_where_there_is_doubt_and_change_the_label(source: Path) -> None:
    project = open_project(name="parks", settings=UNASKED)
    call_command("import_dataset", "parks", str(source), use="check")
    changed = current_settings(project.pk)[1]
    change_settings(project_id=project.pk, settings=ProtocolSettings.from_json(changed.to_json() | {"juror_lot": 0.2}))
    tick(project_id=project.pk)
    drawn = Question.objects.filter(state="open", task=Task.BOX_QUALITY)
    while (question := drawn.first()) is not None:
        answer(project, worker(project, f"person {question.pk}"), Task.BOX_QUALITY, "bad")
        tick(project_id=project.pk)
    assert not list(replay(project))


@pytest.mark.both_engines
def test_a_project_checks_one_data_set(source: Path, tmp_path: Path) -> None:
    call_command("import_dataset", "parks", str(source), use="check", draft=True)
    write_source(tmp_path / "beaches", 9, 1)
    with pytest.raises(CommandError, match="checks “import of parks” already"):
        call_command("import_dataset", "parks", str(tmp_path / "beaches"), use="check")
    project = Project.objects.get()
    with pytest.raises(ProgramError, match="into a project of its own"):
        begin_import(project, None, str(tmp_path / "beaches"), use="check")
    assert project.images.count() == 3
