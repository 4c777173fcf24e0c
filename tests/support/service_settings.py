"""Writes the variables of the service into docs/reference/settings.md, and the old rows into docs/how-to/operations.md.

Run `python -m tests.support.service_settings` to write them again.
"""

import re
from pathlib import Path
from typing import Any

from config.environment import OLD_ROWS, Environment
from runtime.installed import ROOT
from tests.support.declared import descriptions, section

SECTION = section("reference/settings.md", "variables", "service_settings")
OF_OLD_ROWS = section("how-to/operations.md", "old rows", "service_settings")
NAMES = re.compile(r"(?<![`/\w])([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:/\w+)?)(?!\w)")
LINK = re.compile(r"docs/how-to/(\w+\.md)")


def table() -> str:
    """Return a row for each variable: name, default, meaning."""
    rows = [
        f"| `{name}` | {_default(Environment.model_fields[name].default)} | {_linked(text)} |\n"
        for name, text in descriptions(Environment)
    ]
    return f"| variable | default | meaning |\n|---|---|---|\n{''.join(rows)}"


def page() -> str:
    """Return the page with the table."""
    return SECTION.filled(table())


def page_of_old_rows() -> str:
    """Return the page with a row for each kind of old rows: name, days, rows."""
    rows = [f"| `{name}` | {days} | {text} |\n" for name, (days, text) in OLD_ROWS.items()]
    return OF_OLD_ROWS.filled(f"| name | days | rows |\n|---|---|---|\n{''.join(rows)}")


def _default(value: Any) -> str:
    if value in ("", None, []):
        return "empty"
    if isinstance(value, dict):
        return "[a table](../how-to/operations.md#old-rows)"
    if isinstance(value, bool):
        return "`on`" if value else "`off`"
    if isinstance(value, Path):
        return f"`{value.relative_to(ROOT)}/`"
    return f"`{', '.join(value) if isinstance(value, list) else value}`"


def _linked(text: str) -> str:
    """Return the text with links to pages, and names of variables as code."""
    return LINK.sub(r"[\1](../how-to/\1)", NAMES.sub(r"`\1`", text))


if __name__ == "__main__":
    SECTION.page.write_text(page())
    OF_OLD_ROWS.page.write_text(page_of_old_rows())
