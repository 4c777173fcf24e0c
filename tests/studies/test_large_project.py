"""The made-up large project, in a small size: whole, and with pages that need few statements."""

from contextlib import nullcontext

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Chain, Image, Mention, Project
from backoffice.base import StoryAdmin
from backoffice.people.trust_status import TrustStatusAdmin
from campaign.dashboard.figures.refresh import GROUPS, read_figures, refresh_figures
from pipeline.models import Entry, Judgment
from studies.large_project import measure as measuring
from studies.large_project.make import make_large_project
from studies.large_project.measure import MOST_STATEMENTS, Measured, Statements, measure_pages, missed
from studies.large_project.pages import Page, pages_of
from studies.management.commands import large_project as command

MORE = ("worker,", "delete", "models,", "admin, one ")
"""Beginnings of the names of pages that need more than the goal's 20 statements, whatever the project's size."""


@pytest.mark.slow
@pytest.mark.services
def test_a_large_project_is_whole_and_its_pages_need_few_statements(
    real_services: None, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    make_large_project("large-other-1", 2, copies=1, crowd="perfect")
    project = make_large_project("large", 16, copies=4, crowd="perfect", say=said.append)
    assert "16 images made" in "".join(said)
    template = project.images.filter(position__lt=4)
    for model, path in ((Judgment, "question__image"), (Chain, "image"), (Mention, "caption__image"), (Entry, "image")):
        rows = model.objects.filter(**{f"{path}__project": project})
        assert rows.count() == 4 * rows.filter(**{f"{path}__in": template}).count() > 0
    copy, first = (project.images.get(position=position) for position in (13, 1))
    assert copy.name == f"{first.name}-3" and copy.state == first.state
    assert [one.text for one in copy.captions.all()] == [f"{one.text} 3" for one in first.captions.all()]
    Image.objects.create(project=project, name="next", position=99, width=1, height=1).delete()
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


def test_with_a_goal_the_command_fails_if_a_page_misses_it(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "call_command", lambda *_, **__: None)
    for found, fails in (([page(20, 300)], False), ([page(21, 1)], True)):
        monkeypatch.setattr(command, "measure_pages", lambda *_, found=found, **__: found)
        with pytest.raises(CommandError, match="21 statements") if fails else nullcontext():
            call_command("large_project", name=project.name, goal=True)


@pytest.fixture
def project(db: None) -> Project:
    return Project.objects.create(name="large")


@pytest.mark.django_db
def test_on_sqlite_it_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="PostgreSQL only"):
        make_large_project("large", 1, copies=1)
    assert not Project.objects.exists()
