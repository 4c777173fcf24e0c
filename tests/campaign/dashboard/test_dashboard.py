"""The dashboard: what needs a person, the machine, figures and when they are computed, tables as files."""

import csv
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Chain, Image, Project
from annotation.rules.states import ChainState
from campaign.dashboard.figures.refresh import GROUPS, read_figures, refresh_figures
from campaign.dashboard.machine import HEIGHT, ORDER, machine, rows, short_number
from campaign.dashboard.needs import Kind, needs_of
from campaign.models import Figures, Looked
from members.models import Role
from messaging.models import Conversation
from pipeline.models import Judgment
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.flow import REVIEW_TRANSITIONS, TABLES
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.support.members import sign_in
from tests.support.projects import answer, phrases, project_of, worker
from upkeep import clock
from workers.invitations import invite
from workers.models import TrustStatus, WorkerSignal

pytestmark = pytest.mark.django_db
MOST_STATEMENTS = 20


@pytest.fixture
def project() -> Project:
    return project_of(phrases("people: a man", "people: a boy"), name="small")


@pytest.fixture
def requester(client: Client, project: Project) -> Client:
    sign_in(client, project, Role.REQUESTER)
    return client


def kinds(project: Project) -> set[Kind]:
    return {need.kind for need in needs_of(project)}


def test_a_project_that_needs_nobody_says_so(requester: Client, project: Project) -> None:
    refresh_figures(project.pk)  # known questions are missing, and nobody can join who would take them
    page = requester.get("/projects/small/dashboard/").text
    assert "Nothing needs you" in page and '<li><a href="/admin' not in page


def test_each_thing_that_needs_a_person_has_its_count_and_a_page_that_opens(
    project: Project, requester: Client
) -> None:
    ada = worker(project, "ada")
    answer(project, ada, Task.COREFERENCE_LINK, "same")
    Chain.objects.filter(image__project=project).update(state=ChainState.REVIEW.value, review="cycling")
    Conversation.objects.create(worker=ada, project=project, subject="other", waits_since=clock.now())
    TrustStatus.objects.create(worker=ada, project_id=project.pk, task="box_quality", state="barred", appealed=True)
    WorkerSignal.objects.create(
        project_id=project.pk, kind="far too fast", workers=[ada.pk], chance=0.1, evidence={}, found_at=clock.now()
    )
    invite(project_id=project.pk)
    refresh_figures(project.pk)
    found = {need.kind: need for need in needs_of(project)}
    assert set(found) >= {Kind.REVIEW, Kind.MESSAGES, Kind.APPEALS, Kind.SIGNALS, Kind.STOCK}
    assert "no verification questions" in found[Kind.STOCK].words and "4 more tasks" in found[Kind.STOCK].words
    assert found[Kind.REVIEW].count == Chain.objects.filter(image__project=project).count()
    page = requester.get("/projects/small/dashboard/").text
    for need in found.values():
        assert need.label in page
        assert requester.get(need.url).status_code == 200, need.url


def test_what_workers_said_is_shown_until_it_was_read(project: Project, requester: Client) -> None:
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
    judged = Judgment.objects.get()
    values = {"assignment": judged.assignment, "worker": worker(project, "bob"), "answer": "same"}
    Judgment.objects.create(question=judged.question, comment="blurred", created_at=clock.now(), **values)
    assert Kind.WORDS in kinds(project)
    page = requester.get("/projects/small/dashboard/words/")
    assert "blurred" in page.text
    requester.post("/projects/small/dashboard/words/", {"until": page.context["now"].isoformat()})
    assert Kind.WORDS not in kinds(project) and Looked.objects.get().user is not None


@pytest.mark.both_engines
def test_words_that_come_while_a_requester_reads_stay_unread(project: Project, requester: Client) -> None:
    read = requester.get("/projects/small/dashboard/words/").context["now"].isoformat()
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
    judged = Judgment.objects.get()
    values = {"assignment": judged.assignment, "worker": worker(project, "bob"), "answer": "same"}
    Judgment.objects.create(question=judged.question, comment="late", created_at=clock.now(), **values)
    requester.post("/projects/small/dashboard/words/", {"until": read})
    assert Kind.WORDS in kinds(project)


def test_the_drawing_has_every_state_and_every_step_of_the_tables() -> None:
    drawn = machine({("linking", "verification"): 5})
    assert {state.name for state in drawn.states} == {state.value for state in ChainState}
    steps = {(old, new) for table in (*TABLES.values(), REVIEW_TRANSITIONS) for (old, _), new in table.items()}
    assert {(arrow.old, arrow.new) for arrow in drawn.arrows} == steps
    assert next(arrow.count for arrow in drawn.arrows if arrow.new == "verification") == 5
    assert sum(len(arrows) for _, arrows in rows(drawn)) == len(steps)


def test_ways_of_the_belief_policy_are_in_the_table_once_a_chain_has_gone_them() -> None:
    drawn = machine({("quality", "complete"): 7, ("drawing", "drawing"): 2, ("drawing", "coverage"): 3})
    ways = {(arrow.old, arrow.new): arrow.count for arrow in drawn.others}
    assert ways == {("quality", "complete"): 7, ("drawing", "drawing"): 2}
    listed = [(state.name, arrow.new) for state, arrows in rows(drawn) for arrow in arrows]
    assert set(ways) <= set(listed)


def test_no_two_numbers_of_the_drawing_lie_over_one_another_or_over_a_state() -> None:
    drawn = machine({})
    assert drawn.others == []
    shown = [arrow for arrow in drawn.arrows if "review" not in (arrow.old, arrow.new)]
    for one in shown:
        assert 0 < one.x < 400 and 0 < one.y < drawn.height
        for other in shown:
            assert one is other or abs(one.x - other.x) > 26 or abs(one.y - other.y) > 10, (one, other)
        inside = [state for state in drawn.states if state.y < one.y < state.y + HEIGHT and 132 < one.x < 268]
        assert not inside
    assert len(ORDER) == len(drawn.states)


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (999, "999"), (1234, "1.2k"), (45_678, "45k"), (2_500_000, "2.5M")]
)
def test_a_number_on_an_arrow_is_short(number: int, text: str) -> None:
    assert short_number(number) == text


def test_live_numbers_follow_the_work(project: Project, requester: Client) -> None:
    before = requester.get("/projects/small/dashboard/live/").json()["texts"]
    assert before["open.coreference_link"] == "1" and before["image.linking"] == "1"
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
    after = requester.get("/projects/small/dashboard/live/").json()["texts"]
    assert after["open.coreference_link"] == "0" and after["open.chain_verification"] == "1"


def test_figures_are_computed_at_most_once_a_minute_and_only_for_new_judgments(project: Project) -> None:
    assert refresh_figures(project.pk) == list(GROUPS)
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
    assert refresh_figures(project.pk) == [], "a minute has not passed"
    with clock.moved(timedelta(seconds=61)):
        assert refresh_figures(project.pk) == list(GROUPS)
    with clock.moved(timedelta(minutes=5)):
        assert refresh_figures(project.pk) == [], "nobody answered anything"
    with clock.moved(timedelta(minutes=65)):
        assert refresh_figures(project.pk) == list(GROUPS), "their hours are over"


def test_a_group_that_takes_long_is_computed_less_often(project: Project) -> None:
    refresh_figures(project.pk)
    Figures.objects.filter(name="paper").update(seconds=30)
    with clock.moved(timedelta(minutes=2)):
        answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
        assert "paper" not in refresh_figures(project.pk)


def test_all_groups_together_take_a_twentieth_of_the_time_at_most(project: Project) -> None:
    refresh_figures(project.pk)
    Figures.objects.filter(project=project).update(seconds=60)
    with clock.moved(timedelta(seconds=20 * 60 * len(GROUPS) - 30)):
        answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
        assert refresh_figures(project.pk) == []
    with clock.moved(timedelta(seconds=20 * 60 * len(GROUPS) + 30)):
        assert refresh_figures(project.pk) == list(GROUPS)


def test_the_figures_of_a_small_project_are_right(project: Project) -> None:
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
    answer(project, worker(project, "ada"), Task.CHAIN_VERIFICATION, "true")
    refresh_figures(project.pk)
    figures = {name: group.values for name, group in read_figures(project.pk).items()}
    assert figures["pace"]["judgments"] == 2
    assert sum(count for _, count in figures["pace"]["hours"][-2:]) == 2, "the hour may turn between the two"
    assert figures["flow"]["kept"] == 1 and figures["flow"]["broken"] == 0
    assert ["linking", "verification", 1] in figures["flow"]["arrows"]
    link = figures["workers"]["tasks"]["coreference_link"]
    assert (link["agreement"], link["judged"], link["trusted"]) == (1.0, 1, 1)


def test_the_cost_of_open_questions_follows_from_their_rewards() -> None:
    settings = ProtocolSettings(reward_cents={task.value: 50 for task in PROTOCOL_TASKS})
    paid = project_of(phrases("people: a man", "people: a boy"), name="paid", settings=settings)
    refresh_figures(paid.pk)
    assert read_figures(paid.pk)["money"].values["open_cents"] == 5, "one of ten questions of an assignment"


def test_every_table_can_be_taken_as_a_file_with_the_papers_values(project: Project, requester: Client) -> None:
    refresh_figures(project.pk)
    page = requester.get("/projects/small/dashboard/").context["charts"]
    for name in page:
        found = requester.get(f"/projects/small/dashboard/{name}.csv")
        assert found["Content-Type"].startswith("text/csv")
        assert len(found.getvalue().decode().splitlines()) > 1
    table = list(csv.reader(requester.get("/projects/small/dashboard/table_3.csv").getvalue().decode().splitlines()))
    drawing = next(row for row in table if row[0] == "box drawing")
    assert (drawing[2], drawing[4], drawing[6], drawing[8]) == ("5", "134", "334", "0.824")
    assert requester.get("/projects/small/dashboard/nothing.csv").status_code == 404


@pytest.mark.parametrize("path", ["dashboard/", "dashboard/live/"])
def test_statements_do_not_grow_with_the_rows(path: str, client: Client) -> None:
    counts = []
    for images in (1, 8):
        pictures = [phrases("people: a man", "people: a boy", "animals: a dog", name=str(n)) for n in range(images)]
        project = project_of(*pictures, name=f"of-{images}")
        sign_in(client, project, Role.REQUESTER, f"reader-{images}")
        for name in ("ada", "bob")[:images]:
            said = ["same"] * max(images // 2, 1)
            answer(project, worker(project, f"{name} {images}"), Task.COREFERENCE_LINK, *said)
        assert Image.objects.filter(project=project).count() == images
        refresh_figures(project.pk)
        with CaptureQueriesContext(connection) as statements:
            assert client.get(f"/projects/of-{images}/{path}").status_code == 200
            counts.append(len(statements))
    assert counts[0] == counts[1] <= MOST_STATEMENTS


def test_a_viewer_and_a_reviewer_have_no_dashboard(client: Client, project: Project) -> None:
    sign_in(client, project, Role.REVIEWER)
    assert client.get("/projects/small/dashboard/").status_code == 403
    assert "Dashboard" not in client.get("/projects/small/").text
