"""The place of a test tells what its subject is."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def is_rule_test(item: pytest.Item) -> bool:
    """Tell whether the test is in a rules folder or below one."""
    return "rules" in item.path.parent.relative_to(ROOT).parts
