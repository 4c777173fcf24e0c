"""The figures of a survey, once its workers have skills, and beside a project whose figures cannot be computed."""

from pathlib import Path

import pytest
from django.test import Client

from annotation.rules.states import ProjectState
from campaign import jobs
from campaign.dashboard.figures.refresh import read_figures, refresh_figures
from campaign.jobs import refresh_figures_job
from campaign.models import Figures
from tests.support.projects import phrases, project_of, worker
from tests.support.surveys import CHECK, foil, survey
from upkeep import clock
from workers.models import SkillEstimate

pytestmark = pytest.mark.django_db


def test_figures_of_a_survey_are_computed_once_a_worker_has_a_skill(client: Client, tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0)])
    SkillEstimate.objects.create(
        project=project,
        worker=worker(project, "ada", CHECK),
        task=CHECK.value,
        accuracy=0.93,
        low=0.8,
        high=0.97,
        answers=30,
        known_answers=10,
        computed_at=clock.now(),
    )
    refresh_figures(project.pk, anew=True)
    found = read_figures(project.pk)["workers"].values
    assert found["scores"] == {CHECK.value: [0, 0, 0, 0, 0, 0, 0, 1, 0]}
    assert list(found["tasks"]) == [CHECK.value]


def test_a_project_whose_figures_fail_freezes_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (project_of(phrases("animals: a dog"), name=name) for name in ("first", "second"))
    assert {first.state, second.state} == {ProjectState.RUNNING.value}

    def refresh(project_id: int) -> None:
        if project_id == first.pk:
            raise KeyError("caption_check")
        refresh_figures(project_id)

    monkeypatch.setattr(jobs, "refresh_figures", refresh)
    refresh_figures_job()
    assert set(Figures.objects.values_list("project_id", flat=True)) == {second.pk}
