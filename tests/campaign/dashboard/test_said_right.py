"""Claims that programs make a project sure of are held against people's answers: on pages, as a need, as an alert."""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from campaign.alerts.tell_alerts import begin_alerts
from campaign.dashboard.needs import Kind, needs_of
from members.models import Role
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db
DASHBOARD, LEARNED = "/projects/small/dashboard/", "/projects/small/settings/learned/"
HOLDS = {"chains": 240, "claims": 200, "said": 0.95, "right": 0.94, "least": 0.9, "most": 0.97}
TOO_SURE = HOLDS | {"said": 0.961, "right": 0.907, "least": 0.88, "most": 0.931}
RECORD = {"missing": [95.0, 5.0], "there": [95.0, 5.0], "good": [95.0, 5.0], "bad": {}}


@pytest.fixture
def project() -> Project:
    return project_of(phrases("scene: a park"), settings=ProtocolSettings(box_policy=BoxPolicy.BELIEF))


@pytest.fixture
def program(project: Project) -> Worker:
    return worker(project, "qwen", kind=Worker.Kind.PROGRAM)


def learn(project: Project, program: Worker, held: dict[str, Any], **changes: Any) -> None:
    """Let a refit have held the program's answers against people's."""
    key, weight = str(program.pk), 0.4 if held is TOO_SURE else 1.0
    every = {key: held, "both": held, "alone": held, "people": HOLDS}
    prior = {"jurors": {key: {**RECORD, "weight": weight}}, "held": every}
    settings = replace(current_settings(project.pk)[1], jurors=(program.pk,), box_prior=prior, **changes)
    change_settings(project_id=project.pk, settings=settings)


@pytest.fixture
def requester(project: Project, client: Client) -> Client:
    sign_in(client, project, Role.REQUESTER)
    return client


def page(client: Client, address: str) -> str:
    return unescape(client.get(address).text)


@pytest.mark.parametrize("address", [DASHBOARD, LEARNED])
def test_people_each_program_and_programs_alone_have_a_line(
    project: Project, program: Worker, requester: Client, address: str
) -> None:
    assert "Said against right" not in page(requester, address)
    learn(project, program, HOLDS)
    text = page(requester, address)
    assert text.count('<th scope="row">people</th>') == text.count('<th scope="row">people and qwen</th>') == 1
    assert '<th scope="row">programs alone</th>' in text and "people and all programs" not in text, "one is all"
    assert "95.0%" in text and "94.0%" in text


def test_a_program_that_makes_the_project_too_sure_is_named_with_by_how_much_and_what_to_do(
    project: Project, program: Worker, requester: Client
) -> None:
    learn(project, program, TOO_SURE)
    need = next(one for one in needs_of(project) if one.kind is Kind.PROGRAMS)
    assert need.words == (
        "qwen: with its answers 96% of the boxes are said to be right, but people find 91% (88% to 93%), so it counts "
        "40% until both agree. See where it errs, or set it aside"
    )
    assert need.url == "/projects/small/models/"
    assert [alert.words for alert in begin_alerts(project)] == [f"{need.label}: {need.words}"]
    assert need.words in page(requester, DASHBOARD)
    assert need.words in page(requester, LEARNED)


def test_a_program_that_holds_again_or_was_set_aside_needs_nobody(project: Project, program: Worker) -> None:
    for held, jurors in ((HOLDS, (program.pk,)), (TOO_SURE, ())):
        learn(project, program, TOO_SURE)
        begin_alerts(project)
        learn(project, program, held)
        settings = replace(current_settings(project.pk)[1], jurors=jurors)
        change_settings(project_id=project.pk, settings=settings)
        assert not any(one.kind is Kind.PROGRAMS for one in needs_of(project))
        begin_alerts(project)
        assert not project.alerts.filter(settled_at=None).exists()


def test_all_programs_together_are_named_where_no_single_one_is_too_sure(project: Project, program: Worker) -> None:
    other = worker(project, "other", kind=Worker.Kind.PROGRAM)
    keys = (str(program.pk), str(other.pk))
    prior = {"jurors": dict.fromkeys(keys, RECORD), "held": {**dict.fromkeys(keys, HOLDS), "both": TOO_SURE}}
    settings = replace(current_settings(project.pk)[1], jurors=(program.pk, other.pk), box_prior=prior)
    change_settings(project_id=project.pk, settings=settings)
    (need,) = (one for one in needs_of(project) if one.kind is Kind.PROGRAMS)
    assert need.words.startswith("people and all programs: ")


def test_the_pages_say_whether_programs_finish_chains_alone(
    project: Project, program: Worker, requester: Client
) -> None:
    for held, said in ((HOLDS, "Programs finish chains alone now"), (TOO_SURE, "do not finish chains alone yet")):
        learn(project, program, held, programs_alone=True)
        assert said in page(requester, DASHBOARD)
