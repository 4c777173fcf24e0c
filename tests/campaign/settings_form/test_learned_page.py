"""The page of what was learned, and settings that show only what people chose."""

from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from campaign.settings_form.history import history, learned
from exchange.jsonl.write import write_jsonl
from members.models import Role
from pipeline.learning.refit_links import given_prior, refit_links
from pipeline.models import SettingsVersion
from pipeline.project.settings_versions import all_settings, change_settings, chosen_versions, current_settings
from pipeline.record.replay import replay
from pipeline.rules.linking.prior.link_prior import DEFAULT
from tests.campaign.settings_form.test_settings_page import form_of, look, save
from tests.pipeline.learning.test_refit_links import ADAPTIVE, answer_all, men, votes
from tests.support.kept import Kept
from tests.support.members import sign_in

pytestmark = pytest.mark.django_db
SETTINGS = "/projects/small/settings/"
PAGE = f"{SETTINGS}learned/"


def learn() -> None:
    """Two refits, and between them a change by a person."""
    project = men(4)
    answer_all(project, most=9)
    refit_links(project.id, only_if_due=False)
    _, settings = current_settings(project.id)
    change_settings(project_id=project.id, settings=replace(settings, tests=9), reason="more tries", made_by="ada")
    answer_all(project)
    refit_links(project.id, only_if_due=False)


@pytest.fixture(scope="module")
def kept(django_db_setup: None, django_db_blocker: Any) -> Kept:
    return Kept(django_db_blocker, learn)


@pytest.fixture
def project(kept: Kept, db: None, client: Client) -> Project:
    kept.write()
    project = Project.objects.get()
    sign_in(client, project, Role.REQUESTER, "ada")
    return project


def by_refits(project: Project) -> list[int]:
    return [one.row.version for one in learned(project)]


@pytest.mark.slow
def test_each_refit_is_a_row_with_its_values_its_answers_and_its_version(project: Project, client: Client) -> None:
    page = unescape(client.get(PAGE).text)
    assert by_refits(project) == [4, 2] and page.count('class="version"') == 2
    newest = page.split("Version 2")[0]
    assert ">in use<" in newest and ">in use<" not in page.split("Version 2")[1]
    assert f"from {votes(project)} answers" in newest and "groups of own answers" in newest
    assert "fitted to own answers, 4 images" in newest and "Errors of the crowd in links" in newest
    assert "more tries" not in page


def test_the_settings_and_their_history_show_only_what_people_chose(project: Project, client: Client) -> None:
    page = unescape(client.get(SETTINGS).text)
    assert "more tries" in page and "refitted" not in page and "fitted to own answers" not in page
    past, versions = history(project)
    assert ([one.row.version for one in past], versions) == ([3, 1], 2)
    assert [[each.setting.name for each in one.changes] for one in past] == [["tests"], []]
    assert chosen_versions(project.id) == {1: ADAPTIVE, 3: replace(ADAPTIVE, tests=9)}


def test_a_choice_keeps_what_was_learned_and_a_refit_meanwhile_is_no_change_of_settings(
    project: Project, client: Client
) -> None:
    form = form_of(client)
    refit_links(project.id, only_if_due=False)
    _, before = current_settings(project.id)
    looked = look(client, form, no_box_votes="4")
    assert "in the meantime" not in looked.text and "Prior of the adaptive" not in looked.text
    save(client, looked)
    assert current_settings(project.id)[1] == replace(before, no_box_votes=4)
    save(client, client.post(SETTINGS, {"action": "again", "number": "1"}))
    assert current_settings(project.id)[1] == replace(before, tests=ADAPTIVE.tests)


def test_a_prior_that_somebody_gives_is_a_setting_and_replaces_what_was_learned(
    project: Project, client: Client
) -> None:
    given = replace(DEFAULT, fitted_on=200).to_json()
    _, settings = current_settings(project.id)
    change_settings(project_id=project.id, settings=replace(settings, link_prior=given), made_by="ada")
    assert history(project)[0][0].changes[0].after == "fitted to finished projects"
    assert given_prior(project.id).fitted_on == 200
    looked = look(client, form_of(client), link_prior="default")
    save(client, looked)
    assert current_settings(project.id)[1] == replace(settings, link_prior={})


def test_what_was_learned_is_forgotten_after_a_look_at_what_that_does(project: Project, client: Client) -> None:
    looked = client.post(SETTINGS, {"action": "forget"})
    assert "Forget learned values?" in looked.text and "fitted to own answers" in looked.text
    assert current_settings(project.id)[0] == 4
    save(client, looked)
    assert current_settings(project.id) == (5, replace(ADAPTIVE, tests=9))
    page = client.get(PAGE).text
    assert ">in use<" not in page and "Forget" not in page and by_refits(project) == [4, 2]
    assert client.post(SETTINGS, {"action": "forget"}).status_code == 302
    assert list(replay(project)) == []


@pytest.mark.slow
@pytest.mark.both_engines
def test_versions_from_before_there_was_a_number_of_answers_are_told_apart_and_replay_and_export_as_before(
    project: Project, client: Client, tmp_path: Path
) -> None:
    def seen(name: str) -> Any:
        write_jsonl(project, tmp_path / name, include_unmerged=True)
        told = [(one.row.version, one.changes) for one in [*history(project)[0], *learned(project)]]
        return (tmp_path / name).read_bytes(), told, all_settings(project.id), chosen_versions(project.id)

    now = seen("now")
    rows = list(SettingsVersion.objects.all())
    SettingsVersion.objects.all().delete()
    for row in rows:
        row.learned_from = None
        row.save(force_insert=True)
    assert seen("before") == now
    assert list(replay(project)) == []
    assert client.get(PAGE).text.count("groups of own answers") == 2
