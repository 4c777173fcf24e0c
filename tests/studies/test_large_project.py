"""The made-up large project, in a small size: whole, and with pages that open."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Chain, Project
from campaign.dashboard.figures.refresh import GROUPS, read_figures, refresh_figures
from members.models import Role
from pipeline.models import Judgment, Question
from studies.large_project.make import make_large_project
from tests.support.members import sign_in


@pytest.mark.services
def test_a_large_project_is_whole_and_its_dashboard_needs_few_statements(
    real_services: None, transactional_db: None, client: object
) -> None:
    said: list[str] = []
    project = make_large_project("large", 40, workers=20, say=said.append)
    assert "40 images made" in "".join(said)
    assert Judgment.objects.filter(question__project=project).count() > 40 * 70
    assert not Question.objects.filter(project=project, image__project__isnull=True).exists()
    assert Chain.objects.filter(image__project=project).count() > 40 * 7
    assert refresh_figures(project.pk) == list(GROUPS)
    figures = {name: group.values for name, group in read_figures(project.pk).items()}
    assert figures["pace"]["judgments"] == Judgment.objects.count()
    assert figures["paper"]["table_4"]["total"]["chains"] > 0
    sign_in(client, project, Role.REQUESTER)  # type: ignore[arg-type]
    with CaptureQueriesContext(connection) as statements:
        assert client.get("/projects/large/dashboard/").status_code == 200  # type: ignore[attr-defined]
    assert len(statements) <= 20


@pytest.mark.sqlite_only
@pytest.mark.django_db
def test_on_sqlite_it_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="PostgreSQL only"):
        make_large_project("large", 1, workers=1, say=print)
    assert not Project.objects.exists()
