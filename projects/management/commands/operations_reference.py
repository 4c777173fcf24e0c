"""manage.py operations_reference: write the rows of operations into the page of the API."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from projects.operation import Operation, SentFile
from projects.operation_fields import input_fields, names_in_path
from projects.operations import OPERATIONS

AnyOperation = Operation[Any, Any, Any]
BEGIN, END = "<!-- rows of operations: written by manage.py operations_reference -->", "<!-- end -->"
"""Marks that stand around the rows in a page."""


def api_row(operation: AnyOperation) -> str:
    """Return the row of api.md."""
    scope = "" if operation.scope == ("read" if operation.method == "get" else "write") else f" (`{operation.scope}`)"
    path = re.sub(r"<\w+:(\w+)>", lambda place: place[1].upper(), operation.path or "")
    address = f"{'projects/P/' if operation.of_project else ''}{path}"
    left_out = names_in_path(operation) | {field.name for field in input_fields(operation) if field.kind is SentFile}
    fields = [name for name in operation.input.model_fields if name not in left_out]
    takes = f"; takes {', '.join(f'`{name}`' for name in fields)}" if fields else ""
    return f"- `{operation.method.upper()} {address}`{scope}: {_sentence(operation)}{takes}"


def page_with_rows(operations: Iterable[AnyOperation]) -> str:
    """Return docs/reference/api.md as it should be."""
    rows = [api_row(operation) for operation in operations if operation.path is not None]
    return _between_marks(page().read_text("utf-8"), rows)


def page() -> Path:
    return Path(settings.BASE_DIR) / "docs/reference/api.md"


def _between_marks(text: str, rows: list[str]) -> str:
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{chr(10).join(rows)}\n{END}{after}"


def _sentence(operation: AnyOperation) -> str:
    text = " ".join(operation.help.split()).removesuffix(".").partition(". ")[0]
    guide = f" ([{operation.guide.rpartition('/')[2].partition('#')[0]}]({operation.guide}))" if operation.guide else ""
    return f"{text[:1].lower()}{text[1:]}{guide}"


class Command(BaseCommand):
    help = "Write the rows of operations in docs/reference/api.md from their declarations."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is not current")

    def handle(self, *args: Any, **options: Any) -> None:
        text = page_with_rows(OPERATIONS)
        if options["check"] and page().read_text("utf-8") != text:
            raise CommandError("api.md is not current. Run manage.py operations_reference.")
        page().write_text(text, encoding="utf-8")
        self.stdout.write(f"{len(OPERATIONS)} operations.")
