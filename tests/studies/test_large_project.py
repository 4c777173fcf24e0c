"""The made-up large project, in a small size: whole, and with pages that need few statements."""

import pytest
from django.core.management.base import CommandError

from annotation.models import Chain, Project
from backoffice.base import StoryAdmin
from backoffice.people.trust_status import TrustStatusAdmin
from campaign.dashboard.figures.refresh import GROUPS, read_figures, refresh_figures
from pipeline.models import Judgment, Question
from studies.large_project import measure as measuring
from studies.large_project.make import make_large_project
from studies.large_project.measure import MOST_STATEMENTS, Measured, Statements, measure_pages, missed
from studies.large_project.pages import Page, pages_of
from studies.management.commands.large_project import Command

MORE = ("worker,", "delete", "admin, one ")
"""Beginnings of the names of pages that need more than the goal's 20 statements, whatever the project's size."""


@pytest.mark.services
def test_a_large_project_is_whole_and_its_pages_need_few_statements(
    real_services: None, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    make_large_project("large-other-1", 6, workers=13, say=said.append, vacuum=False)
    project = make_large_project("large", 16, workers=20, say=said.append)
    assert "16 images made" in "".join(said)
    assert Judgment.objects.filter(question__project=project).count() > 16 * 70
    assert not Question.objects.filter(project=project, image__project__isnull=True).exists()
    assert Chain.objects.filter(image__project=project).count() > 16 * 7
    assert refresh_figures(project.pk) == list(GROUPS)
    figures = {name: group.values for name, group in read_figures(project.pk).items()}
    assert figures["pace"]["judgments"] == Judgment.objects.filter(assignment__project=project).count()
    assert figures["paper"]["table_4"]["total"]["chains"] > 0
    once_and_short(monkeypatch)
    found = measure_pages(project, said.append)
    assert len(found) > 190
    # The times are not looked at: a busy machine must not fail this.
    many = {one.page.name for one in found if one.statements.count > MOST_STATEMENTS}
    assert not [name for name in many if not f"{name},".startswith(MORE)]
    assert {one.page.name: one.status for one in found if one.status >= 400} == {}


def once_and_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask for each page once; with as many rows in the admin's lists as give a statement for each row away.

    Each list is asked for once: its filters are tried by tests of the admin.
    """
    monkeypatch.setattr(measuring, "TRIES", 0)
    for admin in (StoryAdmin, TrustStatusAdmin):
        monkeypatch.setattr(admin, "list_per_page", MOST_STATEMENTS + 1)
    plain = [page for page in pages_of(Project.objects.get(name="large")) if not page.name.endswith("__exact")]
    monkeypatch.setattr(measuring, "pages_of", lambda _: plain)


def page(statements: int, median: float, status: int = 200) -> Measured:
    made = Statements(count=statements)
    return Measured(Page("images", "/"), status, made, 0.0, median, 0.0)


def test_a_page_misses_the_goal_by_its_statements_its_time_or_an_error() -> None:
    assert missed([page(20, 300)]) == []
    found = missed([page(21, 1), page(1, 301), page(1, 1, 500)])
    assert found == ["images: 21 statements", "images: 301 ms", "images: status 500"]


def test_with_a_goal_the_command_fails_if_a_page_misses_it(
    db: None, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"name": project.name, "measure": False, "only": "", "slow": False, "goal": True}
    command = Command()
    for found, fails in (([page(20, 300)], False), ([page(21, 1)], True)):
        monkeypatch.setattr(
            "studies.management.commands.large_project.measure_pages", lambda *_, found=found, **__: found
        )
        if fails:
            with pytest.raises(CommandError, match="21 statements"):
                command.handle(**given)
        else:
            command.handle(**given)


@pytest.fixture
def project(db: None) -> Project:
    return Project.objects.create(name="large")


@pytest.mark.django_db
def test_on_sqlite_it_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="PostgreSQL only"):
        make_large_project("large", 1, workers=1, say=print)
    assert not Project.objects.exists()
