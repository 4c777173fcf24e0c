"""The scripts behind make, those that run the tests, and the files for a server.
The check of names finds an odd word in a public name, and passes over private names, numbers and known words.
Reasons for a skip: a package that is not installed hides no failure of another kind.
"""

import ast
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection

from studies.faults.faults import name_of
from studies.servers import family_of
from tests.support.places import ROOT
from tests.support.services import PATIENCE, wait_until
from tests.support.skips import printed_reason
from tests.support.table import row


def run(*command: str, cwd: Path = ROOT, variables: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **(variables or {})}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_make_help_lists_ten_commands_at_most() -> None:
    lines = run("make", "--no-print-directory", "help").stdout.splitlines()
    assert 5 <= len(lines) <= 10 and {"demo", "test", "check", "setup"} <= {line.split()[1] for line in lines}


@row("--index-url https://packages.example/simple")
@row("--find-links /some/folder")
@row("thing @ https://a.example/t.whl")
def test_a_place_to_download_from_is_found_in_a_lock_file(line: str, tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/check_locks.sh", tmp_path / "scripts")
    (tmp_path / "requirements.txt").write_text("django==5.2 \\\n    --hash=sha256:00\n    # via us\n")
    (tmp_path / "requirements-dev.txt").write_text("django==5.2 \\\n    --hash=sha256:00\n")
    assert run("scripts/check_locks.sh", cwd=tmp_path).returncode == 0
    with (tmp_path / "requirements-dev.txt").open("a") as file:
        file.write(line + "\n")
    done = run("scripts/check_locks.sh", cwd=tmp_path)
    assert done.returncode == 1 and "requirements-dev.txt" in done.stderr


@pytest.mark.slow
def test_a_key_in_the_tree_is_found_and_the_baseline_hides_none(tmp_path: Path) -> None:
    assert json.loads((ROOT / ".secrets.baseline").read_text())["results"] == {}
    hook = (str(ROOT / ".venv/bin/detect-secrets-hook"), "--baseline", str(ROOT / ".secrets.baseline"))
    fine, bad = tmp_path / "fine.py", tmp_path / "bad.py"
    fine.write_text('PASSWORD = "engine and loom"\n')
    assert run(*hook, str(fine), cwd=tmp_path).returncode == 0
    lines = ("AKIA" + "QYLPMN5HHHFPZAM2", "-----BEGIN RSA " + "PRIVATE KEY-----", "postgres://me:" + "r3alOne7x@db/x")
    bad.write_text("".join(f'VALUE = "{line}"\n' for line in lines))
    done = run(*hook, str(bad), cwd=tmp_path)
    assert done.returncode == 1 and set(re.findall(r"bad\.py:(\d)", done.stdout)) == {"1", "2", "3"}


@pytest.mark.slow
def test_an_audit_says_plainly_that_no_index_answers(tmp_path: Path) -> None:
    nowhere = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9", "npm_config_offline": "true"}
    nowhere |= {"npm_config_registry": "http://127.0.0.1:9/", "npm_config_fetch_retries": "0"}
    index = {"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_OFFLINE": "1"}
    done = run("scripts/audit.sh", variables={**nowhere, **index})
    assert done.returncode == 3, done.stdout + done.stderr
    for name in ("requirements.txt", "requirements-dev.txt", "frontend/package-lock.json"):
        assert f"UNASKED  {name}: no index of weaknesses answers" in done.stdout


def test_the_lock_files_agree_in_every_version_and_name_no_place_to_download_from() -> None:
    done = run("scripts/check_locks.sh")
    assert done.returncode == 0, done.stdout + done.stderr

    def pins(name: str) -> set[str]:
        lines = (ROOT / name).read_text().splitlines()
        return {line.split(" ")[0] for line in lines if "==" in line and not line.startswith((" ", "#"))}

    apart = {"requirements-dev.txt", "requirements-build.txt"}
    parts = {path.name for path in ROOT.glob("requirements*.txt")} - apart
    assert len(parts) > 7 and set[str]().union(*map(pins, parts)) <= pins("requirements-dev.txt")


def test_setup_names_a_python_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    for name in ("scripts/setup.sh", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    done = run("scripts/setup.sh", "dev", cwd=tmp_path, variables={"PYTHON": "/nowhere/python"})
    assert done.returncode == 1 and done.stderr.startswith("PYTHON names /nowhere/python, which is not a program")
    assert not (tmp_path / ".venv").exists()


def test_setup_does_nothing_twice() -> None:
    kinds = [kind for kind in ("base", "test", "dev") if (ROOT / f".venv/installed-{kind}").exists()]
    if not kinds:
        pytest.skip("this environment was not made by scripts/setup.sh")
    assert run("scripts/setup.sh", kinds[-1], variables={"PYTHON": "/nowhere/python"}).returncode == 0


@pytest.mark.slow
def test_a_torch_that_cannot_be_installed_is_told() -> None:
    if not (ROOT / ".venv/bin/pip").exists():
        pytest.skip("this environment has no pip")
    nowhere = {"TORCH": "torch==0.0.0+none", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/nowhere"}
    done = run("scripts/torch.sh", variables=nowhere)
    assert done.returncode == 1 and "pip could not install torch==0.0.0+none" in done.stderr


def test_an_ordinary_user_is_told_what_to_install(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "ls", "apt-get"):
        (tools / name).symlink_to(shutil.which(name) or "/bin/true")
    (tools / "id").write_text("#!/bin/sh\necho 1000\n")
    (tools / "id").chmod(0o755)
    done = run("/bin/sh", "scripts/system_packages.sh", "test", variables={"PATH": str(tools)})
    assert done.returncode == 1 and "apt-get install" in done.stderr
    assert "redis-server" in done.stderr


@pytest.mark.slow
def test_compose_refuses_to_start_without_a_secret(tmp_path: Path) -> None:
    compose = shutil.which("docker-compose")
    if not compose:
        pytest.skip("docker-compose is not installed: scripts/system_packages.sh")
    (tmp_path / ".env").touch()
    shutil.copy(ROOT / "docker-compose.yml", tmp_path)
    shutil.copytree(ROOT / "deploy/compose", tmp_path / "deploy/compose")
    values = {"POSTGRES_PASSWORD": "p", "SECRET_KEY": "k", "ALLOWED_HOSTS": "h"}
    check = (compose, "--project-directory", str(tmp_path), "-f", str(tmp_path / "docker-compose.yml"), "config", "-q")
    assert run(*check, variables=values).returncode == 0
    for name in values:
        done = run(*check, variables={**values, name: ""})
        assert done.returncode != 0 and f"set {name} in .env" in done.stderr


@pytest.mark.slow
def test_services_end_with_their_command_even_when_it_is_interrupted(tmp_path: Path) -> None:
    note = tmp_path / "urls"
    command = f"echo $DATABASE_URL $REDIS_URL > {note}.part; mv {note}.part {note}; exec sleep 60"
    env = {**os.environ, "TMPDIR": "/tmp"}
    services = [sys.executable, "scripts/with_services.py", "--", "sh", "-c", command]
    process = subprocess.Popen(services, cwd=ROOT, env=env)
    try:
        assert wait_until(note.exists)
        family = family_of(process.pid)
        assert {"postgres", "redis-server"} <= set(map(name_of, family))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE)
    assert not any(Path(f"/proc/{pid}").exists() for pid in family)


@pytest.mark.slow
def test_services_pass_the_exit_code_on() -> None:
    done = run(sys.executable, "scripts/with_services.py", "--", "sh", "-c", "exit 7")
    assert done.returncode == 7, done.stderr


@pytest.fixture(scope="module")
def runner() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts/test.py"))


def test_a_path_that_is_not_there_is_named() -> None:
    done = run(sys.executable, "scripts/test.py", "tests/nowhere")
    assert done.returncode == 2 and "there is no tests/nowhere: name a tier" in done.stderr


def test_one_failed_part_of_two_lanes_fails_the_run_and_each_part_is_timed(
    runner: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    part = runner["TestPart"]
    busy = "x = 0\nwhile x < 3_000_000: x += 1"
    lanes = [
        [part("works", [sys.executable, "-c", busy]), part("none there", ["sh", "-c", "exit 5"], may_be_empty=True)],
        [part("breaks", ["sh", "-c", "echo broken; exit 1"]), part("comes after", ["true"])],
    ]
    assert not runner["run"](lanes)
    written = capfd.readouterr().out
    assert "== breaks\nbroken\n" in written
    ends = [" ".join(line.split()[-2:]) for line in written.splitlines()[-5:-1]]
    assert ends == ["passed works", "none there", "FAILED breaks", "comes after"]
    works = lanes[0][0]
    assert 0 < works.processor_seconds <= works.seconds + 0.1
    assert runner["run"]([[part("works", ["true"])]])


MARKS = ("services", "both_engines", "browser", "long", "slow", "smoke")


def test_every_test_is_in_a_tier_and_the_rest_is_what_all_adds_to_quick(runner: dict[str, Any]) -> None:
    def chosen(suite: str, tier: str) -> str:
        command = runner[suite].command(tier, ())
        return str(command[command.index("-m") + 1])

    def takes(expression: str, marks: set[str]) -> bool:
        return bool(eval(expression, {mark: mark in marks for mark in MARKS}))

    suites, tiers = ("SQLITE", "POSTGRESQL", "CHROMIUM", "FIREFOX"), ("quick", "rest", "all")
    expressions = {tier: [chosen(suite, tier) for suite in suites] for tier in tiers}
    for number in range(2 ** len(MARKS)):
        marks = {mark for place, mark in enumerate(MARKS) if number >> place & 1}
        in_tier = {tier: [takes(expression, marks) for expression in expressions[tier]] for tier in tiers}
        assert any(in_tier["all"]) == ("long" not in marks), marks
        for quick, rest, every in zip(*in_tier.values(), strict=True):
            assert (quick, rest) in ([(True, False), (False, True)] if every else [(False, False)]), marks


def test_the_suites_of_servers_and_browsers_name_the_files_that_hold_their_tests(runner: dict[str, Any]) -> None:
    def named(suite: str, tier: str) -> set[str]:
        return {file for file in runner[suite].command(tier, ()) if file.startswith("tests/")}

    assert {"tests/pipeline/test_plans.py", "tests/pipeline/learning/test_refit.py"} <= named("POSTGRESQL", "all")
    assert "tests/studies/test_fault_campaign.py" not in named("POSTGRESQL", "all"), "no test of it has such a mark"
    in_chromium = {str(file.relative_to(ROOT)) for file in ROOT.glob("tests/**/*_in_chromium.py")}
    assert named("CHROMIUM", "all") == in_chromium > named("CHROMIUM", "quick") > set()


def test_repeated_runs_differ_in_order_half_of_them_answer_late_and_the_last_has_one_core(runner: dict[str, Any]):
    trials = [runner["TestRun"](number, 5, seed=10) for number in range(1, 6)]
    commands = [" ".join(trial.command("quick")) for trial in trials]
    assert [command.count(f"--shuffle {11 + place}") for place, command in enumerate(commands)] == [1] * 5
    assert ["--late" in command for command in commands] == [False, True, False, True, False]
    assert [command.startswith("taskset") for command in commands] == [False] * 4 + [True]


@row("FAILED tests/house/test_docs.py::test_links - AssertionError: x\n", "tests/house/test_docs.py::test_links")
@row("ERROR tests/flows/test_a.py::test_b[one two]\n", "tests/flows/test_a.py::test_b[one two]")
@row(" \x1b[31mFAIL\x1b[0m  tests/forms.test.ts > a form > sends\n", "tests/forms.test.ts > a form > sends")
@row("  1:02   0:40  FAILED  Rules\n", "Rules")
@row("  1:02   0:40  passed  Rules\n12 failed requests\n", None)
def test_failed_tests_and_parts_are_counted_by_name(written: str, failed: str | None, runner: dict[str, Any]) -> None:
    assert runner["failed_in"](written) == ({failed} if failed else set())


@pytest.mark.django_db
def test_each_process_of_the_tests_has_a_database_of_its_own() -> None:
    # Parts of a whole run are processes of one name that share a folder and run at the same time.
    assert str(os.getpid()) in connection.settings_dict["NAME"]


names = SimpleNamespace(**run_path(str(Path(__file__).parents[2] / "scripts" / "names.py")))
KNOWN = {"box", "count", "boxes"}


@row("def count_boxes(box): ...", [])
@row("def heard(box): ...", ["heard"])
@row("def count(told): ...", ["told"])
@row("def _heard(): ...", [])
@row("class BoxKept: ...", ["BoxKept"])
@row("class Box:\n    kept: int\n    count: int", ["kept"])
@row("def count_2(): ...", [])
def test_each_part_of_a_public_name_is_a_known_word(source: str, odd: list[str]) -> None:
    found = names.public_names(ast.parse(source))
    assert [name for _, name in found if not KNOWN.issuperset(names.parts_of(name))] == odd


def test_a_loop_variable_says_what_it_runs_over() -> None:
    tree = ast.parse("for one in boxes: [each for each in one]\nfor box in boxes: ...")
    assert [name for _, name in names.loop_variables(tree)] == ["one", "each"]


ABSENT = "spacy is not installed (run scripts/setup.sh nlp)"


@row("", f"reading\n{ABSENT}\n", "Skipped: needs the extra nlp")
@row(f"assert 1 == 0, {ABSENT}", "", "Skipped: needs the extra nlp")
@row("assert 3 == 4", f"{ABSENT}\n4 images were read without it.\n", None)
def test_a_message_counts_where_the_program_ends_with_it(failure: str, printed: str, reason: str | None) -> None:
    options: dict[str, Any] = {"longrepr": None, "sections": [("Captured stderr call", printed)]}
    report = pytest.TestReport("test", ("test.py", 1, "test"), {}, "failed", when="call", **options)
    assert printed_reason(failure, report) == reason
