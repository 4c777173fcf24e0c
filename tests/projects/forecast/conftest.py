"""A requester's project of tiny images, and jobs that are done when the test says so."""

from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.models import User

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.settings import Settings
from projects.forecast.operations import ForecastInput, begin_forecast
from projects.models import Run
from projects.operation import COMMAND_LINE, CannotBeDone
from projects.runs import do_run_by_command, start
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


def assumed(project: Project, **values: Any) -> ForecastInput:
    """Return assumptions with workers who are trusted from the start."""
    version = current_settings(project.pk)[0]
    return ForecastInput(**{**GIVEN, "trusted": 8, "settings_version": version, **values})


def made(project: Project, **values: Any) -> Run:
    """Make a prediction with workers who are trusted from the start."""
    row = start(begin_forecast, project, COMMAND_LINE, assumed(project, **values))
    with suppress(CannotBeDone):
        do_run_by_command(row, lambda progress: None)
    row.refresh_from_db()
    return row


def made_once(project: Project) -> Run:
    """Make the prediction for the tiny images of `project`; for later tests, write what came out the first time."""
    if KEPT:
        version = current_settings(project.pk)[0]
        given = {**KEPT, "input": {**KEPT["input"], "settings_version": version}}
        return Run.objects.create(project=project, **given)
    row = made(project)
    KEPT.update({field.name: getattr(row, field.name) for field in row._meta.fields[1:] if field.name != "project"})
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
