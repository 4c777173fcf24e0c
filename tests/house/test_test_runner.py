"""The scripts that run the tests tell what failed, and how long each part took."""

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def runner() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts/test.py"))


@pytest.fixture(scope="module")
def repeater() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts/repeat.py"))


def test_a_path_that_is_not_there_is_named() -> None:
    command = [sys.executable, "scripts/test.py", "tests/nowhere"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "there is no tests/nowhere: name a file or folder" in done.stderr


def test_one_failed_part_of_two_lanes_fails_the_run_and_each_part_is_timed(
    runner: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    part = runner["Part"]
    busy = "x = 0\nwhile x < 3_000_000: x += 1"
    lanes = [
        [part("works", [sys.executable, "-c", busy]), part("none there", ["sh", "-c", "exit 5"], may_be_empty=True)],
        [part("breaks", ["sh", "-c", "echo broken; exit 1"]), part("comes after", ["true"])],
    ]
    assert not runner["run"](lanes)
    written = capfd.readouterr().out
    assert "== breaks\nbroken\n" in written
    assert [line.split()[-2:] for line in written.splitlines()[-5:-1]] == [
        ["passed", "works"],
        ["none", "there"],
        ["FAILED", "breaks"],
        ["comes", "after"],
    ]
    works = lanes[0][0]
    assert 0 < works.processor_seconds <= works.seconds + 0.1
    assert runner["run"]([[part("works", ["true"])]])


def test_every_test_is_in_one_part_of_the_whole_run(runner: dict[str, Any]) -> None:
    (rules, sqlite), (_, servers), (browsers,) = runner["all_tests"]()
    assert [folder for folder in rules.command if folder.startswith("tests/")] == [
        f"tests/{room}/rules" for room in ("annotation", "pipeline", "platforms", "surveys", "workers")
    ]
    assert "--ignore-glob=*/rules" in sqlite.command
    files = [str(file.relative_to(ROOT)) for file in ROOT.glob("tests/**/*.py")]
    in_browsers = [file for file in files if file.endswith(("_in_chromium.py", "_in_firefox.py"))]
    assert sorted(set(browsers.command) & set(in_browsers)) == sorted(in_browsers)
    assert {"--ignore-glob=*_in_chromium.py", "--ignore-glob=*_in_firefox.py"} <= set(sqlite.command)
    assert browsers.command[-1] == "not services and not long"
    assert sqlite.command[-1] == "not services and not long"
    assert servers.command[-1] == "(services or both_engines) and not long"
    assert {"tests/pipeline/test_plans.py", "tests/pipeline/learning/test_refit.py"} <= set(servers.command)
    assert "tests/studies/test_fault_crew.py" not in servers.command, "none of its tests has a mark of servers"


@pytest.mark.parametrize(
    ("written", "failed"),
    [
        ("FAILED tests/house/test_docs.py::test_links - AssertionError: x\n", "tests/house/test_docs.py::test_links"),
        ("ERROR tests/flows/test_a.py::test_b[one two]\n", "tests/flows/test_a.py::test_b[one two]"),
        (" \x1b[31mFAIL\x1b[0m  tests/forms.test.ts > a form > sends\n", "tests/forms.test.ts > a form > sends"),
        ("  1:02   0:40  FAILED  Rules\n", "Rules"),
        ("  1:02   0:40  passed  Rules\n12 failed requests\n", None),
    ],
)
def test_failed_tests_and_parts_are_counted_by_name(repeater: dict[str, Any], written: str, failed: str | None) -> None:
    assert repeater["failed_in"](written) == ({failed} if failed else set())
