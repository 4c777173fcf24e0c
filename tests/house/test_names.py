"""The check of names finds an odd word in a public name, and passes over private names, numbers and known words."""

import ast
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

from tests.support.table import row

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
