"""A requester's project of tiny images, and jobs that are done when the test says so."""

from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User

from accounts.add_member import add_member
from accounts.models import Role
from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.settings import Settings
from projects.forecast.work import predict
from projects.long_work import Watch, carry_out
from projects.models import CampaignPrediction
from tests.support.projects import phrases, project_of

REWARDS = {task.value: 20 for task in PROTOCOL_TASKS}


TEXTS = ("people: a man", "people: the tall man", "clothing: a hat")
GIVEN = {"crowd": "paper", "workers": 8, "trusted": 0, "bad_percent": 0, "sample": 2, "repetitions": 2}
ADDRESS = "/projects/ours/predict/"
KEPT: dict[str, Any] = {}


def plain(name: str) -> DatasetImage:
    """Make an image of which nothing is known but its phrases."""
    return phrases(*TEXTS, name=name)


def image(name: str) -> DatasetImage:
    boxes = [DatasetBox(Box(10, 10, 60, 90), ("man",)), DatasetBox(Box(100, 10, 140, 40), ("hat",))]
    return phrases(*TEXTS, name=name, chains=["man", "man", "hat"], boxes=boxes)


def made(project: Project, **values: Any) -> CampaignPrediction:
    """Make a prediction with workers who are trusted from the start."""
    given = {**GIVEN, "trusted": 8, "settings_version": current_settings(project.pk)[0], **values}
    row = CampaignPrediction.objects.create(project=project, **given)
    carry_out(Watch(row, by_command=True), partial(predict, row))
    row.refresh_from_db()
    return row


def made_once(project: Project) -> CampaignPrediction:
    """Make the prediction for the tiny images of `project`; for later tests, write what came out the first time."""
    if KEPT:
        version = current_settings(project.pk)[0]
        return CampaignPrediction.objects.create(project=project, settings_version=version, **KEPT)
    row = made(project)
    names = [field.name for field in row._meta.fields if field.name not in ("id", "project", "settings_version")]
    KEPT.update({name: getattr(row, name) for name in names})
    return row


@pytest.fixture
def project(db: None) -> Project:
    return project_of(
        *(plain(str(number)) for number in range(4)), name="ours", settings=Settings(reward_cents=REWARDS)
    )


@pytest.fixture
def with_gold(db: None) -> Project:
    return project_of(*(image(str(number)) for number in range(4)), name="golden", gold=True)


@pytest.fixture
def rita(rita: User, project: Project) -> User:
    add_member(rita, project, Role.REQUESTER)
    return rita
