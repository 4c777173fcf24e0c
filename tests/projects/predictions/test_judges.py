"""Model annotators boxes, on the page of models: setting them to work, setting them aside, and how they do."""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.test import Client

from accounts.models import Role
from annotation.models import Project
from belief.models.error_correlation import pair_of
from belief.models.records import MIN_ANSWERS
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.errors import AssignmentEndedError, NotSetToWorkError, NotTrustedError
from pipeline.models import SettingsVersion
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from projects.dashboard.figures import refresh_figures
from projects.predictions.judges import judges
from runtime import clock
from tests.support.members import sign_in
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from tests.support.settings_with import settings_with
from tests.support.table import case, row
from workers.models import Access, Worker
from workers.tokens import make_api_key, revoke_api_key

pytestmark = pytest.mark.django_db
PAGE, ACT = "/projects/small/models/", "/projects/small/models/judge/"
BELIEF = Settings(box_policy=BoxPolicyName.BELIEF)


@pytest.fixture
def project() -> Project:
    return project_of(phrases("scene: a park"), settings=BELIEF)


def with_key(project: Project, name: str, *tasks: Task) -> Worker:
    made = worker(project, name, *tasks, kind=Worker.Kind.PROGRAM)
    make_api_key(made)
    return made


@pytest.fixture
def program(project: Project) -> Worker:
    return with_key(project, "qwen", Task.BOX_QUALITY)


@pytest.fixture
def rita(project: Project, client: Client) -> Client:
    sign_in(client, project, Role.REQUESTER)
    return client


def press(client: Client, program: object, action: str = "work") -> str:
    sent = {"program": program} | ({"aside": "on"} if action == "aside" else {})
    return unescape(client.post(ACT, sent, follow=True).text)


@pytest.mark.both_engines
def test_a_program_is_set_to_work_and_aside_and_each_is_a_version_with_its_reason(
    project: Project, program: Worker, rita: Client
) -> None:
    assert "people answer whatever it says until 24 more" in press(rita, program.name)
    assert current_settings(project.pk)[1].model_annotators == (program.pk,)
    tasks = set(Access.objects.filter(worker=program).values_list("task", flat=True))
    assert tasks == {"box_requirement", "box_quality", "box_coverage"}
    assert "Not at work: it is not asked about boxes" in press(rita, program.name, "aside")
    assert current_settings(project.pk)[1].model_annotators == ()
    reasons = SettingsVersion.objects.filter(project=project).order_by("version").values_list("reason", flat=True)
    assert list(reasons)[1:] == ["qwen judges", "qwen is set aside"]


def test_a_program_set_aside_answers_no_question_and_gets_none(project: Project, program: Worker, rita: Client) -> None:
    press(rita, program.name)
    held = lease(project, program, Task.BOX_REQUIREMENT)
    press(rita, program.name, "aside")
    with pytest.raises(AssignmentEndedError):
        submit(held, 1)
    with pytest.raises(NotSetToWorkError):
        lease_assignment(project_id=project.pk, worker_id=program.pk, task=Task.BOX_REQUIREMENT)


def test_under_the_papers_loop_a_program_that_judged_takes_the_test_like_any_worker(
    project: Project, program: Worker, rita: Client
) -> None:
    press(rita, program.name)
    assert lease(project, program, Task.BOX_REQUIREMENT).size == 1
    change_settings(
        project_id=project.pk, settings=replace(current_settings(project.pk)[1], box_policy=BoxPolicyName.PAPER)
    )
    with pytest.raises(NotTrustedError):
        lease_assignment(project_id=project.pk, worker_id=program.pk, task=Task.BOX_COVERAGE)


def test_the_same_again_changes_nothing(project: Project, program: Worker, rita: Client) -> None:
    for action in ("work", "work", "aside", "aside"):
        press(rita, program.name, action)
    assert current_settings(project.pk)[0] == 3


def test_under_the_papers_loop_no_program_judges(project: Project, program: Worker, rita: Client) -> None:
    change_settings(project_id=project.pk, settings=Settings())
    page = press(rita, program.name)
    assert "Programs judge adaptive links and boxes under belief" in page and "Let it judge" not in page
    assert current_settings(project.pk)[1].model_annotators == ()


def test_the_page_shows_a_programs_success_and_on_whose_boxes(project: Project, program: Worker, rita: Client) -> None:
    other = with_key(project, "boxer")
    record = {
        "needed": [19.0, 1.0],
        "absent": [4.0, 6.0],
        "missing": [9.0, 1.0],
        "there": [18.0, 2.0],
        "bad": {"person": [4.0, 1.0], str(other.pk): [1.0, 4.0]},
    }
    settings = settings_with(
        BELIEF, model_annotators=(program.pk,), box_prior={"model_annotators": {str(program.pk): record}}
    )
    change_settings(project_id=project.pk, settings=settings)
    found = next(one for one in judges(project, settings) if one.id == program.pk)
    shares = {
        "chains that need a box": 0.95,
        "chains without a box": 0.4,
        "missing boxes": 0.9,
        "chains that miss none": 0.9,
        "bad boxes of boxer": 0.2,
        "bad boxes of people": 0.8,
    }
    assert [(one.kind, one.share.value) for one in found.figures] == list(shares.items())
    page = unescape(rita.get(PAGE).text)
    assert "At work." in page and "Bad boxes of boxer" in page and "No program has a key" not in page


def test_a_program_is_new_until_enough_answers_are_compared(project: Project, program: Worker, rita: Client) -> None:
    record = {"there": [MIN_ANSWERS - 0.2, 0.0]}
    settings = settings_with(
        BELIEF, model_annotators=(program.pk,), box_prior={"model_annotators": {str(program.pk): record}}
    )
    change_settings(project_id=project.pk, settings=settings)
    assert "people answer whatever it says until 1 more" in unescape(rita.get(PAGE).text)


@pytest.mark.parametrize("gone", ["key", "account"])
def test_without_key_or_account_no_program_works(project: Project, program: Worker, rita: Client, gone: str) -> None:
    if gone == "key":
        revoke_api_key(program.api_keys.get().pk)
    else:
        Worker.objects.update(closed_at=clock.now())
    assert judges(project, BELIEF) == []
    assert "No such program has a key for this project" in press(rita, program.name)
    assert current_settings(project.pk)[1].model_annotators == ()


@pytest.mark.parametrize("gone", ["key", "access"])
def test_a_program_at_work_that_can_answer_no_more_is_shown_with_what_that_costs_and_is_set_aside(
    project: Project, program: Worker, rita: Client, gone: str
) -> None:
    press(rita, program.name)
    if gone == "key":
        revoke_api_key(program.api_keys.get().pk)
    else:
        Access.objects.filter(worker=program).delete()
    page = unescape(rita.get(PAGE).text)
    assert "qwen" in page and "nobody waits for it" in page
    assert "Set it aside" in page and "until 24 more" not in page
    assert "No program has a key" in press(rita, program.name, "aside")
    assert current_settings(project.pk)[1].model_annotators == ()


@pytest.mark.both_engines
def test_what_became_of_answers_is_shown_once_it_was_counted(
    project: Project, program: Worker, rita: Client, django_assert_max_num_queries: Any
) -> None:
    press(rita, program.name)
    answer(project, program, Task.BOX_REQUIREMENT, 2)
    page = unescape(rita.get(PAGE).text)
    assert "1 answer<" in page and "What became of its answers" not in page
    refresh_figures(project.pk)
    with django_assert_max_num_queries(20):
        page = unescape(rita.get(PAGE).text)
    row = page[page.index("What became of its answers") :].partition("<tbody>")[2].partition("</tbody>")[0]
    assert [one.partition("<")[0] for one in row.split("<td>")[1:]] == ["1", "0", "1", "0", "0", "–"]
    assert "Not known before ten chains of the audit are finished" in page
    assert "answers an hour while at work" in page and "Never for an hour" in page


@pytest.mark.slow
@pytest.mark.both_engines
def test_the_cost_of_answers_is_what_a_requester_says(project: Project, program: Worker, rita: Client) -> None:
    press(rita, program.name)
    answer(project, program, Task.BOX_REQUIREMENT, 2)
    refresh_figures(project.pk)

    def told(price: str, of: object = program.name) -> str:
        return unescape(rita.post(ACT, {"program": of, "action": "price", "price": price}, follow=True).text)

    page = told("400")
    assert current_settings(project.pk)[1].program_cost_cents == {str(program.pk): 40_000}
    assert "$0.40 for 1 answers, at $400.00 for 1,000." in page and 'value="400.00"' in page
    for wrong in ("-1", "1e9", "0.125", "1001"):
        assert "should be an amount from 0 to 1,000" in told(wrong), wrong
    assert "Enter a number" in told("free") and "Enter a number" in told("nan")
    assert "No such program" in told("1", "999999")
    assert current_settings(project.pk)[1].program_cost_cents == {str(program.pk): 40_000}
    assert "Nobody has said what its answers cost." in told("")
    reasons = SettingsVersion.objects.filter(project=project).order_by("version").values_list("reason", flat=True)
    assert list(reasons)[2:] == ["cost of qwen", "cost of qwen"]


def name_family(client: Client, program: object, family: str) -> str:
    return unescape(client.post(ACT, {"program": program, "action": "family", "family": family}, follow=True).text)


@pytest.mark.both_engines
def test_programs_of_one_family_are_told_to_count_as_one_and_each_name_is_a_version(
    project: Project, program: Worker, rita: Client
) -> None:
    other = with_key(project, "qwen-tuned", Task.BOX_QUALITY)
    name_family(rita, program.name, " qwen ")
    page = name_family(rita, other.name, "qwen")
    assert current_settings(project.pk)[1].model_families == {str(program.pk): "qwen", str(other.pk): "qwen"}
    assert "About boxes it counts as one opinion with qwen-tuned." in page and 'value="qwen"' in page
    assert name_family(rita, other.name, "qwen") and current_settings(project.pk)[0] == 3, "nothing changed"
    assert "as one opinion with" not in name_family(rita, other.name, "")
    assert SettingsVersion.objects.get(project=project, version=4).reason == "family of qwen-tuned"


@row("qwen", 5.0, "About boxes it counts apart from qwen-tuned: answers show that they err apart.")
@row("", -5.0, "errs together with qwen-tuned more often than by chance: give both one family.")
def test_what_answers_tell_of_two_programs_is_shown(
    family: str, apart: float, said: str, project: Project, program: Worker, rita: Client
) -> None:
    other = with_key(project, "qwen-tuned", Task.BOX_QUALITY)
    pairs = {pair_of(program.pk, other.pk): {"apart": apart}}
    families = {str(one.pk): family for one in (program, other) if family}
    change_settings(
        project_id=project.pk, settings=settings_with(BELIEF, model_families=families, box_prior={"pairs": pairs})
    )
    assert said in unescape(rita.get(PAGE).text)


@case("long name", lambda one: one.name, "x" * 41, "should have at most 40 characters")
@case("no number", lambda one: "", "qwen", "Program: ")
@case("nobody", lambda one: "nobody", "qwen", "No such program")
def test_a_family_that_cannot_be_is_refused_in_words(
    program_of: Any, family: str, words: str, project: Project, program: Worker, rita: Client
) -> None:
    assert words in name_family(rita, program_of(program), family) and current_settings(project.pk)[0] == 1
