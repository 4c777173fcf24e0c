"""The admin of a project's settings: a change is a new version, checked, and never an overwriting of another's."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from members.models import Role
from pipeline.models import SettingsVersion
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from tests.support.members import sign_in
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.rows import make_project

pytestmark = pytest.mark.django_db
ADD = "admin:pipeline_settingsversion_add"


@pytest.fixture
def project() -> Project:
    return make_project()


def settings_form(client: Client, project: Project) -> tuple[str, dict[str, Any]]:
    """The address of the form, and what a browser would send back unchanged."""
    address = f"{reverse(ADD)}?project={project.pk}"
    form = client.get(address).context["adminform"].form
    return address, {name: form[name].value() for name in form.fields}


def with_values(data: dict[str, Any], **changes: Any) -> dict[str, Any]:
    values = data["values"] if isinstance(data["values"], dict) else json.loads(data["values"])
    return {**data, "values": json.dumps({**values, **changes}), "reason": "we found it better"}


def test_a_change_of_settings_is_a_new_version(project: Project, admin_client: Client) -> None:
    address, data = settings_form(admin_client, project)
    response = admin_client.post(address, with_values(data, coverage_votes=3))
    assert response.status_code == 302
    version, settings = current_settings(project.pk)
    assert (version, settings.coverage_votes) == (2, 3)
    newest = SettingsVersion.objects.get(version=2)
    assert newest.reason == "we found it better"
    assert (
        "coverage_votes: 2 &rarr; 3"
        in admin_client.get(reverse("admin:pipeline_settingsversion_change", args=[newest.pk])).text
    )


def test_the_page_tells_how_many_answers_to_links_are_on_their_way_before_the_change(admin_client: Client) -> None:
    project = project_of(phrases("people: a man", "people: the man"), phrases("animals: a", "animals: b", name="2"))
    for name, answers in (("ada", ["same"]), ("bob", [])):
        submit(lease(project, worker(project, name), Task.COREFERENCE_LINK, size=1), *answers)
    lease(project, worker(project, "cleo"), Task.COREFERENCE_LINK, size=1)
    address, _ = settings_form(admin_client, project)
    assert "2 link questions are answered or with workers now: their answers count" in admin_client.get(address).text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"no_such_setting": 1}, "Unknown settings: no_such_setting"),
        ({"merge_iou": 1.5}, "merge_iou=1.5"),
        ({"merge_iou": float("nan")}, "not JSON compliant"),
        ({"strategy": "fastest"}, "fastest"),
        ({"batch": {"box_drawing": 5}}, "batch="),
        ({"coverage_votes": "three"}, "coverage_votes"),
        ({"mergeable_types": 7}, "mergeable_types"),
        ({"dictionaries": {"add": {"no such list": ["word"]}}}, "no such list"),
        ({"strategy": "adaptive", "link_stop": 2}, "link_stop=2"),
        ({"link_prior": {"sizes": {"": [0, 0]}}}, "link_prior: "),
        ({"link_prior": {"sizes": {"": [0, 0, 0, 0, 10**400]}}}, "should be a number from -100 to 100"),
        ({"link_stop": 10**400}, "link_stop=1000"),
        ({}, "nothing would change"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused_and_the_form_says_why(
    changes: dict[str, Any], message: str, project: Project, admin_client: Client
) -> None:
    address, data = settings_form(admin_client, project)
    response = admin_client.post(address, with_values(data, **changes))
    assert response.status_code == 200
    errors = response.context["adminform"].form.errors
    assert message in str(errors.get("values", errors.get("__all__")).data)
    assert SettingsVersion.objects.count() == 1


@pytest.mark.parametrize("values", ["", "{", "[]", "7", '"text"'])
def test_settings_that_are_no_json_object_are_refused(values: str, project: Project, admin_client: Client) -> None:
    address, data = settings_form(admin_client, project)
    response = admin_client.post(address, {**data, "values": values, "reason": "a try"})
    assert "values" in response.context["adminform"].form.errors
    assert SettingsVersion.objects.count() == 1


@pytest.mark.both_engines
def test_settings_changed_by_somebody_else_meanwhile_are_not_overwritten(
    project: Project, admin_client: Client
) -> None:
    address, data = settings_form(admin_client, project)
    admin_client.post(address, with_values(data, coverage_votes=3))
    response = admin_client.post(address, with_values(data, no_box_votes=3))
    assert "Version 2 was made in the meantime" in response.text
    assert current_settings(project.pk)[1].no_box_votes == 2


def test_new_settings_start_from_those_of_a_project(project: Project, admin_client: Client) -> None:
    add = reverse(ADD)
    assert admin_client.get(add)["Location"] == f"{add}?project={project.pk}"
    make_project("another")
    for wrong in ("", "?project=0", "?project=x", "?project=99999999999999999999"):
        assert admin_client.get(add + wrong)["Location"] == reverse("admin:annotation_project_changelist")


def test_staff_who_may_only_look_cannot_change_settings(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REVIEWER)
    assert client.get(reverse("admin:pipeline_settingsversion_changelist")).status_code == 200
    assert client.post(reverse(ADD), {"project": project.pk}).status_code == 403


@pytest.mark.parametrize("wrong", [{"project": "x"}, {"project": "0"}, {"based_on": ""}, {"reason": ""}], ids=str)
def test_a_form_with_a_part_missing_or_garbled_is_refused(
    wrong: dict[str, str], project: Project, admin_client: Client
) -> None:
    address, data = settings_form(admin_client, project)
    response = admin_client.post(address, {**with_values(data, coverage_votes=3), **wrong})
    assert response.status_code == 200
    assert set(response.context["adminform"].form.errors) == set(wrong)
    assert SettingsVersion.objects.count() == 1
