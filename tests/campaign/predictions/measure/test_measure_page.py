"""The page of models measures a program: a button, its progress, a stop button, the table, and the copies."""

import pytest
from django.test import Client

from annotation.models import Gold, Project
from campaign.lifecycle.dry_run import delete_dry_run
from campaign.models import ModelMeasurement
from members.models import Role
from pipeline.project.settings_versions import current_settings, learn_settings
from tests.campaign.conftest import Later
from tests.campaign.predictions.measure.conftest import program
from tests.support.members import member, sign_in
from upkeep import clock

pytestmark = pytest.mark.django_db
PAGE = "/projects/ours/models/"
MEASURE, PROGRESS = f"{PAGE}measure/", f"{PAGE}progress/"
FIGURE = {"without": 100, "with": 80, "change": [-0.2, -0.3, -0.1]}
SHARE = {"without": [9, 10], "with": [9, 10], "change": [0.0, -0.1, 0.1]}
VALUES = {
    "figures": {
        **dict.fromkeys(("answers", "linking", "boxing", "hours", "cents", "review"), FIGURE),
        **dict.fromkeys(("boxes_right", "boxes_found", "chains_exact"), SHARE),
    },
    **{"images": 6, "with_gold": 5, "proposed": 17, "kept": 16, "unused": [], "currency": "USD", "paid": False},
}


@pytest.fixture
def requester(client: Client, project: Project) -> Client:
    sign_in(client, project, Role.REQUESTER)
    return client


@pytest.mark.slow
@pytest.mark.both_engines
def test_a_program_is_measured_with_progress_and_the_copies_can_be_opened(
    requester: Client, project: Project, later: Later, nobody_answers: None
) -> None:
    net = program(project, "net-1")
    assert requester.get(PROGRESS).status_code == 404
    page = requester.get(PAGE).text
    assert "Measure it" in page and "annotate 6 images with known answers twice" in page
    assert requester.post(MEASURE, {"program": net.pk})["Location"] == PAGE
    told = {"state": "waiting", "done": 0, "total": 0, "problem": "", "doing": ""}
    assert requester.get(PROGRESS).json() == told
    page = requester.get(PAGE).text
    assert "net-1 is being measured" in page and 'data-open="yes"' in page and "Measure it" not in page
    assert "is being made already" in requester.post(MEASURE, {"program": net.pk}, follow=True).text
    (work,) = later
    work()
    assert requester.get(PROGRESS).json()["state"] == "done"
    page = requester.get(PAGE).text
    for name, title in (("ours-without-model", "without net-1"), ("ours-with-model", "with net-1")):
        assert f'href="/projects/{name}/"' in page
        copy = requester.get(f"/projects/{name}/").text
        assert f"Dry run of ours {title}" in copy and "Delete this dry run" in copy
    assert "0 of 6 images annotated" not in requester.get("/projects/ours-with-model/data/").text
    assert "this is a dry run" in requester.get("/projects/ours-with-model/models/").text
    requester.post("/projects/ours-with-model/models/measure/", {"program": net.pk})
    assert ModelMeasurement.objects.count() == 1


@pytest.mark.both_engines
def test_it_is_stopped_before_it_begins_and_only_programs_of_the_project_are_measured(
    requester: Client, project: Project, later: Later
) -> None:
    net = program(project, "net-1")
    assert requester.post(MEASURE, {"action": "stop"})["Location"] == PAGE
    requester.post(MEASURE, {"program": net.pk})
    requester.post(MEASURE, {"action": "stop"})
    assert ModelMeasurement.objects.get().state == "cancelled"
    assert "The last measurement was stopped." in requester.get(PAGE).text
    stranger = program(project, "other", images=0)
    for number in (stranger.pk, "", "x", "9" * 30):
        assert "has predicted nothing" in requester.post(MEASURE, {"program": number}, follow=True).text
    Gold.objects.filter(image__name="0").delete()
    Gold.objects.filter(image__name="1").update(complete=False)
    page = requester.get(PAGE).text
    assert "A measurement needs 5 images with known right answers, and 4 of the images" in page
    assert "Measure it" not in page


def test_the_last_measurement_of_each_program_stays_on_the_page_and_says_what_has_changed_since(
    requester: Client, project: Project
) -> None:
    rows = [program(project, name) for name in ("net-1", "net-2")]
    now = clock.now()
    ends = {"settings_version": 1, "state": "done", "values": VALUES, "begun_at": now, "ended_at": now}
    for row in rows:
        ModelMeasurement.objects.create(project=project, program=row, **ends)
    ModelMeasurement.objects.create(
        project=project, program=rows[1], settings_version=1, state="failed", problem="Odd."
    )
    page = requester.get(PAGE).text
    assert page.count("the same 6 images take 20% fewer answers, likely 10% to 30%") == 2
    assert page.count('<details class="more" open>') == 1, "the figures of the newest are open"
    assert "net-2 could not be measured. Odd." in page and page.count("Its copies are deleted.") == 2
    assert "17 of its boxes were tried and 16 kept. The right answers of 1 image are what workers made of it" in page
    assert "changed since" not in page and "predicted anew" not in page
    learn_settings(project.pk, 1, current_settings(project.pk)[1], "a refit", learned_from=9)
    program_again = project.model_predictions.filter(program=rows[0]).first()
    assert program_again is not None
    project.model_predictions.filter(pk=program_again.pk).update(created_at=clock.now())
    page = requester.get(PAGE).text
    assert page.count("The settings have changed since") == 2 and "net-1 has predicted anew since" in page
    assert "net-2 has predicted anew" not in page


def test_copies_are_shown_to_those_who_may_look_at_them_and_one_may_be_gone(
    client: Client, project: Project, later: Later, nobody_answers: None
) -> None:
    net = program(project, "net-1")
    sign_in(client, project, Role.REQUESTER)
    client.post(MEASURE, {"program": net.pk})
    later[0]()
    row = ModelMeasurement.objects.get()
    assert row.copy_with is not None
    delete_dry_run(row.copy_with)
    page = client.get(PAGE).text
    assert "ours-without-model" in page and "ours-with-model" not in page
    client.force_login(member(project, Role.REQUESTER, "colleague"))
    page = client.get(PAGE).text
    assert "nobody has to be asked anything about these 6 images" in page
    assert "ours-without-model" not in page and "Its copies are deleted" not in page
