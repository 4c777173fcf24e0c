"""Docstrings of members and packages that pages of the documentation repeat, between two marks of a page."""

import ast
import inspect
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.support.places import ROOT


class Section(NamedTuple):
    """A part of a page between two marks."""

    page: Path
    begin: str
    end: str

    def filled(self, text: str) -> str:
        """Return the page with this text between the marks."""
        before, rest = self.page.read_text().split(self.begin)
        return f"{before}{self.begin}{text}{self.end}{rest.split(self.end)[1]}"


def section(page: str, what: str, module: str) -> Section:
    """Return the section of a page in docs/ that a module of tests/support writes."""
    begin = f"<!-- {what}: written by python -m tests.support.{module} -->\n"
    return Section(ROOT / "docs" / page, begin, f"<!-- {what}: end -->\n")


def descriptions(declared: type) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring, on one line, of each field or member of a class that has a docstring."""
    source = inspect.getsourcefile(declared)
    assert source is not None
    body = ast.parse(Path(source).read_text()).body
    for name in declared.__qualname__.split("."):
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == name)
    for node, text in pairwise(body):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            yield target.id, " ".join(str(text.value.value).split())


def first_line(package: Path) -> str:
    """Return the first line of a package's docstring."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text()))
    assert text, f"{package} has no docstring"
    return text.splitlines()[0]
