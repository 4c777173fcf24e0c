"""Which values of settings make sense; test_settings.py has those that are refused."""

from dataclasses import fields
from typing import Any

import pytest

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.ranges import in_range, is_of_kind


def test_every_setting_is_looked_at_but_two_that_are_checked_where_they_are_read():
    checked = in_range(ProtocolSettings())
    assert set(checked) == {each.name for each in fields(ProtocolSettings)} - {"strategy", "link_prior"}
    assert all(checked.values())


@pytest.mark.parametrize(
    ("value", "kind", "fits"),
    [
        (1, int, True),
        (True, int, False),
        (1, float, True),
        (float("inf"), float, False),
        (float("nan"), float, False),
        (10**400, float, True),
        ("1", float, False),
        ({}, dict[str, int], True),
        ([], tuple[str, ...], False),
    ],
)
def test_a_value_is_of_its_kind_or_not(value: Any, kind: Any, fits: bool):
    assert is_of_kind(value, kind) is fits
