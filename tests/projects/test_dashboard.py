"""The dashboard: what needs a person, the machine, figures and when they are computed, tables as files.
Claims that programs make a project sure of are held against people's answers: on pages, as a need, as an alert.
The time to the end: one figure, from hours really worked, with an interval.
Long times on the dashboard, in words.
"""

import csv
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Role
from annotation.models import Chain, Image, Project
from annotation.rules.states import ChainState, ImageState
from labelling.models import Conversation
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.project.queries import judgment_counts
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.flow import REVIEW_TRANSITIONS, TABLES
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from projects.alerts.tell_alerts import begin_alerts
from projects.dashboard.figures import GROUPS, FigureGroup, read_figures, refresh_figures
from projects.dashboard.machine import HEIGHT, ORDER, machine, rows, short_number
from projects.dashboard.needs import NeedKind, needs_of
from projects.dashboard.summary import days_or_hours, from_to, summary, time_to_the_end
from projects.models import Figures, Looked
from runtime import clock
from tests.support.members import sign_in
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.settings_with import settings_with
from tests.support.table import row
from workers.invitations import invite
from workers.models import TrustStatus, Worker, WorkerSignal

pytestmark = pytest.mark.django_db

MOST_STATEMENTS = 20
DASHBOARD, LEARNED = "/projects/small/dashboard/", "/projects/small/settings/learned/"
HOLDS = {"chains": 240, "forecasts": 200, "mean_chance": 0.95, "right": 0.94, "low": 0.9, "high": 0.97}
TOO_SURE = HOLDS | {"mean_chance": 0.961, "right": 0.907, "low": 0.88, "high": 0.931}
RECORD = {"missing": [95.0, 5.0], "there": [95.0, 5.0], "good": [95.0, 5.0], "bad": {}}
WEEK = [[f"2026-11-{day}", 0.0] for day in range(10, 14)]


@pytest.fixture
def project() -> Project:
    return project_of(phrases("people: a man", "people: a boy"), name="small")


@pytest.fixture
def requester(client: Client, project: Project) -> Client:
    sign_in(client, project, Role.REQUESTER)
    return client


def kinds(project: Project) -> set[NeedKind]:
    return {need.kind for need in needs_of(project)}


def test_a_project_that_needs_nobody_says_so(requester: Client, project: Project) -> None:
    refresh_figures(project.pk)  # known questions are missing, and nobody can join who would take them
    page = requester.get("/projects/small/dashboard/").text
    assert "Nothing else needs you" in page and '<li><a href="/admin' not in page


def test_each_thing_that_needs_a_person_has_its_count_and_a_page_that_opens(project: Project, requester: Client):
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
    assert set(found) >= {NeedKind.REVIEW, NeedKind.MESSAGES, NeedKind.APPEALS, NeedKind.SIGNALS, NeedKind.STOCK}
    assert "no verification questions" in found[NeedKind.STOCK].words and "4 more tasks" in found[NeedKind.STOCK].words
    assert found[NeedKind.REVIEW].count == Chain.objects.filter(image__project=project).count()
    page = requester.get("/projects/small/dashboard/").text
    for need in found.values():
        assert need.label in page
        assert requester.get(need.url).status_code == 200, need.url


def test_what_workers_said_is_shown_until_it_was_read(project: Project, requester: Client) -> None:
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
    judged = Judgment.objects.get()
    values = {"assignment": judged.assignment, "worker": worker(project, "bob"), "answer": "same"}
    Judgment.objects.create(question=judged.question, comment="blurred", created_at=clock.now(), **values)
    assert NeedKind.WORDS in kinds(project)
    page = requester.get("/projects/small/dashboard/words/")
    assert "blurred" in page.text
    requester.post("/projects/small/dashboard/words/", {"until": page.context["now"].isoformat()})
    assert NeedKind.WORDS not in kinds(project) and Looked.objects.get().user is not None


@pytest.mark.both_engines
def test_words_that_come_while_a_requester_reads_stay_unread(project: Project, requester: Client) -> None:
    read = requester.get("/projects/small/dashboard/words/").context["now"].isoformat()
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
    judged = Judgment.objects.get()
    values = {"assignment": judged.assignment, "worker": worker(project, "bob"), "answer": "same"}
    Judgment.objects.create(question=judged.question, comment="late", created_at=clock.now(), **values)
    requester.post("/projects/small/dashboard/words/", {"until": read})
    assert NeedKind.WORDS in kinds(project)


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
        assert not [state for state in drawn.states if state.y < one.y < state.y + HEIGHT and 132 < one.x < 268]
    assert len(ORDER) == len(drawn.states)


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (999, "999"), (1234, "1.2k"), (45_678, "45k"), (2_500_000, "2.5M")]
)
def test_a_number_on_an_arrow_is_short(number: int, text: str) -> None:
    assert short_number(number) == text


def test_live_numbers_follow_the_work(project: Project, requester: Client) -> None:
    before = requester.get("/api/v1/requester/projects/small/dashboard/").json()["texts"]
    assert before["open.coreference_link"] == "1" and before["image.linking"] == "1"
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
    after = requester.get("/api/v1/requester/projects/small/dashboard/").json()["texts"]
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


def test_every_page_names_and_counts_the_same_judgments(project: Project, requester: Client) -> None:
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
    answer(project, worker(project, "ada"), Task.CHAIN_VERIFICATION, "true")
    image, work = project.images.get(), Assignment.objects.latest("pk")
    asked = {"project": project, "task": "box_quality", "image": image, "shown": {}, "truth": "good"}
    known = KnownQuestion.objects.create(**asked, key="k", source="expert")
    given = {"assignment": work, "answer": "true", "created_at": clock.now()}
    Judgment.objects.create(worker=work.worker, known=known, right=False, **given)
    program = worker(project, "bot", kind=Worker.Kind.PROGRAM)
    Judgment.objects.create(worker=program, question_id=work.questions[0], **given)
    refresh_figures(project.pk, anew=True)
    counts = judgment_counts([project.pk])[project.pk]
    assert (counts.people, counts.programs, counts.known, counts.total) == (2, 1, 1, 4)
    assert "2 judgments of people, 1 of programs" in requester.get("/?all=1").text
    images = requester.get(f"/projects/{project.name}/").text
    assert "<b>2</b> judgments of people<small>1 of programs</small>" in images
    shown = requester.get(DASHBOARD).text
    assert "Judgments of people" in shown and "1 of programs; 1 of known questions; 4 in all" in shown


def test_the_cost_of_open_questions_follows_from_their_rewards() -> None:
    settings = Settings(reward_cents={task.value: 50 for task in PROTOCOL_TASKS})
    paid = project_of(phrases("people: a man", "people: a boy"), name="paid", settings=settings)
    refresh_figures(paid.pk)
    assert read_figures(paid.pk)["money"].values["open_cents"] == 5, "one of ten questions of an assignment"


def test_every_table_can_be_taken_as_a_file_with_the_papers_values(project: Project, requester: Client) -> None:
    refresh_figures(project.pk)
    for name in requester.get("/projects/small/dashboard/").context["charts"]:
        found = requester.get(f"/projects/small/dashboard/{name}.csv")
        assert found["Content-Type"].startswith("text/csv") and len(found.getvalue().decode().splitlines()) > 1
    table = list(csv.reader(requester.get("/projects/small/dashboard/table_3.csv").getvalue().decode().splitlines()))
    drawing = next(row for row in table if row[0] == "box drawing")
    assert (drawing[2], drawing[4], drawing[6], drawing[8]) == ("5", "134", "334", "0.824")
    assert requester.get("/projects/small/dashboard/nothing.csv").status_code == 404


@pytest.mark.parametrize("root", ["/", "/api/v1/requester/"])
def test_statements_do_not_grow_with_the_rows(root: str, client: Client) -> None:
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
            assert client.get(f"{root}projects/of-{images}/dashboard/").status_code == 200
            counts.append(len(statements))
    assert counts[0] == counts[1] <= MOST_STATEMENTS


def test_a_viewer_and_a_reviewer_have_no_dashboard(client: Client, project: Project) -> None:
    sign_in(client, project, Role.REVIEWER)
    assert client.get("/projects/small/dashboard/").status_code == 403
    assert "Dashboard" not in client.get("/projects/small/").text


@pytest.fixture
def judged() -> Project:
    return project_of(phrases("scene: a park"), settings=Settings(box_policy=BoxPolicyName.BELIEF))


@pytest.fixture
def program(judged: Project) -> Worker:
    return worker(judged, "qwen", kind=Worker.Kind.PROGRAM)


def learn(project: Project, program: Worker, held: dict[str, Any], **changes: Any) -> None:
    """Let a refit have held the program's answers against people's."""
    key, weight = str(program.pk), 0.4 if held is TOO_SURE else 1.0
    every = {key: held, "both": held, "alone": held, "people": HOLDS}
    prior = {"model_annotators": {key: {**RECORD, "weight": weight}}, "calibrations": every}
    settings = settings_with(
        current_settings(project.pk)[1], model_annotators=(program.pk,), box_prior=prior, **changes
    )
    change_settings(project_id=project.pk, settings=settings)


@pytest.fixture
def reader(judged: Project, client: Client) -> Client:
    sign_in(client, judged, Role.REQUESTER)
    return client


def page(client: Client, address: str) -> str:
    return unescape(client.get(address).text)


@pytest.mark.parametrize("address", [DASHBOARD, LEARNED])
def test_people_and_programs_have_their_lines(judged: Project, program: Worker, reader: Client, address: str) -> None:
    assert "Said against right" not in page(reader, address)
    learn(judged, program, HOLDS)
    text = page(reader, address)
    assert text.count('<th scope="row">people</th>') == text.count('<th scope="row">people and qwen</th>') == 1
    assert '<th scope="row">programs alone</th>' in text and "people and all programs" not in text, "one is all"
    assert "95.0 %" in text and "94.0 %" in text


def test_a_program_that_makes_the_project_too_sure_is_named(judged: Project, program: Worker, reader: Client) -> None:
    learn(judged, program, TOO_SURE)
    need = next(one for one in needs_of(judged) if one.kind is NeedKind.PROGRAMS)
    assert need.words == (
        "qwen: with its answers 96 % of the boxes are said to be right, but people find 91 % (88 to 93 %), so it "
        "counts 40 % until both agree. See where it errs, or set it aside"
    )
    assert need.url == "/projects/small/models/"
    assert [alert.words for alert in begin_alerts(judged)] == [f"{need.label}: {need.words}"]
    assert need.words in page(reader, DASHBOARD) and need.words in page(reader, LEARNED)


def test_a_program_that_holds_again_or_was_set_aside_needs_nobody(judged: Project, program: Worker) -> None:
    for held, model_annotators in ((HOLDS, (program.pk,)), (TOO_SURE, ())):
        learn(judged, program, TOO_SURE)
        begin_alerts(judged)
        learn(judged, program, held)
        settings = replace(current_settings(judged.pk)[1], model_annotators=model_annotators)
        change_settings(project_id=judged.pk, settings=settings)
        assert not any(one.kind is NeedKind.PROGRAMS for one in needs_of(judged))
        begin_alerts(judged)
        assert not judged.alerts.filter(settled_at=None).exists()


def test_all_programs_together_are_named_where_no_single_one_is_too_sure(judged: Project, program: Worker):
    other = worker(judged, "other", kind=Worker.Kind.PROGRAM)
    keys = (str(program.pk), str(other.pk))
    prior = {
        "model_annotators": dict.fromkeys(keys, RECORD),
        "calibrations": {**dict.fromkeys(keys, HOLDS), "both": TOO_SURE},
    }
    settings = settings_with(current_settings(judged.pk)[1], model_annotators=(program.pk, other.pk), box_prior=prior)
    change_settings(project_id=judged.pk, settings=settings)
    (need,) = (one for one in needs_of(judged) if one.kind is NeedKind.PROGRAMS)
    assert need.words.startswith("people and all programs: ")


def test_the_pages_say_whether_programs_finish_chains_alone(judged: Project, program: Worker, reader: Client):
    for held, said in ((HOLDS, "Programs finish chains alone now"), (TOO_SURE, "do not finish chains alone yet")):
        learn(judged, program, held, programs_alone=True)
        assert said in page(reader, DASHBOARD)


def worked(*hours: float, judgments: int = 100, **values: Any) -> dict[str, Any]:
    """Return figures of pace in which so many hours were worked on each of the last days, 36 seconds an answer."""
    days = [*WEEK, *([f"2026-11-{20 + place}", each] for place, each in enumerate(hours))]
    made = {
        "worked": days,
        "worked_in_days": len(hours),
        "seconds": 36.0,
        "judgments": judgments,
        "of": {"people": judgments},
        "finished": 0,
    }
    return {**made, "finished_lately": 0, "finished_in_days": 0, **values}


def test_what_is_to_come_costs_as_the_hours_worked_did_and_is_not_told_before() -> None:
    # An hour for 500 cents; 10 hours of work are left.
    spent = {"paid": 0, "owed": 500, "reserved": 0, "granted": 500, "open_cents": 0}
    live = {f"image.{state.value}": 3 for state in ImageState}

    def to_come(pace: dict[str, Any], predicted: list[float] | None) -> list[str]:
        groups = {
            name: FigureGroup(values, clock.now())
            for name, values in (("pace", pace | {"hours": []}), ("money", spent))
        }
        tiles = summary(groups, Settings(), live, predicted).money
        return [tile.value for tile in tiles if tile.name == "to_come"]

    assert to_come(worked(1), [1100, 1100, 1100]) == ["$50.00 to $50.00"]
    assert to_come(worked(1), [1100, 900, 1300]) == ["$40.94 to $61.07"]
    assert to_come(worked(1), None) == []


def test_a_finished_project_is_done() -> None:
    assert time_to_the_end(worked(), 0, None) == ("done", "every image is finished")


def test_the_end_follows_from_the_answers_predicted_and_the_hours_worked_a_day() -> None:
    said, about = time_to_the_end(worked(2, 2, 2, 2), 9, [1100, 1100, 1100])
    assert (said, about.split(":")[0]) == ("about 5 days", "about 5 days")
    assert "10.0 hours of work are left, 2.0 a day were worked" in about
    # The first hour of a project says little about the days to come: it counts as one day.
    assert time_to_the_end(worked(2, worked_in_days=0.05), 9, [1100, 1100, 1100])[0] == "2 to 10 days"


def test_the_interval_grows_with_a_pace_that_differs_and_with_an_unsure_prediction() -> None:
    assert time_to_the_end(worked(1, 3, 1, 3), 9, [1100, 1100, 1100])[0] == "3 to 9 days"
    assert time_to_the_end(worked(2, 2, 2, 2), 9, [1100, 900, 1300])[0] == "4 to 7 days"
    # Nobody can plan by an interval whose end is twenty times its beginning.
    assert time_to_the_end(worked(2, 2, 2, 2), 9, [1100, 100, 3100])[0] == "not yet known"


def test_without_a_prediction_the_end_follows_from_what_finished_images_took() -> None:
    # An hour for ten images: six minutes each. Half an hour of what thirty more take is done already.
    pace = worked(1, 1, 1, finished=10, on_finished=3600, on_others=1800)
    said, about = time_to_the_end(pace, 30, None)
    assert said == "1 to 5 days" and "2.5 hours of work are left" in about
    # However much was done on images that are not finished, something is left of each.
    assert "0.3 hours of work are left" in time_to_the_end({**pace, "on_others": 36_000}, 30, None)[1]


@pytest.mark.parametrize("seconds", [None, 0])
def test_answers_without_times_are_counted_by_images_a_day(seconds: float | None) -> None:
    pace = worked(seconds=seconds, finished=100, finished_lately=100, finished_in_days=0.5)
    assert time_to_the_end(pace, 500, None) == ("4 to 6 days", "at 100.0 images a day")
    assert time_to_the_end(worked(seconds=seconds), 5, None)[0] == "unknown"


@pytest.mark.parametrize(
    ("hours", "words"),
    [(0.2, "1 hour"), (1.4, "1 hour"), (1.6, "2 hours"), (47, "47 hours"), (48, "2 days"), (24_000, "1,000 days")],
)
def test_a_long_time_is_told_in_whole_hours_or_days(hours: float, words: str) -> None:
    assert days_or_hours(hours) == words


@row(0.2, 0.9, "about 1 hour")
@row(1.2, 30, "1 to 30 hours")
@row(4, 190, "4 hours to 8 days")
@row(30, 190, "1 to 8 days")
@row(95, 96, "3 to 4 days")
@row(96, 96, "about 4 days")
def test_an_interval_is_told_in_one_unit_or_in_two_where_it_begins_within_a_day(low: float, high: float, words: str):
    assert from_to(low, high) == words
