"""The demo of a check: what a requester finds in it."""

import pytest

from campaign.demo import build_check as demo
from campaign.models import ModelPrediction
from pipeline.models import Entry, Progress
from pipeline.project.settings_versions import current_settings
from pipeline.record.replay import replay
from pipeline.rules.checking.label import labels_now, labels_of_source
from pipeline.rules.progress.progress_json import from_json
from tests.campaign.demo.conftest import Drawn
from upkeep import clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, drawn: Drawn) -> None:
    drawn(5)
    monkeypatch.setattr(demo, "CHECKED", 4)
    monkeypatch.setattr(demo, "BEGUN", 1)


@pytest.mark.slow
def test_a_source_with_planted_errors_is_being_checked_in_the_demo_and_labels_have_changed(small: None) -> None:
    project = demo.build_check()
    source = ModelPrediction.objects.filter(project=project).values_list("program", "program__name")
    assert set(source) == {(current_settings(project.pk)[1].checked, demo.SOURCE)}
    assert sorted(project.images.values_list("state", flat=True))[-4:] == ["merged"] * 4
    changed = 0
    for row in ModelPrediction.objects.filter(project=project, image__state="merged"):
        progress = from_json(Progress.objects.get(image=row.image_id).state)
        before = labels_of_source(row.boxes, row.chains, row.flags, progress.mentions)
        changed += len(set(before).symmetric_difference(labels_now(progress)))
    assert changed >= 2
    assert not Entry.objects.filter(project=project, created_at__gt=clock.now()).exists()
    assert list(replay(project)) == []
    assert project.images.exclude(picture="").count() == 5
    assert demo.build_check().pk == project.pk
