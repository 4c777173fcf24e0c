"""The page and the command that tell how many labels of a checked data set are wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Image, Project
from annotation.rules.states import ImageState
from campaign.checking import wrong_labels
from campaign.checking.wrong_labels import read_wrong_labels
from campaign.schemas.validate_file import validate_file
from members.models import Role
from pipeline.learning.known_labels import known_labels
from pipeline.learning.refit_boxes import refit_boxes
from pipeline.models import Entry
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.record.replay import replay
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.tick import tick
from scenes.write import write_source
from tests.support.checked import UNASKED, KeptCheck
from tests.support.members import sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> KeptCheck:
    return KeptCheck(django_db_blocker, tmp_path_factory.mktemp("check"), 4, UNASKED)


@pytest.fixture
def checked(kept: KeptCheck, db: None, settings: Any) -> Project:
    """Four drawn scenes that were checked, without a question."""
    return kept.write(settings)


def test_the_page_tells_shares_by_type_with_intervals(client: Client, checked: Project, monkeypatch) -> None:
    monkeypatch.setattr(wrong_labels, "ENOUGH", 1)
    sign_in(client, checked, Role.REVIEWER, "ida")
    page = client.get(reverse("campaign:wrong_labels", args=[checked.name]))
    finished = Image.objects.filter(project=checked, state=ImageState.MERGED.value).count()
    found = page.context["found"]
    assert finished and (found.images, found.finished) == (finished, finished)
    assert "wrong before the check" in page.text and "All labels" in page.text
    assert all(one.before.least <= one.before.share <= one.before.most for one in found.shares.values())
    assert found.shares[""].labels == sum(len(own) for own, _ in known_labels(checked.pk, _settings(checked)))


def test_before_enough_images_are_finished_the_page_says_how_many_are_wanted(client: Client, checked: Project) -> None:
    sign_in(client, checked, Role.REVIEWER, "ida")
    page = client.get(reverse("campaign:wrong_labels", args=[checked.name]))
    assert "After 15 this page tells" in page.text


def test_a_project_that_checks_nothing_has_no_such_page_and_the_command_says_so(client: Client) -> None:
    other = open_project(name="other", settings=ProtocolSettings())
    sign_in(client, other, Role.REVIEWER, "ida")
    assert client.get(reverse("campaign:wrong_labels", args=["other"])).status_code == 404
    with pytest.raises(CommandError, match="checks no data set"):
        call_command("wrong_labels", "other")


def test_the_command_says_and_writes_the_shares(
    checked: Project, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    out = tmp_path / "wrong.json"
    call_command("wrong_labels", checked.name, json=out)
    said = capsys.readouterr().out
    rows = json.loads(out.read_text())
    assert rows == json.loads(json.dumps(read_wrong_labels(checked, 1000).rows))
    assert rows[0]["type"] == "" and "all labels: " in said
    checked_file = validate_file(out, most=9)
    assert (checked_file.kind.name, checked_file.faults) == ("wrong-labels", [])
    with pytest.raises(CommandError, match="choose another name"):
        call_command("wrong_labels", checked.name, json=out)


def test_a_refit_learns_how_often_the_data_set_is_wrong_and_then_trusts_it_so_much(checked: Project) -> None:
    assert not _settings(checked).source().is_learned
    refit_boxes(checked.pk, only_if_due=False)
    source, known = _settings(checked).source(), _settings(checked).box_prior["wrong"]
    assert {"", "people"} <= set(known)
    assert source.of_boxes({"people"}).trust == pytest.approx(1 - 0.8 * max(known["people"][1], 0.00625))
    assert not list(replay(checked))


def test_the_lot_of_a_check_is_seeded_and_as_large_as_the_data_set_needs(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    made = open_project(name="parks", settings=ProtocolSettings())
    write_source(tmp_path / "parks", 0, 2)
    call_command("import_dataset", "parks", str(tmp_path / "parks"), use="check")
    assert _settings(made).checked_lot == 0.2
    tick(project_id=made.pk)
    begun = Entry.objects.filter(project=made, kind="start").values_list("image", "data__lot")
    assert begun and all(image == lot for image, lot in begun)


def _settings(project: Project) -> ProtocolSettings:
    return current_settings(project.pk)[1]
