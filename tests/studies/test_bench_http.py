"""The HTTP benchmark: it sends requests to real processes and counts their costs. Its figures are not judged here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from pipeline.asking.receipt import Given
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Progress, Question
from pipeline.project.settings_versions import open_project
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from pipeline.tick import tick
from studies.http_load.http_workers import saves
from studies.http_load.loads import KINDS, MIX, clone_image
from studies.http_load.measure import Cost, cpu_seconds, line, verdicts
from studies.http_load.template_images import make_template
from studies.pipeline_speed import scratch
from tests.support.projects import lease, worker

ANSWER = {
    Task.COREFERENCE_LINK: "different",
    Task.CHAIN_VERIFICATION: "true",
    Task.BOX_REQUIREMENT: 1,
    Task.BOX_DRAWING: {"box": [1, 2, 30, 40]},
    Task.BOX_QUALITY: "good",
    Task.BOX_COVERAGE: "more needed",
}


def cost(**changes: object) -> Cost:
    values: dict[str, object] = {
        "stored": 100,
        "late": 0,
        "refused": 0,
        "per_second": 200.0,
        "fold_seconds": 0.1,
        "web_ms": 1.0,
    }
    values |= {"jobs_ms": 1.0, "postgres_ms": 1.0, "web_statements": 1.8, "jobs_statements": 0.5, "workers": 8}
    values |= {"hosts": 1}
    values |= {"kind": "mix", "open": 5_000, "ask_ms": (5.0, 9.0), "submit_ms": (5.0, 9.0)}
    return Cost(**(values | changes))  # type: ignore[arg-type]


def test_the_worst_of_each_figure_is_judged() -> None:
    said = verdicts([cost(), cost(web_ms=3.5, kind="box_drawing"), cost(web_statements=2.01)])
    assert "at most 3.50 (box_drawing, 5,000 open, 8 workers); goal 3: MISSED" in said[0]
    assert "2.01" in said[1] and said[1].endswith("MISSED")
    assert said[2].endswith("met") and len(said) == 3


@pytest.mark.parametrize(("many", "verdict"), [(1.5, "met"), (1.9, "MISSED")])
def test_the_cost_with_many_open_is_compared_with_that_with_few(many: float, verdict: str) -> None:
    few = cost(web_ms=1.0, jobs_ms=0.0, postgres_ms=0.4)
    *_, growth = verdicts([few, cost(open=200_000, web_ms=many, jobs_ms=0.0, postgres_ms=0.15)])
    assert growth.startswith("mix: 200,000 open") and growth.endswith(verdict)


def test_loads_with_pictures_have_goals_of_their_own() -> None:
    said = verdicts([cost(), cost(kind="page_single", web_ms=9.0)])
    assert said[0].endswith("met") and "at most 1.00 (mix" in said[0]
    assert said[3].startswith("page_single, web") and said[3].endswith("goal 10: met") and len(said) == 5


def test_more_web_hosts_are_compared_with_one_by_the_medians_of_their_turns() -> None:
    of_one = [cost(per_second=speed) for speed in (100.0, 500.0, 90.0)]
    of_two = [cost(per_second=speed, hosts=2) for speed in (94.0, 300.0, 80.0)]
    assert "mix: 2 web hosts give 0.94 times the answers per second of 1" in verdicts([*of_one, *of_two])[-1]
    assert verdicts([*of_one, *of_two])[-1].endswith("MISSED") and not any("hosts" in one for one in verdicts(of_one))


def test_a_line_names_what_was_measured() -> None:
    assert {"mix", "5,000", "8", "200"} <= set(line(cost()).split())


def test_the_mix_counts_to_a_hundred_and_has_every_task() -> None:
    assert sum(MIX.values()) == 100 and set(MIX) == set(PROTOCOL_TASKS)
    assert set(KINDS) == {*PROTOCOL_TASKS, "mix", "mix_known_2", "mix_known_20", "mix_drafts", "page", "page_single"}


def test_a_page_saves_the_first_answer_at_once_and_then_one_draft_each_ten_seconds() -> None:
    assert saves(1) == [1]
    assert saves(5) == [1, 2, 3, 5]  # one answer each 7.5 seconds: at 7.5, 17.5, 27.5 and 37.5 seconds


@pytest.mark.django_db
@pytest.mark.parametrize("task", PROTOCOL_TASKS)
def test_a_template_has_open_questions_of_its_task_that_can_be_answered(task: Task) -> None:
    project = open_project(name="template")
    make_template(project, task)
    assert set(Question.objects.filter(state="open").values_list("task", flat=True)) == {task.value}
    ada = worker(project, "ada")
    assignment = lease(project, ada, task)
    answers = [Given(ANSWER[task])] * len(assignment.questions)
    receipt = submit_assignment(assignment_id=assignment.id, worker_id=ada.id, answers=answers)
    assert len(receipt.stored) == len(assignment.questions)


@pytest.mark.services
@pytest.mark.django_db
@pytest.mark.parametrize("spread", [True, False])
def test_copies_of_an_image_can_be_answered_like_the_image_itself(real_services: None, *, spread: bool) -> None:
    own, many = open_project(name="template"), open_project(name="many")
    template = make_template(own, Task.BOX_QUALITY)
    clone_image(template, many, 3, 0, spread=spread)
    each = Question.objects.filter(image=template, state="open").count()
    assert Question.objects.filter(project=many).count() == 3 * each
    ada = worker(many, "ada")
    assignment = lease(many, ada, Task.BOX_QUALITY, size=6)
    images = set(Question.objects.filter(id__in=assignment.questions).values_list("image", flat=True))
    assert len(images) == (3 if spread else 1)
    submit_assignment(assignment_id=assignment.id, worker_id=ada.id, answers=[Given("good")] * 6)
    tick(project_id=many.id)
    assert Question.objects.filter(project=many, task="box_coverage", state="open").count() == 6
    folded = [from_json(state) for state in Progress.objects.filter(project=many).values_list("state", flat=True)]
    assert sum(len(one.accepted(chain)) for one in folded for chain in one.chains) == 6


@pytest.mark.slow
def test_processor_time_is_that_of_a_process_with_all_its_children() -> None:
    burn = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    code = (
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burn!r}])\nprint('done', flush=True)\ninput()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"done\n"
        spent = cpu_seconds(process.pid)
        process.communicate(b"\n")
    assert 0.3 <= spent < 5


def test_without_a_server_the_command_says_how_to_run_it() -> None:
    if connection.vendor == "postgresql":
        pytest.skip("this run has a server")
    with pytest.raises(CommandError, match="make bench-http"):
        call_command("bench_http")


@pytest.mark.slow
@pytest.mark.services
def test_the_command_measures_every_part(
    own_database: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
def test_temporary_databases_are_gone_after_the_benchmark_even_if_it_fails(
    real_services: None, monkeypatch: pytest.MonkeyPatch
) -> None:
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
