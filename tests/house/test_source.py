"""The size of files and functions, and the first word of docstrings."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPENERS = re.compile(r"(What|Who|Whose|How|Where|When|Which|Why)\b")
OPENING_STRING = re.compile(rf"[\"']{OPENERS.pattern}")
"""A string that begins so; only files with such a string are parsed."""
DEFINITION = re.compile(r"( *)(?:async def|def|class|@)(?:\b|(?<=@))")
LONGEST_FILE, LONGEST_FUNCTION = 600, 60
NOT_OURS = ("var", "frontend")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def sources() -> dict[str, str]:
    """Return the text of the project's files by their paths, without migrations."""
    rooms = [room for room in ROOT.iterdir() if room.is_dir() and room.name not in NOT_OURS and room.name[0] != "."]
    paths = [path for room in rooms for path in room.rglob("*.py") if path.parent.name != "migrations"]
    assert len(paths) > 1000
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


def may_hold_a_long_function(text: str) -> bool:
    """Tell whether a function may be too long: parsing each file would take seconds.

    A function ends before the next definition that is not inside it, or at the end of the file.
    """
    lines = text.splitlines()
    open_ones: list[tuple[int, int]] = []
    """Functions that have not ended: each with its indentation and its line."""
    for number, line in enumerate([*lines, "def"]):
        if not (found := DEFINITION.match(line)):
            continue
        indent = len(found[1])
        while open_ones and open_ones[-1][0] >= indent:
            if number - open_ones.pop()[1] > LONGEST_FUNCTION:
                return True
        open_ones.append((indent, number))
    return False


def test_no_docstring_begins_with_a_question_word() -> None:
    found = [
        f"{path}:{node.lineno}: {node.value.value[:60]}"
        for path, text in sources().items()
        if OPENING_STRING.search(text)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, str) and OPENERS.match(node.value.value)
    ]
    assert found == []


def test_no_file_is_longer_than_600_lines() -> None:
    long = [path for path, text in sources().items() if len(text.splitlines()) > LONGEST_FILE]
    assert long == []


def test_no_function_is_longer_than_60_lines() -> None:
    found = [
        f"{path}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1}"
        for path, text in sources().items()
        if may_hold_a_long_function(text)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, FUNCTIONS) and node.end_lineno and node.end_lineno - node.lineno >= LONGEST_FUNCTION
    ]
    assert found == []
