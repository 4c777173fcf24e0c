"""Dry runs: a scratch copy that simulated workers annotate, marked on every page, and gone with one click.
People who will work, and the cost of their work: the assumptions of a prediction, and the words of its page.
"""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Gold, Image, Project
from campaign.cost_prediction.expected import expected, who_works
from campaign.lifecycle import dry_run
from campaign.lifecycle.dry_run import NotDryError, delete_dry_run
from campaign.models import ImportRun
from members.add_member import add_member
from members.models import Role
from pipeline.models import Assignment, Entry, Judgment, LedgerEntry
from pipeline.money.errors import NoPartError
from pipeline.money.pay_worker import pay_worker
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.replay import replay
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.campaign.conftest import Later
from tests.campaign.cost_prediction.conftest import ADDRESS, GIVEN, made_once
from tests.support.projects import answer, worker
from upkeep import clock
from workers.grant_access import grant_access
from workers.invitations import invite
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState

NOTICE = b"Dry run with simulated workers"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "IMAGES", 2)
    monkeypatch.setattr(dry_run, "WORKERS", 8)


def dry_run_of(requester: Client) -> Project:
    assert requester.post("/projects/ours/dry-run/")["Location"] == "/projects/ours-dry-run/data/"
    return Project.objects.get(dry_run=True)


@pytest.mark.slow
def test_simulated_workers_finish_a_copy_whose_pages_say_what_it_is_and_that_is_in_no_list_of_money_and_workers(
    requester: Client, project: Project, at_once: None, admin_client: Client
) -> None:
    made = dry_run_of(requester)
    run = ImportRun.objects.get(project=made)
    assert (run.state, run.problem, run.done) == ("done", "", 4)
    assert set(Image.objects.filter(project=made).values_list("state", flat=True)) <= {"merged", "in review"}
    assert set(Judgment.objects.values_list("worker__kind", flat=True)) == {"virtual"}
    assert Entry.objects.filter(project=made).latest("created_at").created_at < clock.now()
    assert list(replay(made)) == [] and Gold.objects.filter(image__project=made).count() == 2
    for page in ("", "dashboard/", "workers/", "review/", "explore/", "settings/", "data/", "predict/"):
        assert NOTICE in requester.get(f"/projects/ours-dry-run/{page}").content, page
        assert NOTICE not in requester.get(f"/projects/ours/{page}").content, page
    assert not Judgment.objects.filter(assignment__project=project).exists()
    assert made.title.encode() in requester.get("/projects/ours/predict/").content
    one = Assignment.objects.filter(project=made).exclude(earned_cents=0)[0].worker
    with pytest.raises(NoPartError, match="dry run"):
        pay_worker(worker_id=one.pk, project_id=made.pk, cents=1, reason="work", actor="rita", reference="1")
    paid = requester.get(f"/projects/ours-dry-run/workers/{one.pk}/").content
    assert b"Nobody is paid in a dry run" in paid and b"Give the bonus" not in paid
    assert one.name.encode() not in admin_client.get("/admin/workers/worker/").content


def test_no_program_judges_in_a_dry_run_whatever_settings_it_is_given(project: Project) -> None:
    settings = replace(current_settings(project.pk)[1], jurors=(7,))
    assert current_settings(dry_run.make_dry_run(project, None, settings=settings).pk)[1].jurors == ()


@pytest.mark.slow
@pytest.mark.both_engines
def test_the_command_makes_one_and_one_click_deletes_it_with_answers_and_workers(requester: Client, project: Project):
    call_command("dry_run", "ours")
    made = Project.objects.get(name="ours-dry-run", dry_run=True)
    assert Judgment.objects.filter(assignment__project=made).exists()
    answer(project, worker(project, "petra"), Task.COREFERENCE_LINK, "same")
    judged = Judgment.objects.filter(assignment__project=project).count()
    with pytest.raises(CommandError, match="is not a dry run"):
        call_command("dry_run", "ours", delete=True)
    add_member(User.objects.get(username="rita"), made, Role.REQUESTER)  # a command's project has no members
    assert requester.post(f"/projects/{made.name}/dry-run/delete/")["Location"] == "/"
    assert list(Project.objects.values_list("name", flat=True)) == ["ours"]
    assert list(Worker.objects.values_list("name", flat=True)) == ["petra"]
    assert Judgment.objects.count() == judged > 0 and list(replay(project)) == []


def test_nothing_real_is_ever_deleted_by_it(requester: Client, project: Project, later: Later) -> None:
    assert b"is not a dry run" in requester.post("/projects/ours/dry-run/delete/", follow=True).content
    made, now = dry_run_of(requester), clock.now()
    times = {"created_at": now, "expires_at": now + timedelta(hours=1)}
    Assignment.objects.create(
        project=made, worker=worker(made, "petra"), task=Task.BOX_QUALITY.value, questions=[], **times
    )
    with pytest.raises(NotDryError, match="A person or a program"):
        delete_dry_run(made)
    assert Project.objects.filter(pk=made.pk).exists() and not LedgerEntry.objects.exists()


@pytest.mark.usefixtures("project", "later")
def test_a_second_one_waits_for_the_end_of_the_first_and_gets_another_name_and_a_dry_run_has_none(requester: Client):
    dry_run_of(requester)
    assert dry_run_of(requester).name == "ours-dry-run"
    ImportRun.objects.update(state="paused")
    assert requester.post("/projects/ours/dry-run/")["Location"] == "/projects/ours-dry-run-2/data/"
    answer = requester.post("/projects/ours-dry-run/dry-run/", follow=True)
    assert b"This is a dry run already" in answer.content and Project.objects.count() == 3


@pytest.mark.slow
def test_its_progress_counts_images_and_it_leads_to_its_pages_and_back_to_the_project(requester: Client, at_once: None):
    made = dry_run_of(requester)
    page = requester.get(f"/projects/{made.name}/data/").text
    assert "2 of 2 images annotated" in page
    for address in (f"/projects/{made.name}/dashboard/", f"/projects/{made.name}/", "/projects/ours/predict/"):
        assert f'href="{address}"' in page
    assert "Choose a folder" not in page
    ImportRun.objects.filter(project=made).update(state="running", done=1)
    assert "1 of 2 images copied" in requester.get(f"/projects/{made.name}/data/").text


@pytest.mark.slow
def test_images_whose_annotation_is_disputed_get_a_drawn_truth(requester: Client, project: Project, at_once: None):
    for row in project.images.all():
        Gold.objects.create(image=row, chains=[], complete=False)
    made = dry_run_of(requester)
    run = ImportRun.objects.get(project=made)
    assert (run.state, run.problem) == ("done", "")
    assert not Gold.objects.filter(image__project=made, complete=False).exists()


@pytest.mark.slow
def test_invited_people_are_assumed_and_a_prediction_for_others_says_so(requester: Client, project: Project) -> None:
    made_once(project)
    assert "Nobody is invited yet" in requester.get(ADDRESS).text
    invite(project_id=project.pk, trusted=True, most=4)
    invite(project_id=project.pk, days=-1, most=70)
    page = requester.get(ADDRESS).text
    assert "Invited or at work: 4 trusted. These figures assume 8 trusted and 0 new workers" in page
    assert re.search(r'name="workers" value="4"', page) and re.search(r'name="trusted" value="4"', page)
    invite(project_id=project.pk)
    barred, new = (Worker.objects.create(name=name) for name in ("barred", "new"))
    for one_worker, state in ((barred, TrustState.BARRED), (new, TrustState.PROBATION)):
        grant_access(one_worker, project.pk, ["coreference link"])
        TrustStatus.objects.filter(worker=one_worker).update(state=state.value)
    assert expected(project) == (4, 1, True) and who_works(project) == {"workers": 5, "trusted": 4}
    assert who_works(project, trusted=9) == {"workers": 5, "trusted": 5}


def test_more_trusted_workers_than_workers_are_refused_by_name(requester: Client, project: Project) -> None:
    answer = requester.post(ADDRESS, {**GIVEN, "workers": 3, "trusted": 4})
    assert answer.status_code == 400 and "Only 3 workers begin" in answer.text
    with pytest.raises(CommandError, match="--trusted: Only 3 workers begin: trust that many at most"):
        call_command("predict", "ours", workers=3, trusted=9)


def test_the_page_compares_the_prediction_and_the_cap_and_says_its_purpose(requester: Client, project: Project) -> None:
    row, page = made_once(project), requester.get(ADDRESS).text
    assert "too low for what is predicted" not in page
    assert all(words in page for words in ("real questions", "verification questions", "probation", "tests"))
    cap = ProtocolSettings(**{**current_settings(project.pk)[1].to_json(), "spend_cap_cents": 1})
    change_settings(project_id=project.pk, settings=cap)
    page = requester.get(ADDRESS).text
    assert "The spend cap of $0.01" in page and "too low for what is predicted" in page
    for way in (row.values["now"], *row.values["options"]):
        parts = way["parts"].values()
        assert sum(judgments for judgments, _, _ in parts) == pytest.approx(way["judgments"][0], abs=0.05)
        assert sum(cents for _, _, cents in parts) == pytest.approx(way["cents"][0], abs=0.05)
        assert way["parts"]["tests"] == way["parts"]["probation"] == [0, 0, 0]  # all are trusted
