"""Mutants of rules: one change each, and those that no test notices are told."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from studies.management.commands import mutants as command
from studies.mutants import study
from studies.mutants.mutate import mutants
from tests.support.table import row

RULES = """
from functools import cached_property

LIMITS = {"small": 2}


def is_small(boxes: int, spare: int = 0) -> bool:
    return boxes - spare < LIMITS["small"]


def count_down(left: int) -> str:
    while left:
        left -= 1
    return "done"


class Box:
    @cached_property
    def corners(self) -> int:
        return 4


class TooSmallError(Exception):
    def __init__(self, message: str, boxes: int) -> None:
        super().__init__(message)
        self.boxes = boxes
"""
TESTS = """
from made.rules.size import Box, TooSmallError, count_down, is_small


def test_one_box_is_small_and_four_are_not():
    assert is_small(1) and not is_small(4)


def test_what_is_counted_down_ends():
    assert count_down(3) == "done"


def test_a_box_has_four_corners():
    assert Box().corners == 4


def test_an_error_says_what_it_was_told():
    assert str(TooSmallError("small", 1)) == "small"


def test_what_needs_a_fixture_of_conftest_is_left_out(data_folder):
    pass
"""
FILE = "made/rules/size.py"
SURVIVORS = {
    f"{FILE} ::  :: constant :: 2 :: 0",
    f"{FILE} :: is_small :: bound :: boxes - spare < LIMITS['small'] :: 0",
    f"{FILE} :: is_small :: operator :: boxes - spare :: 0",
    f"{FILE} :: is_small :: constant :: 0 :: 0",
    f"{FILE} :: count_down :: negated :: left :: 0",
}
CHANGES = {
    "a < b": ["a <= b"],
    "a >= b > c": ["a > b > c", "a >= b >= c"],
    "a == b": ["a != b"],
    "a not in b": ["a in b"],
    "a is None": ["a is not None"],
    "a + b": ["a - b"],
    "a & b << 1": ["a | b << 1", "a & b >> 1", "a & b << 2"],
    "a and b": ["a or b"],
    "not a": ["not not a"],
    "a = True": ["a = False"],
    "a = 0.5": ["a = 1.5"],
    "a: Literal[1] = f(b)": [],
    "max(a, b)": ["pass", "min(a, b)"],
    "{a: b, **c}": ["{**c}", "{a: b}"],
    "a if b else c": ["a if not b else c"],
    "a if b == c else d": ["a if b != c else d"],
    "[a for a in b if c]": ["[a for a in b if not c]"],
    "zip(a, b, strict=True)": ["pass"],
    "if a:\n    b()": ["if not a:\n    b()", "if a:\n    pass"],
    "for a in b:\n    continue": ["for a in b:\n    pass"],
    "del a": ["pass"],
    "a |= b": ["a &= b"],
    "'1'": [],
}


def test_each_mutant_has_one_change():
    made = {text: {one.source for one in mutants("a.py", text)} for text in CHANGES}
    assert made == {text: set(changed) for text, changed in CHANGES.items()}


def test_the_key_of_a_mutant_stays_when_lines_move_and_none_is_equivalent_without_a_reason():
    keys = [one.key for one in mutants("a.py", "class A:\n    def b(self): return c < 1 or c < 1")]
    assert keys == [one.key for one in mutants("a.py", "\nd = e\nclass A:\n\n    def b(self): return c < 1 or c < 1")]
    assert "a.py :: A.b :: bound :: c < 1 :: 1" in keys and len({*keys}) == len(keys) == 5
    assert study.equivalent("# a\nb :: c\n    since d,\n    e\n") == {"b :: c": "since d, e"}
    with pytest.raises(ValueError, match="b :: c: say why"):
        study.equivalent("b :: c\n")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout with one rule, whose tests miss some of its mutants."""
    for name, text in ((FILE, RULES), ("tests/made/rules/test_size.py", TESTS), ("equivalent.txt", "")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "EQUIVALENT", tmp_path / "equivalent.txt")
    monkeypatch.setattr(study, "NEVER_ENDS", 1)
    return tmp_path


@pytest.mark.slow
def test_survivors_are_told_until_the_list_explains_them(made: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    kept = made / "kept.json"
    with pytest.raises(CommandError, match="5 survivors; 0 wrong lines"):
        call_command("mutants", FILE, json=kept)
    said = capsys.readouterr().out
    assert {line.partition(": ")[2] for line in said.splitlines() if line.startswith("SURVIVED")} == SURVIVORS
    assert "left out, as it fails on its own: tests/made/rules/test_size.py::test_what_needs_a_fixture" in said
    killed = json.loads(kept.read_text())["killed"]
    assert {key for key, dead in killed.items() if not dead} == SURVIVORS

    def never(*given: Any) -> Any:
        raise AssertionError("what is kept runs again")

    monkeypatch.setattr(command, "tests_of", never)
    gone = f"{FILE} :: is_small :: constant :: 7 :: 0"
    (made / "equivalent.txt").write_text("".join(f"{key}\n    Nobody asks.\n" for key in (*SURVIVORS, gone)))
    with pytest.raises(CommandError, match="0 survivors; 1 wrong lines"):
        call_command("mutants", FILE, json=kept)
    assert f"NOT EQUIVALENT, as it is killed or gone: {gone}" in capsys.readouterr().out
    (made / "equivalent.txt").write_text("".join(f"{key}\n    Nobody asks.\n" for key in SURVIVORS))
    call_command("mutants", FILE, json=kept)
    assert json.loads(kept.read_text())["files"] == {FILE: {"mutants": 10, "killed": 5, "equivalent": 5, "share": 1.0}}


CANNOT = "cannot be collected without Django: tests/made/rules/test_then.py"
READY = "import made.rules.size\nmade.rules.size.ready = True"
# It can be imported only after READY, and alone has called at import what some mutants change.
UNREADY = "from made.rules.size import Box, ready\nBOX = Box().corners\ndef test_box(): assert Box().corners == BOX"


@pytest.mark.slow
@row("", "raise ImportError", CANNOT)
@row(READY, UNREADY, "tests/made/rules/test_then.py: the tests fail without any mutant")
def test_tests_that_do_not_run_on_their_own_kill_no_mutant(first: str, then: str, why: str, made: Path):
    (made / "tests/made/rules/test_size.py").write_text(first)
    (made / "tests/made/rules/test_then.py").write_text(then)
    with pytest.raises(CommandError, match=why):
        call_command("mutants", FILE)


def test_the_tests_of_the_protocol_are_collected_without_django() -> None:
    variables = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    variables.pop("DJANGO_SETTINGS_MODULE", None)
    command_line = [sys.executable, "-m", "pytest", *study.OPTIONS, "--collect-only", *study.paths_of_tests(study.ROOT)]
    done = subprocess.run(command_line, cwd=study.ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-500:]
