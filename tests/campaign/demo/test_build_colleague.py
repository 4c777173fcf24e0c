"""The demo of a program that judges: what a requester finds on its pages."""

from html import unescape

import pytest
from django.test import Client

from campaign.demo import build_colleague as demo
from campaign.predictions.judges import judges
from pipeline.models import Entry, Judgment
from pipeline.project.settings_versions import current_settings
from pipeline.record.replay import replay
from tests.campaign.demo.conftest import Drawn
from upkeep import clock
from workers.models import ApiKey

pytestmark = pytest.mark.django_db


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, drawn: Drawn) -> None:
    drawn(4)
    monkeypatch.setattr(demo, "BEFORE", 3)
    monkeypatch.setattr(demo, "AFTER", 1)


@pytest.mark.slow
def test_a_scripted_program_that_says_so_is_at_work_in_the_demo_and_models_shows_its_work(
    small: None, admin_client: Client
) -> None:
    project = demo.build_colleague()
    settings = current_settings(project.pk)[1]
    (found,) = judges(project, settings)
    assert (found.name, found.at_work, found.has_key) == ("Scripted colleague (demo)", True, True)
    assert found.work is not None and found.work.answers == sum(number for _, number in found.answers) > 40
    assert ApiKey.objects.filter(worker=found.id).exists()
    kinds = {"virtual", "program"}
    assert set(Judgment.objects.filter(question__project=project).values_list("worker__kind", flat=True)) == kinds
    assert not Entry.objects.filter(project=project, created_at__gt=clock.now()).exists()
    assert list(replay(project)) == []
    assert project.images.exclude(picture="").count() == 4
    page = unescape(admin_client.get("/projects/colleague/models/").text)
    assert "What became of its answers" in page and "At work, and new" in page
    assert demo.build_colleague().pk == project.pk
