"""The prediction: made as work with progress, shown by way to ask, and saved through the form of the settings.
Dry runs: a scratch copy that simulated workers annotate, marked on every page, and gone with one click.
People who will work, and the cost of their work: the assumptions of a prediction, and the words of its page.
"""

import csv
import io
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Gold, Image, Project
from belief.links.link_prior import DEFAULT
from belief.models.records import LinkRecord
from exchange.import_image import import_image
from pipeline.models import Assignment, Entry, Judgment, LedgerEntry, Question
from pipeline.money.pay_worker import pay_worker
from pipeline.money.write_entry import NoPartError
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from projects.dashboard.figures import refresh_figures
from projects.forecast import results
from projects.forecast.operations import (
    ForecastInput,
    begin_forecast,
    expected,
    make_forecast,
    prepare,
    present,
    who_works,
)
from projects.forecast.results import ForecastResult, Saving, Way, best_by_cost, few, first_choice
from projects.lifecycle import copies
from projects.lifecycle.copies import NotDryError, delete_dry_run
from projects.models import Run
from projects.operation import Progress
from projects.runs import row_of
from runtime import clock
from runtime.words import money
from simulation.simulate import SECONDS, simulate
from tests.projects.conftest import Later
from tests.projects.forecast.conftest import ADDRESS, GIVEN, made, made_once, plain
from tests.support.projects import answer, worker
from tests.support.settings_with import settings_with
from workers.invitations import grant_access, invite
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState


def result_of(row: Run) -> ForecastResult:
    return ForecastResult.model_validate(row.result)


def ways_of(row: Run) -> list[Way]:
    return results.ways_of(result_of(row))


def saving_of(row: Run) -> Saving | None:
    return results.saving_of(result_of(row))


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_a_prediction_is_made_for_every_way_to_ask_without_asking_anybody(requester: Client, project: Project) -> None:
    questions = Question.objects.count()
    assert requester.post(ADDRESS, GIVEN)["Location"] == ADDRESS
    row = Run.objects.get()
    assert (row.state, row.problem) == ("done", "") and row.done <= row.total
    assert (Judgment.objects.count(), Question.objects.count()) == (0, questions)
    page = requester.get(ADDRESS).text
    for strategy in LinkStrategy:
        assert f"{strategy}, trusted workers" in page and f"{strategy}, verification" in page
    assert "Table 4 alone: nothing of this project is known yet" in page
    assert "Small: the 90 % interval." in page and "<h3>Money, USD</h3>" in page
    ways = ways_of(row)
    assert f"<td>{money(round(ways[0].cents[0]), 'USD')}<small>" in page
    assert ways[0].words == "as it is now" and ways[0].current
    for way in ways:
        for low, high, value in ((one[1], one[2], one[0]) for one in (way.judgments, way.hours, way.cents, way.exact)):
            assert 0 <= low <= value <= high
        assert way.cents[0] > 0


@pytest.mark.both_engines
@pytest.mark.usefixtures("project")
def test_progress_is_told_and_a_prediction_can_be_stopped(requester: Client, later: Later, monkeypatch: Any):
    monkeypatch.setattr("projects.operation.LOOK_SECONDS", 0)
    requester.post(ADDRESS, GIVEN)
    waiting = row_of(Run.objects.get())
    assert (waiting.state, waiting.counts) == ("waiting", "Waiting for its turn.")
    assert b"<progress" in requester.get(ADDRESS).content
    assert b"is being made already" in requester.post(ADDRESS, GIVEN, follow=True).content
    Run.objects.update(requested="cancel")
    (work,) = later
    work()
    assert Run.objects.get().state == "cancelled"
    requester.post(ADDRESS, GIVEN)
    stopped = requester.post(f"/projects/ours/runs/{Run.objects.latest('pk').pk}/", {"command": "cancel"})
    assert stopped["Location"] == ADDRESS
    assert list(Run.objects.values_list("state", flat=True)) == ["cancelled", "cancelled"]


def test_a_project_without_phrases_says_what_to_do(db: None) -> None:
    row = made(open_project(name="empty"))
    assert (row.state, row.problem[:27]) == ("failed", "No image has phrases yet: f")


@pytest.mark.slow
@pytest.mark.both_engines
def test_the_slider_leads_from_cheap_to_better_and_changes_go_by_settings(requester: Client, project: Project) -> None:
    ways = ways_of(made_once(project))
    best = few(best_by_cost(ways[1:], paid=True), ways[0])
    assert [one.cents[0] for one in best] == sorted(one.cents[0] for one in best)
    assert [one.exact[0] for one in best] == sorted({one.exact[0] for one in best})
    assert best[first_choice(best, ways[0])].exact[0] >= min(ways[0].exact[0], best[-1].exact[0])
    page = requester.get(ADDRESS, {"choice": "0"}).text
    assert f'max="{len(best) - 1}" value="0"' in page
    other = next(way for way in ways if "adaptive, verification" in way.words)
    look = requester.post("/projects/ours/settings/", {"action": "check", "based_on": 1, **dict(other.fields)}).text
    assert "Nothing is saved yet" in look and "adaptive" in look and "verification" in look
    assert current_settings(project.pk)[0] == 1
    hidden = {name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', look)}
    hidden = {name: hidden[name] for name in ("packed", "based_on", "terms_before")}
    requester.post("/projects/ours/settings/", {**hidden, "action": "save", "reason": "cheaper", "scope": "all"})
    version, settings = current_settings(project.pk)
    assert version == 2 and settings.strategy is LinkStrategy.ADAPTIVE
    assert {settings.trust[task] for task in PROTOCOL_TASKS} == {"verification"}
    assert settings.link_stop == other.changes["link_stop"]
    assert "The settings have changed since" in requester.get(ADDRESS).text


def test_six_ways_at_most_are_shown_the_cheapest_the_best_and_the_one_as_good_as_now(project: Project) -> None:
    way = ways_of(made_once(project))[0]
    many = [replace(way, words=str(n), cents=[n, n, n], exact=[n / 20, 0, 1]) for n in range(1, 15)]
    for as_good in range(1, 15):
        shown = [int(one.words) for one in few(many, replace(way, exact=[as_good / 20, 0, 1]))]
        assert len(shown) == 6 and (shown[0], shown[-1]) == (1, 14)
        assert as_good in shown and shown == sorted(set(shown))
    assert few(many[:6], way) == many[:6]


def test_every_chart_is_a_csv_file_with_the_numbers_of_the_page(requester: Client, project: Project) -> None:
    row = made_once(project)
    for name, columns in (("exact", 4), ("hours", 4), ("money", 4), ("ways", 15)):
        rows = list(csv.reader(io.StringIO(requester.get(f"{ADDRESS}{name}.csv").getvalue().decode())))
        assert {len(one) for one in rows} == {columns} and len(rows) == 2 + len(result_of(row).ways)
    assert float(rows[1][1]) == round(result_of(row).now.judgments.value)
    assert requester.get(f"{ADDRESS}nothing.csv").status_code == 404


def test_more_workers_are_needed_for_fewer_days_and_where_quality_control_turns_some_away(project: Project) -> None:
    way = ways_of(made_once(project))[0]
    assert way.workers(14, 2) == 6  # however little there is, a chain needs several different workers
    assert way.workers(0.001, 2) > 6  # type: ignore[operator]


def test_gold_is_the_truth_of_a_prediction(with_gold: Project) -> None:
    before = result_of(made(with_gold, sample=4))
    assert before.known == 4 and before.scale == 1.0


def test_annotation_that_is_still_disputed_is_no_truth(with_gold: Project) -> None:
    disputed = Gold.objects.order_by("image")[0]
    disputed.chains, disputed.complete = disputed.chains[:1], False
    disputed.save()
    assert result_of(made(with_gold, sample=4)).known == 3


def wanted(sample: int) -> ForecastInput:
    return ForecastInput(crowd="perfect", trusted=8, settings_version=1, workers=8, sample=sample)


@pytest.mark.both_engines
def test_work_that_is_done_counts_as_it_was_and_the_rest_is_added(with_gold: Project) -> None:
    before = present(with_gold, wanted(4), use_gold=False)
    simulate(project=with_gold, crowd="perfect")
    paid = Judgment.objects.count()
    for number in range(4, 8):
        import_image(with_gold, number, plain(str(number)), picture="", gold=False, settings_version=1)
    drawn = prepare(with_gold, wanted(4), use_gold=False)
    assert (drawn.done.images, drawn.todo.images) == (4, 4)
    assert len(drawn.stage.todo) == 2 and len(drawn.stage.sample) == 4
    assert all(one.known is None for one in drawn.stage.sample)  # what workers found is not truth
    assert sum(drawn.actual) == paid / 2 and drawn.look_back().scale is None  # two finished images say too little
    at_half = present(with_gold, wanted(4), use_gold=False)
    assert sum(at_half.by_task.values()) == at_half.judgments.value > paid
    assert at_half.judgments.low >= paid and at_half.judgments.holds(2 * paid)
    assert at_half.judgments.value > 1.5 * before.judgments.value  # eight images, not four


def test_answers_about_an_image_that_is_begun_are_not_counted_twice(with_gold: Project) -> None:
    fresh = present(with_gold, wanted(4))
    simulate(project=with_gold, crowd="perfect", most=6)
    assert 0 < Judgment.objects.count() < fresh.judgments.value and not Image.objects.filter(state="merged").exists()
    assert present(with_gold, wanted(4)).judgments.value == pytest.approx(fresh.judgments.value)


@pytest.mark.slow
def test_a_forecast_tells_what_an_imagined_program_would_save_and_asks_no_real_one(requester: Client, project: Project):
    assert "What programs save" not in requester.get(ADDRESS).text and saving_of(made_once(project)) is None
    saving = saving_of(made(project, program_errors=8, sample=4))
    assert saving is not None and saving.new == 1.0, "four images are fewer than a program is new for"
    assert saving.errors == ["A program: wrong in 8 %, correlation 0.25, as assumed"]
    assert [words for words, _ in saving.ends] == ["with errors 8 %, correlation 0", "with errors 8 %, correlation 0.5"]
    assert {"adaptive", "boxes by belief"} <= set(saving.with_them.words.split(", "))
    assert "model_annotators" not in saving.with_them.changes
    page = requester.get(ADDRESS).text
    assert "What programs save" in page and "nobody can ask a real program" in page
    refused = requester.post(ADDRESS, {**GIVEN, "program_errors": 51})
    assert refused.status_code == 400 and "less than or equal to 50" in refused.text


@pytest.mark.slow
def test_an_assumed_program_is_predicted_as_a_band_whose_middle_comes_first(
    monkeypatch: pytest.MonkeyPatch, requester: Client, project: Project
) -> None:
    monkeypatch.setattr("simulation.programs.FIRST_REFIT", 0)  # or all four images would be those of a new program
    row = made(project, assume_program=True, good_percent=70, sample=4)
    saving, result = saving_of(row), result_of(row)
    assert saving is not None and saving.errors[1] == "A program: wrong in 22 %, correlation 0.25, as assumed"
    assert [words for words, _ in saving.ends] == [
        "with errors 8 %, correlation 0",
        "with errors 30 %, correlation 0.5",
    ]
    (_, best), (_, worst) = saving.ends
    assert best.hours[0] < saving.with_them.hours[0] < worst.hours[0]
    assert saving.with_them.hours[1] <= best.hours[1] and saving.with_them.hours[2] >= worst.hours[2]
    by_words = {", ".join(way.words): way for way in result.ways}
    assert by_words[saving.with_them.words].hours.numbers == tuple(saving.with_them.hours)
    least, most = (f"{100 * share:.1f} %" for share in saving.spared_between)
    page = unescape(requester.get(ADDRESS).text)
    assert f"({least} to {most} over the errors that are assumed)" in page
    assert "errors 30 %, correlation 0.5" in page and "over all errors that are assumed of the model" in page
    assert begin_forecast.work is not None
    said = "\n".join(begin_forecast.work.say(row))
    assert "errors 30 %, correlation 0.5, " in said and "people alone, " in said


@pytest.mark.slow
def test_good_pre_annotations_save_drawings_and_bad_ones_do_not(project: Project) -> None:
    good, bad = (saving_of(made(project, good_percent=share, repetitions=2)) for share in (100, 0))
    assert good is not None and bad is not None
    assert good.errors == ["Of proposed boxes 100 % are good"] and good.with_them.words == "as it is now"
    assert good.spared > 0.05 > bad.spared


@pytest.mark.slow
def test_programs_at_work_are_simulated_by_what_was_measured_of_them(requester: Client, with_gold: Project) -> None:
    qwen = Worker.objects.create(name="qwen", kind=Worker.Kind.PROGRAM)
    settings = settings_with(
        strategy=LinkStrategy.ADAPTIVE,
        box_policy=BoxPolicyName.BELIEF,
        model_annotators=(qwen.pk,),
        box_prior={"model_annotators": {str(qwen.pk): {"there": [95.0, 5.0]}}},
        link_prior=replace(DEFAULT, model_annotators={str(qwen.pk): LinkRecord((98.0, 2.0))}).to_json(),
    )
    version = change_settings(project_id=with_gold.pk, settings=settings)
    row = made(with_gold, sample=4, settings_version=version)
    saving = saving_of(row)
    assert saving is not None and saving.errors == ["qwen: wrong in 5 % about boxes and 2 % about links, as measured"]
    assert saving.ends == [] and "that are assumed" not in requester.get("/projects/golden/predict/").text
    assert saving.new == 0.0 and saving.spared > 0.2 and saving.with_them.judgments[0] < saving.alone.judgments[0]
    result = result_of(row)
    assert result.saving is not None and result.now.judgments == result.saving.with_programs.judgments
    other = saving_of(made(with_gold, sample=4, settings_version=version, program_errors=50))
    assert other is not None and other.spared < 0.1, "one that guesses saves nothing"


def test_a_finished_project_is_predicted_as_if_it_began(with_gold: Project) -> None:
    fresh = present(with_gold, wanted(4))
    simulate(project=with_gold, crowd="perfect")
    assert not Image.objects.exclude(state="merged").exists()
    assert present(with_gold, wanted(4)).judgments == fresh.judgments


def test_the_cost_of_a_phrase_rests_on_the_time_that_answers_took_in_the_project(
    with_gold: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = present(with_gold, wanted(4)).positive
    with monkeypatch.context() as slower:
        slower.setitem(SECONDS, Task.BOX_DRAWING, SECONDS[Task.BOX_DRAWING] + 50)
        simulate(project=with_gold, crowd="perfect")
    after = present(with_gold, wanted(4)).positive
    assert before is not None and after is not None and after.answers == before.answers
    assert after.seconds == pytest.approx(before.seconds + 50), "each box was drawn once"


def test_what_a_negative_phrase_costs_is_a_line_of_the_page_and_of_the_command(
    requester: Client, project: Project
) -> None:
    row = made_once(project)
    costs = {"negative": {"answers": 2.2, "seconds": 17.6, "cents": 1.5}, "positive": None}
    ways = {"now": row.result["now"] | costs, "ways": [way | costs for way in row.result["ways"]]}
    Run.objects.filter(pk=row.pk).update(result=row.result | ways)
    sentence = "Answers about its box: a negative phrase takes 18 s ($1.50 for 100)."
    assert begin_forecast.work is not None
    assert sentence in [*begin_forecast.work.say(Run.objects.get(pk=row.pk))]
    assert sentence in requester.get(ADDRESS).text


def test_the_dashboard_sets_the_project_against_its_prediction(requester: Client, project: Project) -> None:
    assert b"Nothing was predicted yet" in requester.get("/projects/ours/dashboard/").content
    made_once(project)
    refresh_figures(project.pk)
    page = requester.get("/projects/ours/dashboard/").text
    assert (
        "Against the prediction" in page
        and "Time to the end" in page
        and "Of the predicted judgments" in page
        and "Money to come" in page
    )
    rows = list(csv.reader(io.StringIO(requester.get("/projects/ours/dashboard/prediction.csv").getvalue().decode())))
    assert [row[0] for row in rows] == ["figure", "judgments", "money, USD"]
    texts = requester.get("/api/v1/requester/projects/ours/dashboard/").json()["texts"]
    assert "tile.end" in texts and "tile.share" in texts
    capped = settings_with(**{**current_settings(project.pk)[1].to_json(), "spend_cap_cents": 1})
    change_settings(project_id=project.pk, settings=capped)
    assert b"too low for what is predicted" in requester.get("/projects/ours/dashboard/").content


def test_the_page_takes_few_statements(requester: Client, project: Project) -> None:
    made_once(project)
    requester.get(ADDRESS)
    with CaptureQueriesContext(connection) as statements:
        requester.get(ADDRESS)
    assert len(statements) <= 20


@pytest.mark.slow
@pytest.mark.both_engines
def test_the_command_prints_and_keeps_the_same_prediction(project: Project, tmp_path: Any) -> None:
    out = StringIO()
    options = {"workers": 8, "sample": 2, "trusted": 8, "json": tmp_path / "figures.json"}
    call_command("forecast", "ours", stdout=out, **options)
    assert "as it is now: " in out.getvalue() and "of chains exact" in out.getvalue()
    assert Run.objects.get().state == "done" and '"now"' in (tmp_path / "figures.json").read_text()
    with pytest.raises(CommandError, match="--workers: "):
        call_command("forecast", "ours", workers=0)


@pytest.mark.slow
def test_the_same_prediction_twice_is_the_same(project: Project) -> None:
    given = ForecastInput(settings_version=1, sample=2, repetitions=2, trusted=8, workers=8, seed=4)
    row = Run.objects.create(operation="begin_forecast", project=project, lane="forecast", input=given.model_dump())
    first, second = (make_forecast(row, Progress(row, None)) for _ in range(2))
    assert first == second


NOTICE = b"Dry run with simulated workers"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "IMAGES", 2)
    monkeypatch.setattr(copies, "WORKERS", 8)


def dry_run_of(requester: Client) -> Project:
    assert requester.post("/projects/ours/dry-run/")["Location"] == "/projects/ours-dry-run/data/"
    return Project.objects.get(dry_run=True)


@pytest.mark.slow
def test_simulated_workers_finish_a_copy_whose_pages_say_what_it_is_and_that_is_in_no_list_of_money_and_workers(
    requester: Client, project: Project, at_once: None, admin_client: Client
) -> None:
    made = dry_run_of(requester)
    run = Run.objects.get(project=made)
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
    settings = replace(current_settings(project.pk)[1], model_annotators=(7,))
    assert current_settings(copies.make_dry_run(project, None, settings=settings).pk)[1].model_annotators == ()


@pytest.mark.slow
@pytest.mark.both_engines
def test_the_command_makes_one_and_one_click_deletes_it_with_answers_and_workers(requester: Client, project: Project):
    call_command("dry_run", "ours")
    made = Project.objects.get(name="ours-dry-run", dry_run=True)
    assert Judgment.objects.filter(assignment__project=made).exists()
    answer(project, worker(project, "petra"), Task.COREFERENCE_LINK, "same")
    judged = Judgment.objects.filter(assignment__project=project).count()
    with pytest.raises(CommandError, match="is not a dry run"):
        call_command("delete_dry_run", "ours")
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
    Run.objects.update(state="paused")
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
    Run.objects.filter(project=made).update(state="running", done=1)
    assert "1 of 2 images copied" in requester.get(f"/projects/{made.name}/data/").text


@pytest.mark.slow
def test_images_whose_annotation_is_disputed_get_a_drawn_truth(requester: Client, project: Project, at_once: None):
    for row in project.images.all():
        Gold.objects.create(image=row, chains=[], complete=False)
    made = dry_run_of(requester)
    run = Run.objects.get(project=made)
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


def test_the_page_asks_who_will_work_where_nobody_is_invited(requester: Client, project: Project) -> None:
    answer = requester.post(ADDRESS, {**GIVEN, "workers": ""})
    assert answer.status_code == 400 and "Nobody is invited yet: say how many you expect." in answer.text
    assert not Run.objects.exists()


def test_more_trusted_workers_than_workers_are_refused_by_name(requester: Client, project: Project) -> None:
    answer = requester.post(ADDRESS, {**GIVEN, "workers": 3, "trusted": 4})
    assert answer.status_code == 400 and "Only 3 workers begin" in answer.text
    with pytest.raises(CommandError, match="--trusted: Only 3 workers begin: trust that many at most"):
        call_command("forecast", "ours", workers=3, trusted=9)


def test_the_page_compares_the_prediction_and_the_cap_and_says_its_purpose(requester: Client, project: Project) -> None:
    row, page = made_once(project), requester.get(ADDRESS).text
    assert "too low for what is predicted" not in page
    assert all(words in page for words in ("real questions", "verification questions", "probation", "tests"))
    cap = settings_with(**{**current_settings(project.pk)[1].to_json(), "spend_cap_cents": 1})
    change_settings(project_id=project.pk, settings=cap)
    page = requester.get(ADDRESS).text
    assert "The spend cap of $0.01" in page and "too low for what is predicted" in page
    result = result_of(row)
    for way in (result.now, *result.ways):
        parts = way.parts.values()
        assert sum(part.judgments for part in parts) == pytest.approx(way.judgments.value, abs=0.05)
        assert sum(part.cents for part in parts) == pytest.approx(way.cents.value, abs=0.05)
        none = results.PartOfForecast(judgments=0, hours=0, cents=0)
        assert way.parts["tests"] == way.parts["probation"] == none  # all are trusted
