"""The place of a file tells whether it is plain Python, and the place of a test whether its subject is."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLAIN_ROOMS = (
    "belief", "pipeline/protocol", "pipeline/policies", "pipeline/settings", "pipeline/checking", "pipeline/known",
)  # fmt: skip
"""The rooms of plain Python besides those named `rules`."""


def is_plain(path: Path) -> bool:
    """Tell whether the file is in a room of plain Python, or tests such a file."""
    place = path.parent.relative_to(ROOT).as_posix().removeprefix("tests/")
    return "rules" in place.split("/") or f"{place}/".startswith(tuple(f"{room}/" for room in PLAIN_ROOMS))


def is_rule_test(item: pytest.Item) -> bool:
    """Tell whether the test is about plain Python."""
    return is_plain(item.path)
