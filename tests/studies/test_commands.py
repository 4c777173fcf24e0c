"""Every study runs at its smallest, writes the figures that the docs quote, and refuses what makes no sense.
The benchmark command, in small sizes, and the made-up images that it merges.
The HTTP benchmark: it sends requests to real processes and counts their costs. Its figures are not judged here.
"""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from statistics import fmean

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.models import Project
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Progress, Question
from pipeline.project.settings_versions import open_project
from pipeline.protocol.boxes.merge_boxes import merge_boxes
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.tick import tick
from simulation.scenes.scene import write_source
from studies.http_load.http_workers import saves
from studies.http_load.loads import KINDS, MIX, clone_image, make_template
from studies.http_load.measure import Cost, cpu_seconds, line, verdicts
from studies.pipeline_speed import scratch
from studies.pipeline_speed.figure import Figure
from studies.pipeline_speed.merging import HEIGHT, WIDTH, made_images
from tests.support.projects import lease, worker
from tests.support.table import case, row

FRONTIER = "adaptive_frontier SOURCE --folds 1 --images 3 --fitted-on 0 --stops 0.5"
CAMPAIGN = "campaign_cost SOURCE --folds 1 --images 3 --no-gold"
BOXES = "box_policies --seeds 1"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Name the folders of a command: some images, none that can be read, and one that is not there."""
    folder = tmp_path_factory.mktemp("places")
    write_source(folder / "source", 0, 6, pictures=False)
    for name in ("empty/Sentences", "empty/Annotations"):
        (folder / name).mkdir(parents=True)
    return {name.upper(): str(folder / name) for name in ("source", "empty", "nowhere")}


def run(line: str, places: dict[str, str], **options: object) -> str:
    """Run the command with its options, in which capitals are folders. Returns what it says."""
    for name, folder in places.items():
        line = line.replace(name, folder)
    said = StringIO()
    name, *words = shlex.split(line)
    call_command(name, *words, stdout=said, **options)
    return said.getvalue()


OWN, BAND = ["own", "the default link prior"], {"wrong", "correlation", "seconds", "merged chains %"}
ERRORS = [f"errors {wrong} %, correlation {both}: own: seconds" for wrong, both in ((22, 0.25), (30, 0.5))]
HELPED = "--proposer 0.7 --annotator 0.08 --correlation 0.5"


@row(f"{FRONTIER} --seeds 2", {"greedy plus", "points"}, ["2 times with other samples", "86.07 % of chains"])
@row("narrations --images 1 --seeds 1 --stops 0.5", {"pairs", "chains", "points"}, ["90 % of chains"])
@row(f"{CAMPAIGN} --way own '{{}}' --annotator 0.1", {"way", "seconds", "exact chains %"}, OWN)
@row(f"{CAMPAIGN} --images 1 --only --way own '{{}}' --proposer 0.7 --band", BAND, ERRORS)
@row(f"{BOXES} --chains 20 --sure 0.9", {"way", "chains with right boxes %"}, ["A chain:", "paper's loop"])
@row(f"{BOXES} --chains 20 {HELPED} --turns 10", {"way"}, ["belief, 0.9, with programs"])
@pytest.mark.slow
def test_a_study_says_and_writes_its_figures(line: str, keys: set[str], words: list[str], places, tmp_path: Path):
    said = run(line, places, json=tmp_path / "figures.json")
    assert [one for one in words if one not in said] == []
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures and all(keys <= set(one) for one in figures)


@pytest.mark.slow
def test_planted_errors_are_said_by_kind_with_shares_that_fit(places: dict[str, str], tmp_path: Path) -> None:
    line = "planted SOURCE --images 4 --wrong 0.5 --seeds 2 --annotator 0.08"
    said = run(line, places, json=tmp_path / "figures.json")
    words = ("workers simulated", "of annotating from nothing", "labels wrong before", "of 2 runs inside the interval")
    assert [one for one in words if one not in said] == []
    rows = json.loads((tmp_path / "figures.json").read_text())
    assert [(row["seed"], row["of"]) for row in rows] == [(seed, of) for seed in (0, 1) for of in ("links", "boxes")]
    assert all(row[name] >= 0 for row in rows for name in ("found", "asked", "made_wrong", "seconds_share"))
    assert all(0 <= row[name] < 1 for row in rows for name in ("expected_before", "wrong_after", "expected_after"))
    assert all(1 > row["wrong_before"] > row["wrong_after"] for row in rows)
    estimated = [one for row in rows for one in row["estimates"]]
    assert {one["of"] for one in estimated} == {"wrong before", "wrong after"}
    assert all(one["least"] <= one["estimate"] <= one["most"] and one["truth"] < 1 for one in estimated)


@pytest.mark.slow
def test_a_study_says_that_phrases_have_vectors(places: dict[str, str]) -> None:
    assert "the default prior with vectors of phrases" in run(f"{FRONTIER} --vectors", places)


def test_only_the_benchmark_that_is_named_runs(places: dict[str, str]) -> None:
    said = run("benchmark --quick --only merge-rule", places)
    assert "Merging 100 images, the rule" in said and "Next question" not in said


@row(f"{FRONTIER} --error 0.6", "--error")
@row(f"{FRONTIER} --error 0", "--error")
@row(f"{FRONTIER} --seeds 0", "--seeds 0: give at least 1")
@row(f"{FRONTIER} --folds 0", "at least")
@row(f"{FRONTIER} --images 0", "at least")
@row(f"{FRONTIER} --fitted-on -1", "at least")
@row(f"{FRONTIER} --stops 0.2 0", "at least")
@row(f"{FRONTIER} --images 7", "too few")
@row("adaptive_frontier NOWHERE", "no such folder")
@row("narrations --images 0", "--images 0: give at least 1")
@row("narrations --stops 1.5", "--stops: give numbers")
@row(f"{CAMPAIGN} --way x '{{'", "not JSON")
@row(f"{CAMPAIGN} --way x '[]'", "an object")
@row(f"{CAMPAIGN} --way x '{{\"stratgy\": 1}}'", "Unknown settings")
@row(f"{CAMPAIGN} --only", "--only")
@row(f"{CAMPAIGN} --band --annotator 0.1", "leave --annotator out")
@row(f"{CAMPAIGN} --folds 0", "at least one")
@row(f"{CAMPAIGN} --images 0", "at least one")
@row(f"{CAMPAIGN} --seeds 0", "at least one")
@row(f"{CAMPAIGN} --folds 4", "too few")
@row("campaign_cost NOWHERE", "no such folder")
@row("campaign_cost EMPTY", "no image could be read")
@row(f"{BOXES} --chains 0", "--chains 0")
@row(f"{BOXES} --sure 1", "box_sure")
@row(f"{BOXES} --annotator 1.5", "--annotator 1.5: give a share from 0 to 1")
@row(f"{BOXES} --correlation 0.5", "give --annotator, too")
@row("real_boxes NOWHERE", r"answers\.csv: there is no such file")
@row("real_links NOWHERE", r"sentences\.csv: there is no such file")
@row("benchmark --quick --json NOWHERE/figures.json", r"nowhere/figures\.json")
@row("fuzz --requests 9", "from 10 to 10,000,000")
@row("fuzz --requests 99999999999", "from 10 to 10,000,000")
@row("mutants --since no-such-revision", "no-such-revision")
@row("planted SOURCE --annotator 2", "--annotator 2: give a share from 0 to 1")
@row("planted SOURCE --set '[1]'", "give an object")
@row("planted SOURCE --set '{'", "this is not JSON")
@row("planted SOURCE --images 0", "give at least 1")
@row("arithmetic --images 0", r"This study needs PostgreSQL|--images: give at least 1")
def test_a_study_names_what_makes_no_sense(line: str, words: str, places: dict[str, str]) -> None:
    with pytest.raises(CommandError, match=words):
        run(line, places)


@pytest.mark.django_db
def test_studies_of_servers_say_that_they_need_them(places: dict[str, str]) -> None:
    if connection.vendor == "postgresql":
        pytest.skip("this run has a server")
    for call, words in (("bench_http", "make bench-http"), ("large_project --name new", "PostgreSQL only")):
        with pytest.raises(CommandError, match=words):
            run(call, places)
    assert not Project.objects.exists()


GOALS = {"judgments": 300, "growth": 1.2, "merge-rule": 4, "plan-median": 5, "plan-worst": 100}
GOALS |= {"narrations-median": 5, "narrations-worst": 100}


@pytest.fixture
def nowhere(transactional_db: None, empty_service: Path, tmp_path: Path) -> Iterator[Path]:
    """Name a database of the service that does not exist, and spare the temporary ones the migrations."""
    own = tmp_path / "own.sqlite3"
    with pytest.MonkeyPatch.context() as patch:  # ends before the test's own database is emptied
        connection.close()
        patch.setattr(scratch, "_migrated", [(empty_service / "chainbox.sqlite3").read_bytes()])
        patch.setitem(connection.settings_dict, "NAME", str(own))
        yield own
        connection.close()


@pytest.mark.slow
def test_it_measures_every_figure_and_leaves_nothing_behind(nowhere: Path, tmp_path: Path):
    file = tmp_path / "figures.json"
    call_command("benchmark", quick=True, stdout=StringIO(), json=file)
    result = json.loads(file.read_text())
    figures = {figure["name"]: figure for figure in result["figures"]}
    assert {name: figure["goal"] for name, figure in figures.items()} == GOALS
    assert all(figure["value"] > 0 for figure in figures.values())
    assert all(figure["met"] is None for figure in figures.values()), "the goals are for the full sizes"
    assert not result["full_size"]
    assert result["machine"]["cores"] >= 1
    assert sum(figures["judgments"]["details"]["judgments per task"].values()) > 30
    assert figures["growth"]["details"]["with 4 scenes"]["judgments"] >= 40
    assert connection.settings_dict["NAME"] == str(nowhere)
    assert not nowhere.exists(), "not even an empty database appears in the service's place"


def test_a_goal_is_met_at_the_goal_and_on_its_better_side():
    for value, most, met in ((4, True, True), (5, True, False), (4, False, True), (3, False, False)):
        figure = Figure("name", "what", value, "s", 4, most)
        assert figure.met is met
        assert ("MISSED" in figure.as_text(full_size=True)) is not met
        assert "MISSED" not in figure.as_text(full_size=False)


def test_made_boxes_are_as_many_as_in_the_paper_before_and_after_merging():
    images = list(made_images(2000, seed=1))
    assert fmean(map(len, images)) == pytest.approx(10.8, abs=0.15)
    assert fmean(len(merge_boxes(boxes).groups) for boxes in images) == pytest.approx(8.7, abs=0.15)
    assert all(box.box.fits(WIDTH, HEIGHT) for boxes in images for box in boxes)
    assert images == list(made_images(2000, seed=1))


def cost(**changes: object) -> Cost:
    values: dict[str, object] = {"stored": 100, "late": 0, "refused": 0, "per_second": 200.0, "fold_seconds": 0.1}
    values |= {"hosts": 1, "web_ms": 1.0}
    values |= {"jobs_ms": 1.0, "postgres_ms": 1.0, "web_statements": 1.8, "jobs_statements": 0.5, "workers": 8}
    values |= {"kind": "mix", "open": 5_000, "ask_ms": (5.0, 9.0), "submit_ms": (5.0, 9.0)}
    return Cost(**(values | changes))  # type: ignore[arg-type]


WORST = [cost(), cost(web_ms=3.5, kind="box_drawing"), cost(web_statements=2.01)]
FEW, ONE_HOST = cost(jobs_ms=0.0, postgres_ms=0.4), [cost(per_second=speed) for speed in (100.0, 500.0, 90.0)]
MANY = {"open": 200_000, "jobs_ms": 0.0, "postgres_ms": 0.15}
TWO_HOSTS = [cost(per_second=speed, hosts=2) for speed in (94.0, 300.0, 80.0)]
SLOWER = "mix: 2 web hosts give 0.94 times the answers per second of 1"


@case("the worst of each figure is judged", WORST, 3, 0, "at most 3.50 (box_drawing, 5,000 open, 8 wor", "3: MISSED")
@case("and each figure by itself", WORST, 3, 1, "2.01", "MISSED")
@case("a figure within its goal is met", WORST, 3, 2, "", "met")
@case("many open ones may cost half more than few", [FEW, cost(web_ms=1.5, **MANY)], 4, 3, "mix: 200,000 open", "met")
@case("and not much more", [FEW, cost(web_ms=1.9, **MANY)], 4, 3, "mix: 200,000 open", "MISSED")
@case("loads with pictures", [cost(), cost(kind="page_single", web_ms=9.0)], 5, 3, "page_single, web", "goal 10: met")
@case("do not count for the others", [cost(), cost(kind="page_single", web_ms=9.0)], 5, 0, "at most 1.00 (mix", "met")
@case("more hosts by the medians of their turns", [*ONE_HOST, *TWO_HOSTS], 4, 3, SLOWER, "MISSED")
@case("one host alone is compared with none", ONE_HOST, 3, 2, "", "met")
def test_the_goals_of_loads(measured: list[Cost], count: int, place: int, words: str, verdict: str) -> None:
    said = verdicts(measured)
    assert len(said) == count and words in said[place] and said[place].endswith(verdict), said


def test_a_line_names_what_was_measured_and_the_mix_counts_to_a_hundred_and_has_every_task() -> None:
    assert {"mix", "5,000", "8", "200"} <= set(line(cost()).split())
    assert sum(MIX.values()) == 100 and set(MIX) == set(PROTOCOL_TASKS)
    assert set(KINDS) == {*PROTOCOL_TASKS, "mix", "mix_known_2", "mix_known_20", "mix_drafts", "page", "page_single"}
    assert saves(1) == [1], "a page saves the first answer at once"
    assert saves(5) == [1, 2, 3, 5]  # one answer each 7.5 seconds: at 7.5, 17.5, 27.5 and 37.5 seconds


@pytest.mark.services
@pytest.mark.django_db
def test_copies_of_an_image_can_be_answered_like_the_image_itself(real_services: None) -> None:
    own, many = open_project(name="template"), open_project(name="many")
    template = make_template(own, Task.BOX_QUALITY)
    clone_image(template, many, 3, 0)
    each = Question.objects.filter(image=template, state="open").count()
    assert Question.objects.filter(project=many).count() == 3 * each
    ada = worker(many, "ada")
    assignment = lease(many, ada, Task.BOX_QUALITY, size=6)
    images = set(Question.objects.filter(id__in=assignment.questions).values_list("image", flat=True))
    assert len(images) == 3
    submit_assignment(assignment_id=assignment.id, worker_id=ada.id, answers=[GivenAnswer("good")] * 6)
    tick(project_id=many.id)
    assert Question.objects.filter(project=many, task="box_coverage", state="open").count() == 6
    folded = [from_json(state) for state in Progress.objects.filter(project=many).values_list("state", flat=True)]
    assert sum(len(one.accepted(chain)) for one in folded for chain in one.chains) == 6


@pytest.mark.slow
def test_processor_time_is_that_of_a_process_with_all_its_children() -> None:
    burn = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    child = f"subprocess.run([sys.executable, '-c', {burn!r}])"
    code = f"import subprocess, sys\n{child}\nprint('done', flush=True)\ninput()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"done\n"
        spent = cpu_seconds(process.pid)
        process.communicate(b"\n")
    assert 0.3 <= spent < 5


@pytest.mark.slow
@pytest.mark.services
def test_the_command_measures_every_part(own_database: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    kinds = ["mix_known_20", "mix_drafts"]
    small = {"open": [100], "workers": [2], "answers": 40, "only": kinds, "web_processes": 1, "web_hosts": [2]}
    call_command("bench_http", json=tmp_path / "figures.json", **small)
    figures = json.loads((tmp_path / "figures.json").read_text())["figures"]
    assert [one["kind"] for one in figures] == kinds
    for one in figures:
        assert one["hosts"] == 2
        assert one["stored"] >= 40 and one["per_second"] > 0
        assert one["web_ms"] > 0 and one["postgres_ms"] > 0 and one["jobs_statements"] > 0
        assert 0.5 < one["web_statements"] < 10
    assert "web, CPU ms per judgment" in capsys.readouterr().out


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_temporary_databases_are_gone_after_the_benchmark_even_if_it_fails(real_services: None, monkeypatch) -> None:
    def made() -> int:
        with connection.cursor() as cursor:
            mine = f"chainbox_benchmark_{os.getpid()}_%"  # other tests have databases of their own at the same time
            cursor.execute("SELECT count(*) FROM pg_database WHERE datname LIKE %s", [mine])
            return int(cursor.fetchone()[0])

    own = connection.settings_dict["NAME"]
    monkeypatch.setattr(scratch, "_migrate", lambda name: None)
    with pytest.raises(ZeroDivisionError), scratch.scratch_databases(2) as databases:
        assert made() == 2
        databases[1].use()
        assert connection.settings_dict["NAME"] != own
        raise ZeroDivisionError
    assert connection.settings_dict["NAME"] == own and made() == 0
