"""The demo campaign: what a requester finds in it."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client

from campaign.demo import build_campaign as demo
from messaging.conversations import conversations_in
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, LedgerEntry
from tests.support.trusting import differences
from upkeep import clock
from workers.models import SkillEstimate, TrustStatus

pytestmark = pytest.mark.django_db


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: object) -> None:
    settings.MEDIA_ROOT = str(tmp_path)  # type: ignore[attr-defined]
    monkeypatch.setattr(demo, "SCENES", 4)
    monkeypatch.setattr(demo, "PLAN", replace(demo.PLAN, workers=8, stock=40, most=90))


@pytest.mark.slow
def test_the_demo_campaign_is_under_way_with_things_to_settle(small: None, admin_client: Client) -> None:
    project = demo.build_campaign()
    assert not Entry.objects.filter(project=project, created_at__gt=clock.now()).exists()
    assert not Assignment.objects.filter(project=project, ended_at__gt=clock.now()).exists()
    assert KnownQuestion.objects.filter(project=project).exists()
    assert LedgerEntry.objects.filter(project=project, kind="paid").exists()
    assert SkillEstimate.objects.filter(project=project).exists()
    assert Judgment.objects.filter(assignment__project=project, seconds__lt=1).exists()  # by a worker who hurries
    assert TrustStatus.objects.filter(project=project, state="barred").exists()
    assert project.images.filter(chains__state="review").exists()
    assert conversations_in(project.pk, waiting=True).count() == 1
    assert differences(project) == []
    page = admin_client.get("/projects/campaign/dashboard/").text
    assert "Chains wait for an expert" in page and "Messages of workers wait for an answer" in page
    assert demo.build_campaign().pk == project.pk


@pytest.mark.slow
@pytest.mark.both_engines
def test_things_are_left_to_settle_even_if_every_chain_was_finished_and_nobody_barred(
    small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "SCENES", 2)  # all of their questions are answered
    monkeypatch.setattr(demo, "PLAN", replace(demo.PLAN, bad=0.0, most=None))
    project = demo.build_campaign()
    assert project.images.filter(chains__state="review").exists()
    barred = TrustStatus.objects.get(project=project, state="barred")
    (appeal,) = conversations_in(project.pk, waiting=True)
    assert appeal.worker_id == barred.worker_id
