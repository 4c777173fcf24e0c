"""Writes the variables of the service into docs/reference/settings.md, from the declarations in config/environment.py.

Run `python -m tests.support.service_settings` to write them again.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from config.environment import BASE_DIR, Environment

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/settings.md"
SOURCE = PAGE.parents[2] / "config/environment.py"
BEGIN, END = "<!-- variables: written by tests.support.service_settings -->\n", "<!-- variables: end -->\n"
NAMES = re.compile(r"(?<![`/\w])([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:/\w+)?)(?!\w)")
LINK = re.compile(r"docs/how-to/(\w+\.md)")


def descriptions() -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of each variable, on one line."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Environment")
    for field, text in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            assert isinstance(text.value, ast.Constant)
            yield field.target.id, " ".join(str(text.value.value).split())


def table() -> str:
    """Return a row for each variable: name, default, meaning."""
    rows = [
        f"| `{name}` | {_default(Environment.model_fields[name].default)} | {_linked(text)} |\n"
        for name, text in descriptions()
    ]
    return f"| variable | default | meaning |\n|---|---|---|\n{''.join(rows)}"


def with_table(page: str) -> str:
    """Return the page with the table between its two marks."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.split(END)[1]}"


def _default(value: Any) -> str:
    if value in ("", None, []):
        return "empty"
    if isinstance(value, dict):
        return "[a table](../how-to/operations.md#old-rows)"
    if isinstance(value, bool):
        return "`on`" if value else "`off`"
    if isinstance(value, Path):
        return f"`{value.relative_to(BASE_DIR)}/`"
    return f"`{', '.join(value) if isinstance(value, list) else value}`"


def _linked(text: str) -> str:
    """Return the text with links to pages, and names of variables as code."""
    return LINK.sub(r"[\1](../how-to/\1)", NAMES.sub(r"`\1`", text))


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
